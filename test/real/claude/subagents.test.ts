import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { PermissionRequest } from "../../../src/surfaces/opencode/shapes/ask.ts";
import type { Script } from "../../../src/testing/model/script.ts";
import { completed, of, Stage } from "../../agents/claude/stage.ts";
import { OpencodeClient } from "../../support/opencode.ts";
import { realAgent, versionVariable } from "../../support/real-agent.ts";
import { GROUP_MS, long, staysSo } from "../../support/time.ts";

const { program = "", skip } = await realAgent("claude");
const isOlder = process.env[versionVariable("claude")] !== undefined;

const bash = (command: string) => ({ name: "Bash", input: { command, description: command } });
/** A sub-agent that the session's own agent waits for, or does not. Newer versions do not wait unless they are told to. */
const agent = (background: boolean) => ({
  name: "Agent",
  input: {
    description: "Look",
    prompt: "[[sub]] look",
    subagent_type: "general-purpose",
    run_in_background: background,
  },
});
const SCRIPT: Script = {
  prompts: {
    "*": [{ text: "I see." }],
    here: [{ text: "Here." }],
    touch: [{ tools: [bash("touch own.txt")] }, { text: "Touched." }],
    wait: [{ text: "I delegate.", tools: [agent(false)] }, { text: "It is done." }],
    go: [{ text: "I delegate.", tools: [agent(true)] }, { text: "It works." }, { text: "I see." }],
    sub: [{ text: "I touch.", tools: [bash("touch sub.txt")] }, { text: "Touched." }],
  },
};

describe("sub-agents of the real Claude Code", { skip, timeout: GROUP_MS }, () => {
  const open = (t: Parameters<typeof Stage.open>[0]) => Stage.open(t, program, { script: SCRIPT });

  test("a sub-agent is a session of its own, whose asks are answered through the one it works for", async (t) => {
    const stage = await open(t);
    const id = await stage.session();
    const running = stage.api.ask(id, "[[wait]]");
    const [ask] = await stage.asks(id);
    assert.ok(ask);
    assert.notEqual(ask.session, id);
    await stage.answer(id, ask.id, { outcome: "once" });
    assert.equal((await running).text, "It is done.");
    assert.ok(existsSync(join(stage.directory, "sub.txt")));
    const child = await stage.api.session(ask.session);
    assert.deepEqual([child.parent, child.title, child.agent], [id, "Look", "general-purpose"]);
    const said = completed(await stage.api.events(ask.session), "message").map((item) => item.text);
    assert.deepEqual(said, ["[[sub]] look", "I touch.", "Touched."]);
    const call = completed(await stage.api.events(id), "tool_call")[0];
    assert.equal((call?.metadata as { task?: string } | undefined)?.task, child.nativeId);
    assert.equal(call?.child, child.id);
    await stage.close(2);
  });

  test("an ask of a sub-agent shows its command and belongs to its call, for OpenCode's clients, too", async (t) => {
    const stage = await open(t);
    const id = await stage.session();
    const running = stage.api.ask(id, "[[wait]]");
    const [ask] = await stage.asks(id);
    assert.ok(ask?.kind === "permission" && ask.request.command === "touch sub.txt");
    const events = await stage.api.events(ask.session);
    const asked = events.findIndex(({ type }) => type === "permission.requested");
    const before = of(events.slice(0, asked), "item.started").map(({ data }) => data.item);
    const call = before.find((item) => item.kind === "tool_call" && item.call === ask.request.call);
    assert.ok(call?.kind === "tool_call", "the call is told before the ask");
    assert.deepEqual([call.name, (call.input as { command?: string }).command], ["Bash", "touch sub.txt"]);
    const client = new OpencodeClient(stage.api.url);
    const query = `?directory=${encodeURIComponent(stage.directory)}`;
    const [shown] = await client.expect<PermissionRequest[]>(200, "GET", `/permission${query}`);
    assert.deepEqual([shown?.sessionID, shown?.tool?.callID], [ask.session, ask.request.call]);
    assert.equal(shown?.metadata.command, "touch sub.txt");
    await stage.answer(id, ask.id, { outcome: "once" });
    await running;
    await stage.close(2);
  });

  test("a cancel ends a sub-agent that asks, with the turn it works for", long, async (t) => {
    const stage = await open(t);
    const id = await stage.session();
    const running = stage.api.ask(id, "[[wait]]");
    await stage.asks(id);
    await stage.api.cancel(id);
    assert.equal((await running).reason, "cancelled");
    assert.deepEqual(await stage.api.asks(id), []);
    assert.equal((await stage.api.ask(id, "[[here]]")).text, "Here.");
    assert.equal(existsSync(join(stage.directory, "sub.txt")), false);
    await stage.close(3);
  });

  test("a sub-agent in the background works and asks while the session is idle; its end is a turn of the agent's own", async (t) => {
    const stage = await open(t);
    const id = await stage.session();
    assert.equal((await stage.api.ask(id, "[[go]]")).text, "It works.");
    const [ask] = await stage.asks(id);
    assert.ok(ask);
    assert.equal((await stage.api.session(id)).turn, null);
    await stage.answer(id, ask.id, { outcome: "once" });
    await stage.watcher.untilIdle(3);
    assert.ok(existsSync(join(stage.directory, "sub.txt")));
    const events = await stage.api.events(id);
    assert.deepEqual(
      of(events, "turn.started").map(({ data }) => data.by),
      ["user", "agent"],
    );
    assert.deepEqual(of(events, "agent.unparsed"), [], "every line was read");
    const [call] = completed(events, "tool_call");
    assert.deepEqual([call?.name, call?.status, call?.child], ["Agent", "completed", ask.session]);
    assert.doesNotMatch(JSON.stringify(events), /Async agent launched/, "words for the model alone");
    await stage.close(3);
  });

  test("a cancel of the idle session reaches a sub-agent that asks: it is settled, and nothing comes later", async (t) => {
    const stage = await open(t);
    const id = await stage.session();
    assert.equal((await stage.api.ask(id, "[[go]]")).reason, "end_turn");
    const [ask] = await stage.asks(id);
    const { cancelled } = await stage.api.cancel(id);
    assert.equal(cancelled, true);
    assert.deepEqual(await stage.api.asks(id), []);
    const events = await stage.api.events(ask?.session ?? "");
    assert.deepEqual(
      of(events, "turn.ended").map(({ data }) => data.reason),
      ["cancelled"],
    );
    assert.deepEqual(
      completed(events, "tool_call").map(({ status }) => status),
      ["failed"],
    );
    assert.equal((await stage.api.cancel(id)).cancelled, false, "nobody works any more");
    // An older one may still say a word about the sub-agent that was ended, as a turn of its own.
    if (!isOlder) await staysSo("no turn of the agent's own", () => stage.watcher.busy === 2, 500);
    assert.equal((await stage.api.ask(id, "[[here]]")).text, "Here.");
    assert.equal(existsSync(join(stage.directory, "sub.txt")), false);
    await stage.close(isOlder ? stage.watcher.busy : 3);
  });

  test("an always that was given on the session holds for its sub-agents", long, async (t) => {
    const stage = await open(t);
    const id = await stage.session();
    const first = stage.api.ask(id, "[[touch]]");
    const [ask] = await stage.asks(id);
    await stage.answer(id, ask?.id ?? "", { outcome: "always" });
    await first;
    assert.equal((await stage.api.ask(id, "[[wait]]")).text, "It is done.");
    assert.ok(existsSync(join(stage.directory, "sub.txt")));
    const answers = stage.stream.events.flatMap((event) =>
      event.type === "permission.resolved" ? [event.data.by] : [],
    );
    assert.deepEqual(answers, ["client", "rule"]);
    await stage.close(3);
  });
});
