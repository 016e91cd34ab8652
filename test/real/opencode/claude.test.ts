import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Room } from "../../agents/claude/room.ts";
import { startTui } from "../../support/opencode/clients.ts";
import { attachTui, untilChosen } from "../../support/opencode/driven-tui.ts";
import { Surroundings } from "../../support/opencode/surroundings.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, long, PATIENCE_MS } from "../../support/time.ts";

const opencode = await realAgent("opencode");
const claude = await realAgent("claude");
const skip = opencode.skip || claude.skip;

describe("OpenCode's terminal interface with Claude Code", { skip, timeout: GROUP_MS }, () => {
  test("a plan is left for edits, and the Plan that is still chosen is in force for the next prompt", async (t) => {
    const { stage } = await Room.open(t, claude.program ?? "", "default");
    const surroundings = new Surroundings();
    t.after(() => surroundings[Symbol.dispose]());
    const tui = startTui({
      program: opencode.program ?? "",
      surroundings,
      url: stage.api.url,
      directory: stage.directory,
      cols: 110,
      rows: 44,
    });
    t.after(() => tui.close());
    const prompt = async (text: string): Promise<void> => {
      tui.type(text);
      await tui.waitFor(text);
      tui.press("enter");
    };
    await tui.waitFor("Ask anything", PATIENCE_MS);
    await tui.waitFor("Build");
    tui.press("tab");
    await tui.waitFor("Plan");
    await prompt("[[plan]] first");
    await tui.waitFor("Approve and accept edits", PATIENCE_MS);
    tui.press("down");
    tui.press("enter");
    await tui.waitFor("Done.", PATIENCE_MS);
    const { session } = await stage.nth("turn.ended", 1);
    const written = async (): Promise<string[]> =>
      (await stage.api.events(session)).flatMap((event) =>
        event.type === "item.completed" && event.data.item.kind === "tool_result"
          ? (event.data.item.files ?? []).map(({ path }) => path)
          : [],
      );
    assert.deepEqual(await written(), ["planned.txt"]);
    assert.equal((await stage.api.session(session)).mode, "acceptEdits");
    await tui.waitFor("Plan");
    await prompt("[[write]] second");
    await tui.waitFor("Permission required", PATIENCE_MS);
    assert.equal((await stage.api.session(session)).mode, "plan");
    assert.deepEqual(await written(), ["planned.txt"], "nothing is written unasked");
    await stage.api.cancel(session);
    await stage.nth("turn.ended", 2);
  });

  test("a slash command of the program's own is answered", long, async (t) => {
    const { stage } = await Room.open(t, claude.program ?? "", "default");
    const { directory, api } = stage;
    await untilChosen(api.url, "claude");
    const tui = await attachTui(t, { program: opencode.program ?? "", url: api.url, directory, rows: 60 });
    tui.type("/context");
    await tui.waitFor(/\/context +Show current context usage/);
    tui.press("enter");
    await tui.waitUntilGone("Show current context usage");
    tui.press("enter");
    await tui.waitFor("Free space");
    await tui.idle();
    await tui.close();
  });
});
