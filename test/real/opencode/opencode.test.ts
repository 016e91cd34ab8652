import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Stage } from "../../agents/opencode/stage.ts";
import { bash, edit, question, task, todos } from "../../agents/opencode/tools.ts";
import { attachTui, untilChosen } from "../../support/opencode/driven-tui.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS } from "../../support/time.ts";

const { program = "", skip } = await realAgent("opencode");

const SCRIPT = {
  prompts: {
    "*": [{ text: "Heard {{prompt}}." }],
    touch: [{ tools: [bash("touch made.txt")] }, { text: "Touched it." }],
    edit: [{ tools: [edit("README.md", "hello", "hello\nadded")] }, { text: "Changed it." }],
    ask: [
      { tools: [question("Which colour?", "Red", "Blue")] },
      { text: "You chose: {{last_tool_result /Red|Blue/}}" },
    ],
    slow: [{ text: ["A first word ", { text: "and the rest.", hold: "gate" }] }],
    plan: [{ tools: [todos(["Look around", "in_progress"])] }, { text: "Planned it." }],
    delegate: [{ tools: [task("Child work", "[[child]] go")] }, { text: "It came back." }],
    child: [{ text: "Child is here." }],
    broken: [{ fail: { status: 400, message: "No such thing." } }],
  },
};

/** The program asks before commands and edits. */
const config = { permission: { bash: "ask", edit: "ask" } };

describe("OpenCode's terminal interface with OpenCode", { skip, timeout: GROUP_MS }, () => {
  test("permissions, a stop, a question, a plan, a sub-agent and an error; each turn busy once and idle once", async (t) => {
    const stage = await Stage.open(t, program, { script: SCRIPT, config });
    const { directory, api } = stage;
    await untilChosen(api.url, "opencode");
    const tui = await attachTui(t, { program, url: api.url, directory });
    await tui.waitFor("OpenCode");
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
    await stage.nth("turn.ended", 3);

    await tui.send("[[ask]] me");
    await tui.waitFor(/1\. Red[\s\S]*2\. Blue/);
    tui.press("down", "enter");
    await tui.waitFor("You chose: Blue");
    await tui.idle();

    await tui.send("[[plan]] it");
    await tui.waitFor(/Look around[\s\S]*Planned it\./);
    await tui.idle();

    await tui.send("[[delegate]] it");
    await tui.waitFor(/Child work[\s\S]*It came back\./);
    await tui.idle();

    await tui.send("[[broken]] it");
    await tui.waitFor("No such thing.");
    await tui.idle();
    await tui.close();
    // Seven prompts, and the sub-agent's turn.
    await stage.close(8);
  });

  test("a mode and a variant are chosen, a message is taken back, and the model is sent what the screen shows", async (t) => {
    const stage = await Stage.open(t, program, { script: SCRIPT });
    const { directory, api } = stage;
    await untilChosen(api.url, "opencode");
    const tui = await attachTui(t, { program, url: api.url, directory });
    await tui.waitFor("OpenCode");
    tui.press("tab");
    await tui.waitFor("Plan");
    tui.press("ctrl+t");
    await tui.waitFor(/· (?:high|low)/);
    await tui.send("apple");
    await tui.waitFor("Heard apple.");
    await tui.idle();
    assert.match(stage.calls().at(-1)?.reasoning_effort ?? "", /^(?:high|low)$/);
    const { session } = await stage.nth("turn.ended", 1);
    assert.equal((await api.session(session)).mode, "plan");
    await tui.send("banana");
    await tui.waitFor("Heard banana.");
    await stage.nth("turn.ended", 2);
    await tui.send("/undo");
    await tui.waitUntilGone("Heard banana.");
    tui.press("ctrl+u");
    await tui.send("cherry");
    await tui.waitFor("Heard cherry.");
    assert.deepEqual(stage.remembered(), ["apple", "Heard apple.", "cherry"]);
    await stage.nth("turn.ended", 3);
    await tui.close();
    await stage.close(3);
  });
});
