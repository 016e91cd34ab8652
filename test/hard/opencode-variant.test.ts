import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Stage } from "../agents/claude/stage.ts";
import { startTui } from "../support/opencode/clients.ts";
import { Surroundings } from "../support/opencode/surroundings.ts";
import { realAgent } from "../support/real-agent.ts";
import { GROUP_MS, PATIENCE_MS } from "../support/time.ts";

const opencode = await realAgent("opencode");
const claude = await realAgent("claude");
const skip = opencode.skip || claude.skip;

describe("the variant in OpenCode's terminal interface with Claude Code", { skip, timeout: GROUP_MS }, () => {
  test("keys choose it, the screen shows it, and the model gets it", async (t) => {
    const stage = await Stage.open(t, claude.program ?? "", { script: { prompts: { "*": [{ text: "Fine." }] } } });
    const surroundings = new Surroundings();
    t.after(() => surroundings[Symbol.dispose]());
    const { directory } = stage;
    const tui = startTui({ program: opencode.program ?? "", surroundings, url: stage.api.url, directory, cols: 110 });
    t.after(() => tui.close());
    await tui.waitFor("Ask anything", PATIENCE_MS);
    await tui.waitFor("Claude Code", PATIENCE_MS);
    tui.press("ctrl+t");
    await tui.waitFor(/· low/);
    tui.type("first");
    await tui.waitFor("first");
    tui.press("enter");
    await stage.nth("turn.ended", 1);
    tui.press("ctrl+t");
    await tui.waitFor(/· medium/);
    tui.type("second");
    await tui.waitFor("second");
    tui.press("enter");
    const { session } = await stage.nth("turn.ended", 2);
    const efforts = stage
      .calls()
      .map((call) => (call as { output_config?: { effort?: string } }).output_config?.effort);
    assert.deepEqual(efforts, ["low", "medium"]);
    assert.deepEqual((await stage.api.session(session)).options, { effort: "medium" });
  });
});
