import assert from "node:assert/strict";
import { test } from "node:test";
import type { PromptPart } from "../../../../src/core/events/values.ts";
import { promptPartOf, userParts } from "../../../../src/surfaces/opencode/projection/prompt-parts.ts";
import { SessionView } from "../../../../src/surfaces/opencode/projection/session-view.ts";
import { Story } from "./story.ts";

const FIRST = "msg_1e1223144001MM4NwwMkOA5qaj";
const SECOND = "msg_1e1223144002MM4NwwMkOA5qaj";

const frame = { sessionID: "ses_1", messageID: FIRST, created: 1_794_778_476_868, directory: "/home/me" };

function shown(parts: readonly PromptPart[]): unknown[] {
  return userParts(parts, frame).map(({ id: _, sessionID: __, messageID: ___, ...part }) => part);
}

test("a prompt that waits is shown at once, and is the same message when its turn begins", () => {
  const story = new Story().prompt(FIRST).step().prompt(SECOND);
  const [, , waiting] = story.view().messages();
  assert.equal(waiting?.info.id, SECOND);
  story.say("one").end().step().say("two").end();
  const updates = story
    .said()
    .flatMap((event) => (event.type === "message.updated" && event.properties.info.id === SECOND ? [event] : []));
  assert.deepEqual(
    updates.map(({ properties: { info } }) => [info.time.created, "summary" in info]),
    [
      [waiting?.info.time.created, false],
      [waiting?.info.time.created, true],
    ],
  );
  const parts = story
    .said()
    .filter((event) => event.type === "message.part.updated" && event.properties.part.messageID === SECOND);
  assert.equal(parts.length, 1);
  assert.deepEqual(
    story
      .view()
      .messages()
      .map(({ info }) => (info.role === "assistant" ? info.parentID : info.id)),
    [FIRST, FIRST, SECOND, SECOND],
  );
});

test("a prompt that is taken back vanishes", () => {
  const story = new Story().prompt(FIRST).step().prompt(SECOND);
  story.world.command({ type: "withdraw", prompt: SECOND });
  const removed = story.said().filter(({ type }) => type === "message.removed");
  assert.deepEqual(
    removed.map(({ properties }) => properties),
    [{ sessionID: "ses_test", messageID: SECOND }],
  );
  assert.ok(
    !story
      .view()
      .messages()
      .some(({ info }) => info.id === SECOND),
  );
});

test("a view that begins later knows the queued prompts", () => {
  const story = new Story().prompt(FIRST).step().prompt(SECOND);
  const whole = story.view();
  const later = new SessionView(story.world.session);
  assert.deepEqual(
    later.messages(),
    whole.messages().filter(({ info }) => info.id === SECOND),
  );
});

test("words given to a running turn are a message of their own, which the next step answers", () => {
  const story = new Story().prompt(FIRST).step().say("one");
  story.world.command({ type: "steer", prompt: { id: SECOND, parts: [{ type: "text", text: "shorter" }] } });
  story.step().say("two").end();
  const messages = story.view().messages();
  assert.deepEqual(
    messages.map(({ info }) => (info.role === "assistant" ? info.parentID : info.id)),
    [FIRST, FIRST, SECOND, SECOND],
  );
  assert.deepEqual(
    messages[2]?.parts.map((part) => (part.type === "text" ? part.text : part.type)),
    ["shorter"],
  );
});

test("a turn of the agent's own answers the last user message", () => {
  const story = new Story().prompt(FIRST).step().say("one").end();
  story.step().say("By the way").end();
  const messages = story.view().messages();
  assert.deepEqual(
    messages.map(({ info }) => (info.role === "assistant" ? info.parentID : info.id)),
    [FIRST, FIRST, FIRST],
  );
});

test("where nobody has said anything, an empty message stands for the user", () => {
  const story = new Story().step().say("Hello").end();
  const [opener, answer] = story.view().messages();
  assert.ok(opener?.info.role === "user" && opener.parts.length === 0);
  assert.ok(answer?.info.role === "assistant" && answer.info.parentID === opener.info.id);
});

test("a user's words that the agent reports are a message of the user", () => {
  const story = new Story();
  story.world.signal({ type: "text.done", item: "u1", role: "user", text: "Look around" });
  story.step().say("I look.").endStep("stop");
  story.world.signal({ type: "text.done", item: "u2", role: "user", text: "And now?" });
  story.step().say("Done.").endStep("stop").end();
  const messages = story.view().messages();
  assert.deepEqual(
    messages.map(({ info, parts }) => [info.role, parts.find((part) => part.type === "text")?.text]),
    [
      ["user", "Look around"],
      ["assistant", "I look."],
      ["user", "And now?"],
      ["assistant", "Done."],
    ],
  );
  const [first, one, second, two] = messages.map(({ info }) => info);
  assert.deepEqual(
    [one, two].map((info) => (info?.role === "assistant" ? info.parentID : "")),
    [first?.id, second?.id],
  );
});

test("a model that is learned during the first turn is that of all its messages", () => {
  const story = new Story().prompt(FIRST).step();
  story.world.signal({ type: "session", model: "opus" });
  story.say("one").end();
  const models = story
    .view()
    .messages()
    .map(({ info }) => (info.role === "user" ? info.model.modelID : info.modelID));
  assert.deepEqual(models, ["opus", "opus"]);
});

test("a prompt says which model and mode are to answer", () => {
  const story = new Story();
  const parts = [{ type: "text" as const, text: "go" }];
  story.world.command({
    type: "prompt",
    prompt: { id: FIRST, parts, model: "scripted/demo", mode: "plan", system: "be brief" },
  });
  story.step().say("one").end();
  const [user, answer] = story.view().messages();
  assert.partialDeepStrictEqual(user?.info, {
    agent: "plan",
    model: { providerID: "scripted", modelID: "scripted/demo" },
    system: "be brief",
  });
  assert.partialDeepStrictEqual(answer?.info, {
    agent: "plan",
    mode: "plan",
    modelID: "scripted/demo",
    providerID: "scripted",
  });
});

const PARTS: [what: string, part: PromptPart, shown: object][] = [
  ["text", { type: "text", text: "hi" }, { type: "text", text: "hi" }],
  [
    "a synthetic text",
    { type: "text", text: "hi", synthetic: true, metadata: { a: 1 } },
    { type: "text", text: "hi", synthetic: true, metadata: { a: 1 } },
  ],
  [
    "a file of the session's directory",
    { type: "file", path: "src/a b.ts" },
    { type: "file", mime: "text/plain", filename: "a b.ts", url: "file:///home/me/src/a%20b.ts" },
  ],
  [
    "a file that came along",
    { type: "file", url: "data:image/png;base64,AA", mime: "image/png", name: "p.png" },
    { type: "file", mime: "image/png", filename: "p.png", url: "data:image/png;base64,AA" },
  ],
  [
    "an agent's name",
    { type: "text", text: "use explore", opencode: { type: "agent", name: "explore" } },
    { type: "agent", name: "explore" },
  ],
];

for (const [what, part, expected] of PARTS)
  test(`a part of a prompt: ${what}`, () => assert.deepEqual(shown([part]), [expected]));

test("the parts of a prompt come back as the client sent them", () => {
  const source = { value: "@explore", start: 0, end: 8 };
  const sent = [
    { type: "text", text: "hi", id: "prt_1", synthetic: true },
    { type: "file", mime: "text/plain", url: "file:///a.txt", filename: "a.txt", id: "prt_2" },
    { type: "agent", name: "explore", source, id: "prt_3" },
    { type: "subtask", prompt: "look", description: "Look", agent: "explore", id: "prt_4" },
  ] as const;
  const back = userParts(
    sent.map((part) => promptPartOf(part, "for the agent")),
    frame,
  );
  assert.deepEqual(
    back.map(({ sessionID: _, messageID: __, ...part }) => part),
    sent.map((part) => ({ ...part })),
  );
});

test("parts keep their client's ids, and others sort where they stand", () => {
  const text = (id?: string): PromptPart => ({ type: "text", text: "x", ...(id === undefined ? {} : { id }) });
  const cases = [
    [text(), text(), text()],
    [text("prt_1e1223144001a"), text()],
    [text(), text("prt_0a"), text(), text(), text("prt_0b")],
    [text("prt_0a"), text("prt_0a")],
  ];
  for (const parts of cases) {
    const ids = userParts(parts, frame).map(({ id }) => id);
    assert.deepEqual(ids, [...new Set(ids)].sort());
    assert.deepEqual(
      ids,
      userParts(parts, frame).map(({ id }) => id),
    );
    parts.forEach((part, at) => {
      const first = parts.findIndex(({ id }) => id === part.id) === at;
      if (part.id !== undefined && first) assert.equal(ids[at], part.id);
    });
  }
});

test("a step that began before the agent told what it heard answers just that", () => {
  const story = new Story().step();
  story.world.signal({ type: "text.done", item: "u1", role: "user", text: "Look around" });
  story.say("I look.").end();
  const relayed = new Story().prompt(FIRST).step();
  relayed.world.signal({ type: "text.done", item: "u1", role: "user", text: "Look around" });
  relayed.say("I look.").end();
  for (const view of [story.view(), relayed.view()]) {
    const messages = view.messages().map(({ info }) => info);
    const answer = messages.find(({ role }) => role === "assistant");
    const heard = view
      .messages()
      .find(({ parts }) => parts.some((part) => part.type === "text" && part.text === "Look around"));
    assert.equal(answer?.role === "assistant" && answer.parentID, heard?.info.id);
  }
});

test("a model for the next turn does not change what answered this one", () => {
  const story = new Story();
  const parts = [{ type: "text" as const, text: "go" }];
  story.world.command({ type: "prompt", prompt: { id: FIRST, parts, model: "opus" } });
  story.step().say("one");
  story.world.command({ type: "update", facts: { model: "haiku" } });
  story.step().say("two").end();
  const models = story
    .view()
    .messages()
    .map(({ info }) => (info.role === "user" ? info.model.modelID : info.modelID));
  assert.deepEqual(models, ["opus", "opus", "opus"]);
});

test("a mode that the agent leaves during a turn is that of the steps before, and the new one of those after", () => {
  const story = new Story();
  story.world.command({ type: "update", facts: { mode: "plan" } });
  story.prompt(FIRST).step().say("The plan.");
  story.world.signal({ type: "session", mode: "acceptEdits" });
  story.step().say("Done.").end();
  const modes = story
    .view()
    .messages()
    .map(({ info }) => (info.role === "assistant" ? [info.mode, info.agent] : info.agent));
  assert.deepEqual(modes, ["plan", ["plan", "plan"], ["acceptEdits", "acceptEdits"]]);
});
