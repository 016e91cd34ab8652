import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type ListSessionsResponse, methods } from "@agentclientprotocol/sdk/unstable";
import { remoteStream } from "../../support/acp/remote.ts";
import { SdkClient } from "../../support/acp/sdk-client.ts";
import { eventually } from "../../support/eventually.ts";
import { startTui } from "../../support/opencode/clients.ts";
import { type CuttingProxy, startCuttingProxy } from "../../support/opencode/cutting-proxy.ts";
import { MODEL } from "../../support/opencode/native.ts";
import { FILES, SCRIPT } from "../../support/opencode/script.ts";
import { Stage } from "../../support/opencode/stage.ts";
import { NATIVE, startTarget, type Target } from "../../support/opencode/target.ts";
import type { Tui } from "../../support/opencode/tui.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, PATIENCE_MS } from "../../support/time.ts";

const { program = "", skip } = await realAgent("opencode");

const WORKING = /esc (again to )?interrupt/;

const COMMANDS = {
  ".opencode/command/greet.md": "---\ndescription: |\n  Greets somebody\n  by name\n---\nSay hello to $ARGUMENTS",
  ".opencode/command/runs.md": "Now: !`echo ran`",
};

describe("OpenCode's terminal interface, attached to Parley", { skip, timeout: GROUP_MS }, () => {
  let stage: Stage;
  let proxy: CuttingProxy;
  let tui: Tui;
  let directory: string;
  let target: Target;

  before(async () => {
    stage = await Stage.open(SCRIPT);
    const { surroundings } = stage;
    directory = surroundings.project("project", { ...FILES, ...COMMANDS });
    target = await startTarget(stage, program, directory);
    const { url, token } = target;
    proxy = stage.use(await startCuttingProxy(url));
    tui = startTui({ program, surroundings, url: proxy.url, password: token, directory, cols: 100, rows: 40 });
    stage.after(() => tui.close());
    await tui.waitFor("Ask anything", PATIENCE_MS);
    await tui.waitFor(MODEL.name);
  });
  after(() => stage[Symbol.asyncDispose]());

  let broken: string | undefined;

  /** All of them share one interface: after a failure nobody knows what it shows, and waiting would only take long. */
  function step(name: string, act: () => Promise<void>): void {
    test(name, async () => {
      assert.equal(broken, undefined, `"${broken}" failed before`);
      broken = name;
      await act();
      broken = undefined;
    });
  }

  async function prompt(text: string): Promise<void> {
    tui.type(text);
    await tui.waitFor(text);
    tui.press("enter");
  }

  async function command(name: string): Promise<void> {
    tui.type(`/${name}`);
    await tui.waitFor(`/${name}`);
    tui.press("enter");
  }

  async function idle(): Promise<string> {
    return tui.waitUntilGone(WORKING);
  }

  step("an answer appears while it is being said, and then the interface is idle", async () => {
    await prompt("[[stream]] go");
    await stage.held("stream-1");
    await tui.waitFor("The beginning,");
    assert.match(await tui.waitFor(WORKING), /The beginning,/);
    stage.model.release("stream-1");
    await tui.waitFor("The beginning, the middle,");
    stage.model.release("stream-2");
    await tui.waitFor("The beginning, the middle, the end.");
    await idle();
  });

  step("a permission is granted once", async () => {
    await prompt("[[command]] once");
    await tui.waitFor(/Permission required[\s\S]*\$ echo it-ran/);
    tui.press("enter");
    await tui.waitFor("It wrote: it-ran");
    assert.doesNotMatch(await idle(), /Permission required/);
  });

  step("a permission is granted always, and not asked for again", async () => {
    await prompt("[[twice]] always");
    await tui.waitFor("Permission required");
    tui.press("right", "enter");
    await tui.waitFor("Always allow");
    tui.press("enter");
    await tui.waitFor("Twice it wrote: it-ran");
    await idle();
  });

  step("a permission is refused, and the file stays as it is", async () => {
    await command("new");
    await tui.waitFor("Ask anything");
    await prompt("[[edit]] refuse");
    await tui.waitFor("Permission required");
    tui.press("right", "right", "enter");
    await tui.waitUntilGone("Permission required");
    await idle();
    assert.equal(readFileSync(join(directory, "README.md"), "utf8"), FILES["README.md"]);
  });

  step("a question is answered", async () => {
    await prompt("[[question]] ask");
    await tui.waitFor(/1\. Red[\s\S]*2\. Blue/);
    tui.press("down", "enter");
    await tui.waitFor("You chose: Blue");
    await idle();
  });

  step("a slash command has one line in the menu, and is answered", async () => {
    tui.type("/greet");
    await tui.waitFor(/\/greet +Greets somebody by name/);
    tui.press("enter");
    await tui.waitUntilGone("Greets somebody");
    await prompt("Bob");
    await tui.waitFor("You said: Say hello to Bob");
    await idle();
  });

  step("a slash command that is refused says why", async () => {
    tui.type("/runs");
    await tui.waitFor("/runs");
    tui.press("enter", "enter");
    await tui.waitFor("the directory is not trusted");
  });

  step("a command of the person's own runs, and its output is shown", async () => {
    tui.type("!");
    await tui.waitFor("exit shell mode");
    tui.type("echo by-hand");
    await tui.waitFor("echo by-hand");
    tui.press("enter");
    await tui.waitFor(/\$ echo by-hand\s+┃\s+┃ +by-hand/);
    await idle();
  });

  step("a turn is interrupted by Esc, Esc; the next prompt is answered", async () => {
    await prompt("[[abort]] go");
    await stage.held("abort-1");
    await tui.waitFor("The beginning,");
    tui.press("escape");
    await tui.waitFor("again to interrupt");
    tui.press("escape");
    await tui.waitFor(/interrupted$/m);
    await idle();
    await prompt("are you there");
    await tui.waitFor("You said: are you there");
    await idle();
  });

  step("after a cut in the middle of an answer, nothing of it is missing", async () => {
    await prompt("[[cut]] go");
    await stage.held("cut-1");
    await tui.waitFor("The beginning,");
    const before = proxy.seen("GET /global/event");
    assert.equal(proxy.cut("GET /global/event"), 1);
    stage.model.release("cut-1");
    await stage.held("cut-2");
    await proxy.until("GET /global/event", before + 1);
    await tui.waitFor("The beginning, the middle,");
    stage.model.release("cut-2");
    await tui.waitFor("The beginning, the middle, the end.");
    await idle();
  });

  step("an answer that ends while there is no connection is there afterwards, and the interface is idle", async () => {
    await command("new");
    await tui.waitFor("Ask anything");
    await prompt("[[gap]] go");
    await stage.held("gap-1");
    await tui.waitFor("The beginning,");
    const before = proxy.seen("GET /global/event");
    proxy.refuse(true);
    proxy.cut();
    stage.model.release("gap-1");
    stage.model.release("gap-2");
    await stage.model.until(() => stage.model.requests.every(({ outcome }) => outcome !== "pending"));
    proxy.refuse(false);
    await proxy.until("GET /global/event", before + 1);
    await tui.waitFor("The beginning, the middle, the end.");
    await idle();
  });

  if (!NATIVE)
    step(
      "an ACP client on its session: asks are shown in both and answered in either, each turn is seen in both",
      async () => {
        const { url, token } = target;
        const acp = await SdkClient.open(remoteStream("WebSocket", url, { authorization: `Bearer ${token}` }));
        stage.after(() => acp.close());
        await command("new");
        await tui.waitFor("Ask anything");
        await prompt("[[command]] typed");
        await tui.waitFor("Permission required");
        const [listed] = (await acp.agent.request<ListSessionsResponse>(methods.agent.session.list, { cwd: directory }))
          .sessions;
        const sessionId = listed?.sessionId ?? "";
        await acp.agent.request(methods.agent.session.load, { sessionId, cwd: directory, mcpServers: [] });
        assert.equal(acp.text("user_message_chunk"), "[[command]] typed");
        await eventually("the ACP client is asked", () => acp.asked.length === 1);
        acp.asked[0]?.answer("allow_once");
        await tui.waitUntilGone("Permission required");
        await tui.waitFor("It wrote: it-ran");
        await idle();
        await eventually("the ACP client has the words", () => acp.text() === "I run it.It wrote: it-ran\n");

        const elsewhere = acp.prompt(sessionId, "[[command]] from an editor");
        await tui.waitFor("from an editor");
        await tui.waitFor("Permission required");
        await eventually("the ACP client is asked", () => acp.asked.length === 2);
        tui.press("enter");
        assert.equal(await elsewhere, "end_turn");
        await eventually("the ask is taken back", () => acp.asked[1]?.withdrawn.aborted === true);
        assert.equal(acp.asked[0]?.withdrawn.aborted, false);
        await tui.waitUntilGone("Permission required");
        await idle();
      },
    );

  step("sessions are listed, and an earlier one is opened again", async () => {
    await command("sessions");
    await tui.waitFor("Sessions");
    tui.press("down", "down", "down", "enter");
    await tui.waitFor("Twice it wrote: it-ran");
  });

  step("another model is chosen, and named where one types", async () => {
    await command("models");
    await tui.waitFor("Select model");
    tui.type("no model");
    await tui.waitFor(/Scripted \(no model/);
    tui.press("enter");
    await tui.waitUntilGone("Select model");
    await tui.waitFor(/·\s+Scripted \(no model/);
  });
});
