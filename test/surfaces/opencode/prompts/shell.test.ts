import assert from "node:assert/strict";
import { test } from "node:test";
import type { MessageWithParts } from "../../../../src/surfaces/opencode/shapes/message.ts";
import { playing, say } from "../../../agents/house/support.ts";
import { textsOf, turnRig } from "../turn-rig.ts";

const shellPath = (session: string): string => `/session/${session}/shell`;

test("B11: a shell command answers with the message that holds its output", async (t) => {
  const made = await turnRig(t);
  const command = "echo shell-out; echo more; exit 2";
  const { info, parts } = await made.post<MessageWithParts>(shellPath(made.session), { agent: "build", command });
  assert.ok(info.role === "assistant");
  assert.deepEqual(
    [info.sessionID, info.providerID, info.mode, info.error],
    [made.session, "house", "build", undefined],
  );
  assert.ok(info.time.completed !== undefined);
  const [tool, ...more] = parts.filter((part) => part.type === "tool");
  assert.equal(more.length, 0);
  assert.ok(tool?.state.status === "completed");
  assert.equal(tool.tool, "bash");
  assert.deepEqual(tool.state.input, { command });
  assert.match(tool.state.output, /^shell-out\nmore\n/);
  const [user, assistant, ...none] = await made.messages();
  assert.deepEqual(none, []);
  assert.equal(info.parentID, user?.info.id);
  assert.equal(assistant?.info.id, info.id);
  assert.ok(user?.parts.every((part) => part.type === "text" && part.synthetic));
  await made.assertLawful(made.session);
});

test("the agent's next prompt holds what was run, as a part that is not the user's", async (t) => {
  const { model, asked } = playing(say("I see."));
  const made = await turnRig(t, { model });
  await made.post(shellPath(made.session), { agent: "build", command: "echo un''usual" });
  await made.post(`/session/${made.session}/message`, { parts: [{ type: "text", text: "What was it?" }] });
  assert.match(JSON.stringify(asked[0]?.prompt), /unusual/);
  const messages = await made.messages();
  const user = messages.at(-2);
  assert.deepEqual(
    user?.parts.map((part) => part.type === "text" && (part.synthetic ?? false)),
    [false, true],
  );
});

test("a message id of the client's makes a repeat harmless", async (t) => {
  const made = await turnRig(t);
  const body = { agent: "build", messageID: "msg_once", command: "echo x >> ran; cat ran" };
  const first = await made.post<MessageWithParts>(shellPath(made.session), body);
  const second = await made.post<MessageWithParts>(shellPath(made.session), body);
  assert.deepEqual(second, first);
  assert.ok(first.info.role === "assistant" && first.info.parentID === "msg_once");
  assert.equal((await made.gateway.get(made.session)).turns, 1);
});

test("an abort ends the command and the waiting request, once", async (t) => {
  const made = await turnRig(t);
  const waiting = made.post<MessageWithParts>(shellPath(made.session), {
    agent: "build",
    command: "echo begin; sleep 60",
  });
  await made.until(made.session, (event) => event.type === "item.delta");
  const other = await made.client.call<{ _tag: string; sessionID: string }>("POST", shellPath(made.session), {
    body: { agent: "build", command: "echo no" },
  });
  assert.deepEqual([other.status, other.body._tag, other.body.sessionID], [409, "SessionBusyError", made.session]);
  assert.equal(await made.post(`/session/${made.session}/abort`, {}), true);
  const { parts } = await waiting;
  const tool = parts.find((part) => part.type === "tool");
  assert.ok(tool && tool.state.status !== "running" && tool.state.status !== "pending");
  assert.match(JSON.stringify(tool.state), /begin/);
  const events = await made.assertLawful(made.session);
  assert.equal(events.filter(({ type }) => type === "turn.ended").length, 1);
});

const bad: [string, unknown, number][] = [
  ["no command", { agent: "build" }, 400],
  ["an empty command", { agent: "build", command: "" }, 400],
  ["an unknown mode", { agent: "nobody", command: "ls" }, 400],
  ["an unknown model", { agent: "build", model: { providerID: "house", modelID: "none" }, command: "ls" }, 400],
  ["an unknown provider", { agent: "build", model: { providerID: "nobody", modelID: "none" }, command: "ls" }, 400],
  ["a message id that is none", { agent: "build", messageID: "abc", command: "ls" }, 400],
];
test("bad requests are refused with a name, and nothing is run", async (t) => {
  const made = await turnRig(t);
  for (const [what, body, status] of bad) {
    const reply = await made.client.call<{ name: string }>("POST", shellPath(made.session), { body });
    assert.deepEqual([what, reply.status, reply.body.name], [what, status, "BadRequest"]);
  }
  for (const id of ["ses_none", "abc", "msg_1"]) {
    const reply = await made.client.call<{ name: string }>("POST", shellPath(id), {
      body: { agent: "build", command: "ls" },
    });
    assert.deepEqual([id, reply.status, reply.body.name], [id, 404, "NotFoundError"]);
  }
  assert.equal((await made.gateway.get(made.session)).turns, 0);
});

test("a session that was given no words has no name of a command", async (t) => {
  const made = await turnRig(t);
  const message = await made.post<MessageWithParts>(shellPath(made.session), { agent: "build", command: "true" });
  assert.deepEqual(textsOf(message), []);
  assert.match((await made.info()).title, /^New session/);
});
