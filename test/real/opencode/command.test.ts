import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { houseConfig } from "../../support/opencode/native.ts";
import { FILES, SCRIPT } from "../../support/opencode/script.ts";
import { Stage } from "../../support/opencode/stage.ts";
import { startInTerminal } from "../../support/opencode/tui.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS } from "../../support/time.ts";

const { program = "", skip } = await realAgent("opencode");
const PARLEY = fileURLToPath(new URL("../../../bin/parley.js", import.meta.url));

describe("parley opencode", { skip, timeout: GROUP_MS }, () => {
  test("brings up the real interface on a server of its own, answers, goes on with -c, and leaves nothing behind", async () => {
    await using stage = await Stage.open(SCRIPT);
    const { surroundings, model } = stage;
    const directory = surroundings.project("project", FILES);
    const config = JSON.stringify({ house: houseConfig(model.url), defaultAgent: "house" });
    surroundings.file("home/.config/parley/config.jsonc", config);
    const start = (...args: string[]) =>
      startInTerminal({
        program: process.execPath,
        args: [PARLEY, "opencode", ...args],
        directory,
        env: surroundings.env({ PARLEY_OPENCODE_BIN: program }),
      });

    const first = start();
    stage.after(() => first.close());
    await first.waitFor("Ask anything", 60_000);
    first.type("hello from here");
    await first.waitFor("hello from here");
    first.press("enter");
    await first.waitFor("You said: hello from here");
    first.press("ctrl+c");
    assert.equal(await first.exited, 0);
    const left = first.screen();
    const id = /Continue {2}opencode -s (ses_\w+)/.exec(left)?.[1] ?? "none";
    assert.match(left, new RegExp(`^parley: to go on with this session: .*parley opencode -s ${id}\n*$`, "m"));
    assert.doesNotMatch(left, /\^C|\[\?|\[<|;\dM/, "nothing of the keyboard or the mouse is left on the screen");

    const second = start("-c");
    stage.after(() => second.close());
    await second.waitFor("You said: hello from here", 60_000);
    second.press("ctrl+c");
    assert.equal(await second.exited, 0);
  });
});
