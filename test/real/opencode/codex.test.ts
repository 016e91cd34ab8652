import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Stage } from "../../agents/codex/stage.ts";
import { addLine, question, questions, run } from "../../agents/codex/tools.ts";
import { attachTui, untilChosen } from "../../support/opencode/driven-tui.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, long } from "../../support/time.ts";

const opencode = await realAgent("opencode");
const codex = await realAgent("codex");
const skip = opencode.skip || codex.skip;

const SCRIPT = {
  prompts: {
    "*": [{ text: "Heard {{prompt}}." }],
    touch: [{ tools: [run("touch made.txt")] }, { text: "Touched it." }],
    edit: [{ tools: [addLine("README.md", "hello", "added")] }, { text: "Changed it." }],
    ask: [
      { tools: [questions(question("colour", "Which colour?", "Red", "Blue"))] },
      { text: "You chose: {{last_tool_result /Red|Blue/}}" },
    ],
    slow: [{ text: ["A first word ", { text: "and the rest.", hold: "gate" }] }],
  },
};

describe("OpenCode's terminal interface with Codex", { skip, timeout: GROUP_MS }, () => {
  test("permissions, a question in plan mode, a stop, and each turn busy once and idle once", async (t) => {
    const stage = await Stage.open(t, codex.program ?? "", { script: SCRIPT });
    const { directory, api } = stage;
    await untilChosen(api.url, "codex");
    const tui = await attachTui(t, { program: opencode.program ?? "", url: api.url, directory });
    await tui.waitFor("Codex");
    await tui.send("[[touch]] once");
    await tui.waitFor(/Permission required[\s\S]*touch made\.txt/);
    tui.press("enter");
    await tui.waitFor("Touched it.");
    await tui.idle();
    assert.ok(existsSync(join(directory, "made.txt")));

    await tui.send("[[edit]] this");
    await tui.waitFor(/Permission required[\s\S]*README\.md/);
    await tui.waitFor(/\+\s*added/);
    tui.press("enter");
    await tui.waitFor("Changed it.");
    await tui.idle();

    await tui.send("[[slow]] now");
    await tui.waitFor("A first word");
    tui.press("escape");
    await tui.waitFor("again to interrupt");
    tui.press("escape");
    await tui.idle();
    const { session } = await stage.nth("turn.ended", 3);

    tui.press("tab");
    await tui.waitFor("Plan");
    await tui.send("[[ask]] me");
    await tui.waitFor(/1\. Red[\s\S]*2\. Blue/);
    tui.press("down", "enter");
    await tui.waitFor("You chose: Blue");
    await tui.idle();
    assert.equal((await api.session(session)).mode, "plan");
    await tui.close();
    await stage.close(4);
  });

  test("a message is taken back, an effort is chosen, and the model is sent what the screen shows", long, async (t) => {
    const stage = await Stage.open(t, codex.program ?? "", { script: SCRIPT });
    const { directory, api } = stage;
    await untilChosen(api.url, "codex");
    const tui = await attachTui(t, { program: opencode.program ?? "", url: api.url, directory });
    await tui.waitFor("Codex");
    tui.press("ctrl+t");
    await tui.waitFor(/· low/);
    await tui.send("apple");
    await tui.waitFor("Heard apple.");
    await tui.send("banana");
    await tui.waitFor("Heard banana.");
    await stage.nth("turn.ended", 2);
    await tui.send("/undo");
    await tui.waitUntilGone("Heard banana.");
    tui.press("ctrl+u");
    await tui.send("cherry");
    await tui.waitFor("Heard cherry.");
    assert.deepEqual(stage.remembered(), ["apple", "Heard apple.", "cherry"]);
    assert.equal(stage.calls().at(-1)?.reasoning?.effort, "low");
    await stage.nth("turn.ended", 3);
    await tui.close();
    await stage.close(3);
  });
});
