import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { sharedStage } from "../../agents/opencode/shared-stage.ts";
import { completed, of } from "../../agents/opencode/stage.ts";
import { bash, task } from "../../agents/opencode/tools.ts";
import { lawfulEvents } from "../../support/laws.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, long } from "../../support/time.ts";

const { program = "", skip } = await realAgent("opencode");

const script = {
  prompts: {
    "*": [{ text: "I see." }],
    delegate: [{ text: "I delegate.", tools: [task("Look", "[[look]] look around")] }, { text: "It is done." }],
    nest: [{ tools: [task("Outer", "[[outer]] go on")] }, { text: "It is done." }],
    outer: [{ tools: [task("Inner", "[[look]] look around")] }, { text: "Outer is done." }],
    look: [{ text: "I touch.", tools: [bash("touch sub.txt")] }, { text: "Touched." }],
  },
};

/** The program asks before commands, and sub-agents may have sub-agents. */
const config = {
  permission: { bash: "ask" },
  subagent_depth: 3,
  agent: { general: { permission: { task: "allow", bash: "ask" } } },
};

describe("sub-agents of the real OpenCode", { skip, timeout: GROUP_MS }, () => {
  const stage = sharedStage(program, { script, config });
  const begin = async (name: string) => {
    const directory = stage().project(name);
    const id = await stage().session({ directory });
    return { id, directory, api: stage().api, touched: () => existsSync(join(directory, "sub.txt")) };
  };

  test("a sub-agent is a session of its own, whose asks are answered through the one it works for", async () => {
    const { id, api, touched } = await begin("one");
    const running = api.ask(id, "[[delegate]]");
    const [ask] = await stage().asks(id);
    assert.ok(ask?.kind === "permission");
    assert.notEqual(ask.session, id);
    assert.equal(ask.request.command, "touch sub.txt");
    await stage().answer(id, ask.id, { outcome: "once" });
    assert.equal((await running).text, "It is done.");
    assert.ok(touched());
    const child = await api.session(ask.session);
    assert.equal(child.parent, id);
    const said = completed(await lawfulEvents(api, ask.session), "message").map(({ role, text }) => [role, text]);
    assert.deepEqual(said.slice(-2), [
      ["assistant", "I touch."],
      ["assistant", "Touched."],
    ]);
    const [call] = completed(await lawfulEvents(api, id), "tool_call");
    assert.deepEqual([call?.name, call?.status, call?.child], ["task", "completed", child.id]);
  });

  test("a sub-agent of a sub-agent: its ask reaches the top", long, async () => {
    const { id, api, touched } = await begin("nest");
    const running = api.ask(id, "[[nest]]");
    const [ask] = await stage().asks(id);
    const inner = await api.session(ask?.session ?? "");
    assert.equal((await api.session(inner.parent ?? "")).parent, id);
    await stage().answer(id, ask?.id ?? "", { outcome: "once" });
    assert.equal((await running).text, "It is done.");
    assert.ok(touched());
    for (const session of [inner.id, inner.parent ?? ""])
      assert.equal(of(await lawfulEvents(api, session), "turn.ended").length, 1);
  });

  test("a refusal in a sub-agent fails its call, and the one that it works for goes on", long, async () => {
    const { id, api, touched } = await begin("refused");
    const running = api.ask(id, "[[delegate]]");
    const [ask] = await stage().asks(id);
    await stage().answer(id, ask?.id ?? "", { outcome: "reject" });
    assert.equal((await running).text, "It is done.");
    assert.equal(touched(), false);
    const [call] = completed(await lawfulEvents(api, ask?.session ?? ""), "tool_call");
    assert.equal(call?.status, "failed");
  });

  test("a cancel while a sub-agent asks ends both, and no ask is left", async () => {
    const { id, api, touched } = await begin("cancel");
    const running = api.ask(id, "[[delegate]]");
    const [ask] = await stage().asks(id);
    await api.cancel(id);
    assert.equal((await running).reason, "cancelled");
    assert.deepEqual(await api.asks(id), []);
    for (const session of [id, ask?.session ?? ""]) {
      const events = await lawfulEvents(api, session);
      assert.equal(of(events, "turn.ended").length, 1);
      assert.ok(completed(events, "tool_call").every(({ status }) => status === "failed"));
    }
    assert.equal(touched(), false);
    assert.equal((await api.ask(id, "next")).text, "I see.");
  });
});
