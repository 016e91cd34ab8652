import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { sharedStage } from "../../agents/opencode/shared-stage.ts";
import { completed, of } from "../../agents/opencode/stage.ts";
import { bash, question, task, write } from "../../agents/opencode/tools.ts";
import { lawfulEvents } from "../../support/laws.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, long } from "../../support/time.ts";

const { program = "", skip } = await realAgent("opencode");

const script = {
  prompts: {
    "*": [{ text: "I see." }],
    touch: [{ tools: [bash("touch made.txt")] }, { text: "Tried." }],
    empty: [{ tools: [bash("> made.txt")] }, { text: "Tried." }],
    write: [{ tools: [write("secret/made.txt", "x\n")] }, { text: "Tried." }],
    colour: [{ tools: [question("Which colour?", "Red", "Blue")] }, { text: "A good choice." }],
    delegate: [{ tools: [task("Look", "[[touch]] look around")] }, { text: "It is done." }],
  },
};

const deny = (action: string, pattern = "*") => ({ action, pattern, verdict: "deny" });

describe("rules of a session and what the real OpenCode does not ask about", { skip, timeout: GROUP_MS }, () => {
  const command = { look: { template: "Look at @$1 now." } };
  const stage = sharedStage(program, { script, config: { command } });
  const begin = async (name: string, permissions: readonly object[]) => {
    const directory = stage().project(name, { "secret/kept.txt": "kept\n" });
    const id = await stage().session({ directory, permissions });
    return { id, api: stage().api, has: (path: string) => existsSync(join(directory, path)) };
  };
  /** The calls of a session, and the permissions that rules answered. */
  const told = async (id: string) => {
    const events = await lawfulEvents(stage().api, id);
    return {
      calls: completed(events, "tool_call").map(({ name, status, error }) => [
        name,
        status,
        (error as { code?: string } | undefined)?.code,
      ]),
      ruled: of(events, "permission.resolved").map(({ data }) => [data.outcome, data.by]),
    };
  };

  test("a denied command is not run, also one without a command word", async () => {
    for (const how of ["touch", "empty"]) {
      const { id, api, has } = await begin(how, [deny("bash", "touch *"), deny("bash", "> *"), deny("edit")]);
      assert.equal((await api.ask(id, `[[${how}]]`)).text, "Tried.");
      assert.equal(has("made.txt"), false);
      assert.deepEqual(await told(id), { calls: [["bash", "failed", "rejected"]], ruled: [["reject", "rule"]] });
    }
  });

  test("a denied file is not read for a slash command; one that is not denied is, and texts beside it reach the model", async () => {
    const file = join(stage().project("look"), "secret/kept.txt");
    const denied = await begin("look", [deny("read", "secret/*")]);
    const before = stage().calls().length;
    const { reason, error } = await denied.api.ask(denied.id, `/look ${file}`);
    assert.deepEqual([reason, error?.code], ["error", "agent_failed"]);
    assert.match(error?.message ?? "", /a rule of this session denies it/);
    assert.deepEqual((await told(denied.id)).ruled, [["reject", "rule"]]);
    assert.equal(stage().calls().length, before);
    const { id, api } = await begin("look", [deny("read", "other/*")]);
    const parts = [
      { type: "text", text: `/look ${file}` },
      { type: "text", text: "Beside it, !`touch made.txt`" },
    ];
    assert.equal((await api.ask(id, { parts, system: "Be brief." })).text, "I see.");
    const sent = JSON.stringify(stage().calls().at(-1)?.messages);
    for (const words of [`Look at @${file} now.`, "1: kept", "Beside it, !`touch made.txt`", "Be brief."])
      assert.ok(sent.includes(words), words);
    assert.equal(existsSync(join(stage().project("look"), "made.txt")), false);
  });

  test("a denied file is not written", long, async () => {
    const { id, api, has } = await begin("write", [deny("edit", "secret/*")]);
    assert.equal((await api.ask(id, "[[write]]")).text, "Tried.");
    assert.equal(has("secret/made.txt"), false);
    assert.deepEqual((await told(id)).ruled, [["reject", "rule"]]);
  });

  test("a deny binds a sub-agent", async () => {
    const { id, api, has } = await begin("child", [deny("bash", "touch *")]);
    assert.equal((await api.ask(id, "[[delegate]]")).text, "It is done.");
    assert.equal(has("made.txt"), false);
  });

  test("a tool that is denied altogether is not offered to the model", long, async () => {
    const { id, api } = await begin("offered", [deny("bash")]);
    await api.ask(id, "hello");
    const offered =
      stage()
        .calls()
        .at(-1)
        ?.tools?.map(({ function: { name } }) => name) ?? [];
    assert.ok(offered.includes("read") && !offered.includes("bash"), offered.join());
  });

  test("an ask rule asks a person, and the call is made once it is allowed", async () => {
    const { id, api, has } = await begin("ask", [{ action: "bash", pattern: "*", verdict: "ask" }]);
    const running = api.ask(id, "[[touch]]");
    const [ask] = await stage().asks(id);
    assert.equal(has("made.txt"), false);
    await stage().answer(id, ask?.id ?? "", { outcome: "once" });
    assert.equal((await running).text, "Tried.");
    assert.ok(has("made.txt"));
    assert.deepEqual((await told(id)).calls, [["bash", "completed", undefined]]);
  });

  test(
    "a question is not asked where rules deny it, and asked once where they want everything asked",
    long,
    async () => {
      const denied = await begin("silent", [deny("quest*")]);
      assert.equal((await denied.api.ask(denied.id, "[[colour]]")).text, "A good choice.");
      assert.equal(of(await lawfulEvents(denied.api, denied.id), "question.requested").length, 0);
      const { id, api } = await begin("curious", [{ action: "*", pattern: "*", verdict: "ask" }]);
      const running = api.ask(id, "[[colour]]");
      const [ask] = await stage().asks(id);
      await stage().answer(id, ask?.id ?? "", { outcome: "answered", answers: [["Blue"]] });
      assert.equal((await running).text, "A good choice.");
      const events = await lawfulEvents(api, id);
      assert.deepEqual([of(events, "question.requested").length, of(events, "permission.requested").length], [1, 0]);
    },
  );

  test("a rule that comes later binds the next turn, and one that goes no longer does", long, async () => {
    const { id, api, has } = await begin("later", []);
    await api.ask(id, "hello");
    await api.expect(200, "PATCH", `/v1/sessions/${id}`, { permissions: [deny("bash", "touch *")] });
    await api.ask(id, "[[touch]]");
    assert.equal(has("made.txt"), false);
    await api.expect(200, "PATCH", `/v1/sessions/${id}`, { permissions: [] });
    await api.ask(id, "[[touch]]");
    assert.ok(has("made.txt"));
  });
});
