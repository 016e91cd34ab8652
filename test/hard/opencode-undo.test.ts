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

describe("undo in OpenCode's terminal interface with Claude Code", { skip, timeout: GROUP_MS }, () => {
  test("a message is taken back, and the model is sent what the screen shows", async (t) => {
    const script = { prompts: { "*": [{ text: "Heard {{prompt}}." }] } };
    const stage = await Stage.open(t, claude.program ?? "", { script });
    const surroundings = new Surroundings();
    t.after(() => surroundings[Symbol.dispose]());
    const { directory } = stage;
    const tui = startTui({ program: opencode.program ?? "", surroundings, url: stage.api.url, directory, cols: 110 });
    t.after(() => tui.close());
    const prompt = async (text: string): Promise<void> => {
      tui.type(text);
      await tui.waitFor(text);
      tui.press("enter");
      await tui.waitFor(`Heard ${text}.`, PATIENCE_MS);
    };
    await tui.waitFor("Ask anything", PATIENCE_MS);
    await tui.waitFor("Claude Code", PATIENCE_MS);
    await prompt("apple");
    await prompt("banana");
    await stage.nth("turn.ended", 2);
    tui.type("/undo");
    await tui.waitFor("/undo");
    tui.press("enter");
    await tui.waitUntilGone("Heard banana.", PATIENCE_MS);
    tui.press("ctrl+u");
    await prompt("cherry");
    const sent = (): string => JSON.stringify(stage.calls().at(-1)?.messages);
    assert.match(sent(), /Heard apple\..*cherry/);
    assert.doesNotMatch(sent(), /banana/);
  });
});
