import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { sharedStage } from "../../agents/opencode/shared-stage.ts";
import { completed, of } from "../../agents/opencode/stage.ts";
import { bash, edit, read, todos, write } from "../../agents/opencode/tools.ts";
import { lawfulEvents } from "../../support/laws.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, long } from "../../support/time.ts";

const { program = "", skip } = await realAgent("opencode");

const script = {
  prompts: {
    "*": [{ text: "You said: {{prompt}}" }],
    edit: [
      { reasoning: "I should look.", text: "I read it.", tools: [read("README.md")] },
      { text: "I change it.", tools: [edit("README.md", "hello", "hello\nadded")] },
      { text: "Done.", usage: { input: 1000, cacheRead: 400, output: 50, reasoning: 20 } },
    ],
    many: [
      { text: "All at once.", tools: [bash("echo one"), bash("sleep 0.3; echo two"), bash("echo three")] },
      { tools: [write("new.txt", "hello\n"), read("missing.txt"), { name: "nosuchtool", input: {} }] },
      { text: "Over." },
    ],
    plan: [{ tools: [todos(["First", "in_progress"], ["Second", "pending"])] }, { text: "Planned." }],
    empty: [{ stop: "end" as const }],
    full: [{ text: "Too long", stop: "length" as const }],
  },
};

describe("turns of the real OpenCode", { skip, timeout: GROUP_MS }, () => {
  const stage = sharedStage(program, { script });

  test("A5: reads, edits and answers, with thoughts, steps and usage; then a second turn on the same server", async () => {
    const { api, project } = { api: stage().api, project: stage().project("edit") };
    const id = await stage().session({ directory: project });
    const outcome = await api.ask(id, "[[edit]] add a line");
    assert.deepEqual([outcome.reason, outcome.text], ["end_turn", "Done."]);
    assert.equal(readFileSync(join(project, "README.md"), "utf8"), "# Demo\n\nhello\nadded\n");
    const events = await lawfulEvents(api, id);
    assert.deepEqual(
      completed(events, "tool_call").map((item) => [item.name, item.status, String(item.title).endsWith("README.md")]),
      [
        ["read", "completed", true],
        ["edit", "completed", true],
      ],
    );
    assert.ok(completed(events, "reasoning").some((item) => item.text === "I should look."));
    const files = completed(events, "tool_result").flatMap((item) => (item.files ?? []) as { diff?: string }[]);
    assert.match(files[0]?.diff ?? "", /^\+added$/m);
    const steps = of(events, "step.ended");
    assert.deepEqual(
      steps.map(({ data }) => data.finish),
      ["tool_calls", "tool_calls", "stop"],
    );
    const { tokens } = steps.at(-1)?.data.usage ?? {};
    assert.deepEqual(tokens, { input: 600, output: 50, reasoning: 20, cacheRead: 400, cacheWrite: 0 });
    const [server] = stage().programs();
    assert.equal((await api.ask(id, "again")).text, "You said: again");
    assert.deepEqual(stage().programs(), [server], "one server for both turns");
    assert.equal((await api.session(id)).title, "A scripted session");
  });

  test("several tools at once, a file that is missing, a tool that does not exist", long, async () => {
    const { api } = stage();
    const directory = stage().project("many");
    const id = await stage().session({ directory });
    assert.equal((await api.ask(id, "[[many]]")).text, "Over.");
    const events = await lawfulEvents(api, id);
    const calls = completed(events, "tool_call").map((item) => `${item.name} ${item.status}`);
    const wanted = ["bash completed", "bash completed", "bash completed", "nosuchtool completed"];
    assert.deepEqual(calls.toSorted(), [...wanted, "read failed", "write completed"]);
    const results = completed(events, "tool_result").map((item) => item.text);
    for (const text of ["one\n", "two\n", "three\n"]) assert.ok(results.includes(text), text);
    assert.equal(readFileSync(join(directory, "new.txt"), "utf8"), "hello\n");
  });

  test("a list of tasks is a plan; an empty answer and one that is too long end the turn", long, async () => {
    const { api } = stage();
    const id = await stage().session({ directory: stage().project("plan") });
    assert.equal((await api.ask(id, "[[plan]]")).text, "Planned.");
    const [plan] = of(await lawfulEvents(api, id), "plan.updated");
    assert.deepEqual(
      plan?.data.entries.map(({ text, status }) => [text, status]),
      [
        ["First", "in_progress"],
        ["Second", "pending"],
      ],
    );
    const empty = await api.ask(id, "[[empty]]");
    assert.deepEqual([empty.reason, empty.text], ["end_turn", ""]);
    const full = await api.ask(id, "[[full]]");
    assert.deepEqual([full.reason, full.text], ["max_tokens", "Too long"]);
  });

  test("two sessions in two directories and two in one share the server, and hear nothing of each other", async () => {
    const { api } = stage();
    const [one, other] = [stage().project("one"), stage().project("other")];
    const sessions = await Promise.all([one, one, other].map((directory) => stage().session({ directory })));
    const outcomes = await Promise.all(sessions.map((id, index) => api.ask(id, `words of ${index}`)));
    assert.deepEqual(
      outcomes.map(({ text }) => text),
      [0, 1, 2].map((index) => `You said: words of ${index}`),
    );
    for (const id of sessions) assert.equal(of(await lawfulEvents(api, id), "turn.ended").length, 1);
    assert.equal(stage().programs().length, 1);
  });
});
