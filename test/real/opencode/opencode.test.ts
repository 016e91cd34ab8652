import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { sharedStage } from "../../agents/opencode/shared-stage.ts";
import { CONFIG, PROJECT, SCRIPT } from "../../support/opencode/agent-script.ts";
import { startCuttingProxy } from "../../support/opencode/cutting-proxy.ts";
import { attachTui, untilChosen } from "../../support/opencode/driven-tui.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, long } from "../../support/time.ts";

const { program = "", skip } = await realAgent("opencode");

const ASKED = "Permission required";

describe("OpenCode's terminal interface with OpenCode behind Parley", { skip, timeout: GROUP_MS }, () => {
  const stage = sharedStage(program, {
    script: SCRIPT,
    config: CONFIG,
    server: { trust: { file: "/nonexistent/trusted", configured: ["/"] } },
  });

  test("a streamed answer, calls that are asked for, a diff, a question, and a stop", async (t) => {
    const { api, model } = stage();
    const directory = stage().project("calls");
    await untilChosen(api.url, "opencode");
    const tui = await attachTui(t, { program, url: api.url, directory });
    await tui.waitFor("Fake Model");
    await tui.send("[[stream]] it");
    await tui.waitFor("A first word");
    model.release("stream");
    await tui.waitFor("A first word and the rest.");
    await tui.idle();

    await tui.send("[[touch]] once");
    await tui.waitFor(/Permission required[\s\S]*\$ touch made\.txt/);
    tui.press("enter");
    await tui.waitFor("Touched it.");
    await tui.idle();
    assert.ok(existsSync(join(directory, "made.txt")));

    await tui.send("[[edit]] this");
    await tui.waitFor(/Permission required[\s\S]*Edit README\.md[\s\S]*\+ added/);
    tui.press("enter");
    await tui.waitFor(/Read README\.md[\s\S]*Edit README\.md[\s\S]*\+ added[\s\S]*Changed\./);
    await tui.idle();

    await tui.send("[[question]] me");
    await tui.waitFor(/1\. Red[\s\S]*2\. Blue/);
    tui.press("down", "enter");
    await tui.waitFor("You chose: Blue");
    await tui.idle();

    await tui.send("[[stop]] this");
    await tui.waitFor("A stopped word");
    tui.press("escape");
    await tui.waitFor("again to interrupt");
    tui.press("escape");
    await tui.waitFor(/A stopped word[\s\S]*interrupted/);
    await tui.idle();
    await stage().nth("turn.ended", 5);
    await tui.close();
  });

  test("live output, an always, a refusal, and a stop in the middle of a command", long, async (t) => {
    const { api } = stage();
    const directory = stage().project("commands");
    await untilChosen(api.url, "opencode");
    const tui = await attachTui(t, { program, url: api.url, directory });
    await tui.waitFor("Fake Model");
    await tui.send("[[live]] one");
    await tui.waitFor(ASKED);
    tui.press("enter");
    await tui.waitFor(/^ *┃ +begun$/m);
    writeFileSync(join(directory, "go.txt"), "");
    await tui.waitFor("It is over.");
    await tui.idle();

    await tui.send("[[twice]] always");
    await tui.waitFor(/Permission required[\s\S]*\$ echo one/);
    tui.press("right", "enter");
    await tui.waitFor(/Always allow[\s\S]*- echo \*/);
    tui.press("enter");
    await tui.waitFor("Both ran.");
    await tui.idle();

    await tui.send("[[fails]] refused");
    await tui.waitFor(/Permission required[\s\S]*\$ stat nowhere/);
    tui.press("right", "right", "enter");
    await tui.waitUntilGone(ASKED);
    assert.doesNotMatch(await tui.idle(), /It failed\./, "a refusal without words ends the turn");

    await tui.send("[[long]] stop");
    await tui.waitFor(/Permission required[\s\S]*never\.txt/);
    tui.press("enter");
    await tui.waitUntilGone(ASKED);
    await tui.waitFor(/never\.txt[\s\S]*begun[\s\S]*esc interrupt/);
    tui.press("escape");
    await tui.waitFor("again to interrupt");
    tui.press("escape");
    await tui.idle();
    await stage().nth("turn.ended", 9);
    await tui.close();
  });

  test(
    "a sub-agent that asks, a list of work, an error once, two prompts at once, plans, variants, commands, undo, and a summary",
    long,
    async (t) => {
      const { api, model } = stage();
      const directory = stage().project("more", PROJECT);
      const tui = await attachTui(t, { program, url: api.url, directory, rows: 60 });
      await tui.waitFor("Fake Model");
      tui.type("@gene");
      await tui.waitFor("@general");
      for (const _ of "@gene") tui.type("\u007f");
      await tui.waitFor("Ask anything");
      await tui.send("[[main]] go");
      await tui.waitFor(/Permission required[\s\S]*\$ mkdir looked/);
      tui.press("right", "right", "enter");
      await tui.waitFor("Reject permission");
      await tui.send("no directories please");
      await tui.waitFor(/General Task[\s\S]*Look around[\s\S]*All is done\./);
      assert.equal(existsSync(join(directory, "looked")), false);
      assert.match(
        JSON.stringify(
          stage()
            .calls()
            .map(({ messages }) => messages),
        ),
        /no directories please/,
      );
      await tui.idle();

      await tui.send("[[todo]] list");
      await tui.waitFor(/\[•\] First thing[\s\S]*\[ \] Second thing[\s\S]*Listed\./);
      await tui.idle();
      await tui.send("[[broken]] now");
      await tui.waitFor("No such thing.");
      await tui.idle();
      // A toast tells it, too, as native does, and goes.
      await tui.waitFor(/^(?![\s\S]*No such thing\.[\s\S]*No such thing\.)[\s\S]*No such thing\./);

      await tui.send("[[busy]] first");
      await tui.waitFor("Busy now");
      await tui.send("the second one");
      await tui.waitFor("QUEUED");
      model.release("busy");
      await tui.waitFor(/Busy now and no more\.[\s\S]*You said: the second one/);
      await tui.idle();

      tui.press("tab");
      await tui.waitFor("Plan · Fake Model");
      tui.press("ctrl+t");
      await tui.waitFor(/· low/);
      await tui.send("in plan");
      await tui.waitFor("You said: in plan");
      await tui.idle();
      const { session } = await stage().nth("turn.ended", 1, ({ data }) => data.reason === "error");
      const { mode, options } = await api.session(session);
      assert.deepEqual([mode, options], ["plan", { effort: "low" }]);
      assert.equal(stage().calls().at(-1)?.reasoning_effort, "low");
      tui.press("tab");
      await tui.waitFor("Reviewer · Fake Model");
      tui.press("tab");
      await tui.waitFor("Build · Fake Model");

      tui.type("/greet");
      await tui.waitFor(/\/greet +Greets somebody/);
      tui.press("enter");
      await tui.waitUntilGone("Greets somebody");
      await tui.send("everybody");
      await tui.waitFor("You said: Greet everybody");
      await tui.idle();

      await tui.send("[[write]] it");
      await tui.waitFor(/Permission required[\s\S]*new\.txt/);
      tui.press("enter");
      await tui.waitFor("Written.");
      await tui.idle();
      assert.equal(readFileSync(join(directory, "new.txt"), "utf8"), "one\ntwo\n");
      await tui.send("/undo");
      await tui.waitUntilGone("Written.");
      await tui.waitFor(/1 message reverted[\s\S]*┃ +new\.txt \+2/);
      assert.equal(existsSync(join(directory, "new.txt")), false, "the file is gone with the turn");
      tui.press("ctrl+u");
      tui.type("/redo");
      await tui.waitFor(/\/redo +Redo/);
      tui.press("enter");
      await tui.waitFor("Written.");
      assert.equal(existsSync(join(directory, "new.txt")), true);

      await tui.send("/compact");
      await tui.waitFor("Compaction");
      await tui.idle();
      await tui.send("afterwards");
      await tui.waitFor("You said: afterwards");
      await tui.idle();
      await tui.close();
    },
  );

  test(
    "a session of OpenCode's own is taken over with its past, and an interface that was away shows all of it",
    long,
    async (t) => {
      const { api, model } = stage();
      const directory = stage().project("own");
      const first = (await api.create({ directory })).id;
      await api.ask(first, "long ago");
      const { nativeId } = await api.session(first);
      await api.expect(204, "DELETE", `/v1/sessions/${first}`);
      const query = `?directory=${encodeURIComponent(directory)}`;
      const own = await api.expect<{ sessions: { id: string }[] }>(200, "GET", `/v1/agents/opencode/sessions${query}`);
      assert.deepEqual(
        own.sessions.map(({ id }) => id),
        [nativeId],
      );
      const { id } = await api.create({ directory, resume: nativeId });
      const proxy = await startCuttingProxy(api.url);
      t.after(() => proxy[Symbol.asyncDispose]());
      const shows = /long ago[\s\S]*You said: long ago/;
      const tui = await attachTui(t, { program, url: proxy.url, directory, args: ["-s", id], shows });
      await tui.send("[[cut]] this");
      await tui.waitFor("Before the cut");
      const before = proxy.seen("GET /global/event");
      proxy.refuse(true);
      proxy.cut();
      model.release("cut");
      await stage().nth("turn.ended", 1, ({ session }) => session === id);
      proxy.refuse(false);
      await proxy.until("GET /global/event", before + 1);
      await tui.waitFor("Before the cut and after it.");
      await tui.idle();
      await tui.send("and on");
      await tui.waitFor("You said: and on");
      await tui.idle();
      await tui.close();
    },
  );
});
