import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { PermissionRequest } from "../../../src/surfaces/opencode/shapes/ask.ts";
import type { Script, Tool } from "../../../src/testing/model/script.ts";
import { completed, of, Stage } from "../../agents/codex/stage.ts";
import { OpencodeClient } from "../../support/opencode.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, long } from "../../support/time.ts";

const { program = "", skip } = await realAgent("codex");

/** A model that is offered sub-agents; its commands are calls of a script. */
const MODEL = "gpt-6.1-sol";
const shell = (cmd: string): Tool => ({
  name: "exec",
  input: `text(await tools.exec_command({ cmd: ${JSON.stringify(cmd)} }))`,
});
const spawn = (task: string): Tool => ({
  name: "spawn_agent",
  input: { task_name: task, message: `[[${task}]] look around` },
});
const wait: Tool = { name: "wait_agent", input: { timeout_ms: 600_000 } };
const SCRIPT: Script = {
  prompts: {
    "*": [{ text: "I see." }],
    delegate: [{ text: "I delegate.", tools: [spawn("look")] }, { tools: [wait] }, { text: "It is done." }],
    own: [{ tools: [shell("touch own.txt")] }, { text: "Touched." }],
    leave: [{ tools: [spawn("look")] }, { text: "It works." }],
    nest: [{ tools: [spawn("outer")] }, { tools: [wait] }, { text: "It is done." }],
    outer: [{ tools: [spawn("look")] }, { tools: [wait] }, { text: "Outer is done." }],
    look: [{ text: "I touch.", tools: [shell("touch sub.txt")] }, { text: "Touched." }],
  },
};

describe("sub-agents of the real Codex", { skip, timeout: GROUP_MS }, () => {
  const open = (t: Parameters<typeof Stage.open>[0]) => Stage.open(t, program, { script: SCRIPT });

  test("a sub-agent is a session of its own, whose asks show their command and are answered through the one it works for", async (t) => {
    const stage = await open(t);
    const id = await stage.session({ mode: "ask", model: MODEL });
    const running = stage.api.ask(id, "[[delegate]]");
    const [ask] = await stage.asks(id);
    assert.ok(ask?.kind === "permission");
    assert.notEqual(ask.session, id);
    assert.equal(ask.request.command, "touch sub.txt");
    const client = new OpencodeClient(stage.api.url);
    const query = `?directory=${encodeURIComponent(stage.directory)}`;
    const [shown] = await client.expect<PermissionRequest[]>(200, "GET", `/permission${query}`);
    assert.deepEqual([shown?.sessionID, shown?.tool?.callID], [ask.session, ask.request.call]);
    await stage.answer(id, ask.id, { outcome: "once" });
    assert.equal((await running).text, "It is done.");
    assert.ok(existsSync(join(stage.directory, "sub.txt")));
    const child = await stage.api.session(ask.session);
    assert.deepEqual([child.parent, child.title], [id, "look"]);
    const said = completed(await stage.api.events(ask.session), "message").map((item) => item.text);
    assert.deepEqual(said, ["I touch.", "Touched."]);
    const call = completed(await stage.api.events(id), "tool_call")[0];
    assert.deepEqual([call?.name, call?.status, call?.child], ["spawn_agent", "completed", child.id]);
    await stage.close(2);
  });

  test("a sub-agent of a sub-agent: its ask reaches the top", long, async (t) => {
    const stage = await open(t);
    const id = await stage.session({ mode: "ask", model: MODEL });
    const running = stage.api.ask(id, "[[nest]]");
    const [ask] = await stage.asks(id);
    const inner = await stage.api.session(ask?.session ?? "");
    assert.equal((await stage.api.session(inner.parent ?? "")).parent, id);
    await stage.answer(id, ask?.id ?? "", { outcome: "once" });
    assert.equal((await running).text, "It is done.");
    await stage.close(3);
  });

  test("a sub-agent goes on after its session's turn; a cancel of the idle session ends it and its ask", async (t) => {
    const stage = await open(t);
    const id = await stage.session({ mode: "ask", model: MODEL });
    assert.equal((await stage.api.ask(id, "[[leave]]")).text, "It works.");
    const [call] = completed(await stage.api.events(id), "tool_call");
    assert.deepEqual([call?.status, call?.background], ["completed", true]);
    const [ask] = await stage.asks(id);
    assert.ok(ask);
    await stage.api.expect(200, "POST", `/v1/sessions/${id}/cancel`, {});
    const end = await stage.nth("turn.ended", 1, (event) => event.session === ask.session);
    assert.equal(end.data.reason, "cancelled");
    assert.equal(of(await stage.api.events(ask.session), "permission.resolved").at(-1)?.data.outcome, "cancelled");
    assert.equal(existsSync(join(stage.directory, "sub.txt")), false);
    await stage.close(2);
  });

  test("an always and a denial of the session hold for its sub-agents", long, async (t) => {
    const stage = await open(t);
    const deny = [{ action: "bash", pattern: "touch *", verdict: "deny" }];
    const id = await stage.session({ mode: "full-access", model: MODEL, permissions: deny });
    assert.equal((await stage.api.ask(id, "[[delegate]]")).text, "It is done.");
    assert.equal(existsSync(join(stage.directory, "sub.txt")), false);
    const other = await stage.session({ mode: "ask", model: MODEL });
    const running = stage.api.ask(other, "[[own]]");
    const [ask] = await stage.asks(other);
    await stage.answer(other, ask?.id ?? "", { outcome: "always" });
    await running;
    assert.equal((await stage.api.ask(other, "[[delegate]]")).text, "It is done.");
    assert.ok(existsSync(join(stage.directory, "sub.txt")), "its sub-agent was not asked about");
    await stage.close(5);
  });
});
