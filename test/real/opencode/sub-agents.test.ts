import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Script } from "../../../src/testing/model/script.ts";
import { Stage } from "../../agents/claude/stage.ts";
import { eventually } from "../../support/eventually.ts";
import { startCuttingProxy } from "../../support/opencode/cutting-proxy.ts";
import { attachTui, untilChosen } from "../../support/opencode/driven-tui.ts";
import { realAgent } from "../../support/real-agent.ts";
import { startServer } from "../../support/server.ts";
import { GROUP_MS, long } from "../../support/time.ts";

const opencode = await realAgent("opencode");
const claude = await realAgent("claude");
const program = opencode.program ?? "";

const task = {
  description: "Touch files",
  prompt: "[[sub]] look",
  subagent_type: "general-purpose",
  run_in_background: false,
};
const touch = (name: string) => ({ name: "Bash", input: { command: `touch ${name}.txt`, description: "Touches" } });
const SCRIPT: Script = {
  prompts: {
    main: [{ text: "I delegate.", tools: [{ name: "Agent", input: task }] }, { text: "All is done." }],
    sub: [
      { tools: [touch("once")] },
      { tools: [touch("always")] },
      { tools: [touch("granted")] },
      { tools: [{ name: "Bash", input: { command: "mkdir refused", description: "Makes" } }] },
      { text: "Touched." },
    ],
  },
};

describe("a sub-agent that asks, in OpenCode's terminal interface", { skip: opencode.skip, timeout: GROUP_MS }, () => {
  const withClaude = { skip: claude.skip };
  test("of Claude Code: allowed once, always, and refused with words; then the turn ends", withClaude, async (t) => {
    const stage = await Stage.open(t, claude.program ?? "", { script: SCRIPT });
    const { directory, api } = stage;
    await untilChosen(api.url, "claude");
    const tui = await attachTui(t, { program, url: api.url, directory });
    await tui.send("[[main]] go");
    await tui.waitFor(/Permission required[\s\S]*\$ touch once\.txt/);
    tui.press("enter");
    await tui.waitFor(/Permission required[\s\S]*\$ touch always\.txt/);
    tui.press("right", "enter");
    await tui.waitFor(/Always allow[\s\S]*- touch \*/);
    tui.press("enter");
    await tui.waitFor(/Permission required[\s\S]*\$ mkdir refused/);
    tui.press("right", "right", "enter");
    await tui.waitFor("Reject permission");
    await tui.send("no directories please");
    // The newest version goes on beside its sub-agent, the older one waits for it.
    await stage.nth("turn.ended", 1, ({ root }) => root !== undefined);
    await tui.waitFor("All is done.");
    assert.doesNotMatch(await tui.idle(), /Permission required/);
    const made = ["once.txt", "always.txt", "granted.txt", "refused"].map((name) => existsSync(join(directory, name)));
    assert.deepEqual(made, [true, true, true, false]);
    assert.match(JSON.stringify(stage.calls().map(({ messages }) => messages)), /no directories please/);
    await tui.close();
  });

  test(
    "of a sub-agent: shown when the interface comes late, and when it was away; an undo that is refused says why",
    long,
    async (t) => {
      const { api, parley, directory } = await startServer(t);
      const proxy = await startCuttingProxy(parley.url);
      t.after(() => proxy[Symbol.asyncDispose]());
      const { id } = await api.create({ directory });
      const ask = async (): Promise<void> => {
        await api.prompt(id, "[[subagent deep ask]]");
        await eventually("the sub-agent's sub-agent asks", async () => (await api.asks(id)).length === 1);
      };
      await ask();
      const shows = /Permission required[\s\S]*\$ true/;
      const tui = await attachTui(t, { program, url: proxy.url, directory, args: ["-s", id], shows });
      tui.press("enter");
      await tui.waitFor("My helper is done.");
      await tui.idle();
      const before = proxy.seen("GET /global/event");
      proxy.refuse(true);
      proxy.cut();
      await ask();
      proxy.refuse(false);
      await proxy.until("GET /global/event", before + 1);
      await tui.waitFor(shows);
      tui.press("enter");
      await tui.waitFor(/My helper is done[\s\S]*My helper is done/);
      assert.doesNotMatch(await tui.idle(), /Permission required/);
      await tui.send("/undo");
      await tui.waitFor("agent scripted cannot take back a message");
      await tui.close();
    },
  );
});
