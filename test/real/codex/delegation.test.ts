import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Script } from "../../../src/testing/model/script.ts";
import { completed, of, Stage } from "../../agents/codex/stage.ts";
import { run, until } from "../../agents/codex/tools.ts";
import { eventually } from "../../support/eventually.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, long } from "../../support/time.ts";

const { program = "", skip } = await realAgent("codex");

const spawn = (message: string, task_name: string) => ({ name: "spawn_agent", input: { message, task_name } });
const wait = { tools: [{ name: "wait_agent", input: { timeout_ms: 60_000 } }] };
const SCRIPT: Script = {
  prompts: {
    "*": [{ text: "You said: {{prompt}}" }],
    wait: [{ text: "I delegate.", tools: [spawn("[[sub]] look", "look")] }, wait, { text: "It is done." }],
    sub: [{ text: "I touch.", tools: [run("touch sub.txt")] }, { text: "Touched." }],
    go: [{ tools: [spawn("[[slow]] look", "slow")] }, { text: "It works." }],
    slow: [{ tools: [run(until("go"))] }, { text: "Slowly done." }],
  },
};
/** The model with plain tools has sub-agents when it is told to. */
const config = { "features.multi_agent_v2": true };

const childOf = (stage: Stage, session: string): Promise<string> =>
  stage.stream
    .event(({ type, session: one }) => type === "turn.started" && one !== session, "a turn of a sub-agent")
    .then((event) => event.session);

describe("work that the real Codex delegates", { skip, timeout: GROUP_MS }, () => {
  test("the default model has them in code mode: a session of its own, and a call that ends with it", async (t) => {
    const stage = await Stage.open(t, program, { script: SCRIPT });
    const id = await stage.session({ model: "gpt-6.1-sol", mode: "full-access" });
    assert.equal((await stage.api.ask(id, "[[wait]]")).text, "It is done.");
    assert.ok(existsSync(join(stage.directory, "sub.txt")));
    const child = await stage.api.session(await childOf(stage, id));
    assert.deepEqual([child.parent, child.title], [id, "look"]);
    const said = completed(await stage.api.events(child.id), "message").map((item) => item.text);
    assert.deepEqual(said.slice(-2), ["I touch.", "Touched."]);
    const events = await stage.api.events(id);
    const [call, waited] = completed(events, "tool_call");
    assert.deepEqual([call?.name, call?.status, call?.child], ["spawn_agent", "completed", child.id]);
    assert.deepEqual([waited?.name, waited?.status], ["wait_agent", "completed"]);
    assert.deepEqual(
      of(events, "step.ended").map(({ data }) => data.finish),
      ["tool_calls", "tool_calls", "stop"],
    );
    await stage.close(2);
  });

  test("a sub-agent works on after the turn of the session, and its end is a note", async (t) => {
    const stage = await Stage.open(t, program, { script: SCRIPT, config });
    const id = await stage.session({ mode: "full-access" });
    assert.equal((await stage.api.ask(id, "[[go]]")).text, "It works.");
    const child = await childOf(stage, id);
    await eventually("the command runs", () => existsSync(join(stage.directory, "started")));
    assert.equal((await stage.api.session(id)).turn, null);
    assert.equal((await stage.api.ask(id, "meanwhile")).text, "You said: meanwhile");
    writeFileSync(join(stage.directory, "go"), "");
    const ended = await stage.nth("turn.ended", 1, ({ session }) => session === child);
    assert.equal(ended.data.reason, "end_turn");
    const note = await stage.nth("session.note", 1, ({ session }) => session === id);
    assert.deepEqual([note.data.done, note.data.text], [true, "Slowly done."]);
    await stage.close(3);
  });

  test("a cancel ends a sub-agent and its command with the turn it works for", long, async (t) => {
    const prompts = {
      ...SCRIPT.prompts,
      both: [{ tools: [spawn("[[slow]] look", "slow")] }, wait, { text: "Never." }],
    };
    const stage = await Stage.open(t, program, { script: { prompts }, config });
    const id = await stage.session({ mode: "full-access" });
    const running = stage.api.ask(id, "[[both]]");
    const child = await childOf(stage, id);
    await stage.nth("item.started", 1, ({ session, data }) => session === child && data.item.kind === "tool_call");
    await eventually("the command runs", () => existsSync(join(stage.directory, "started")));
    await stage.api.cancel(id);
    assert.equal((await running).reason, "cancelled");
    const ended = await stage.nth("turn.ended", 1, ({ session }) => session === child);
    assert.equal(ended.data.reason, "cancelled");
    await eventually("the shell is gone", () => stage.processes().length === 1);
    assert.equal((await stage.api.ask(id, "hello")).text, "You said: hello");
    await stage.close(3);
  });
});
