import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runInTerminal } from "../../src/cli/opencode/terminal.ts";
import { eventually } from "../support/eventually.ts";
import { temporary } from "../support/server.ts";

test("a program that does not hear that it is to end is killed", async (t) => {
  const directory = await temporary(t);
  const deaf = `process.on("SIGHUP", () => {}); require("node:fs").writeFileSync("up", ""); setInterval(() => {}, 1000)`;
  const argv = [process.execPath, "-e", deaf] as const;
  const code = runInTerminal({ argv, directory, env: process.env }, 50);
  await eventually("it runs", () => existsSync(join(directory, "up")));
  process.emit("SIGHUP", "SIGHUP");
  assert.equal(await code, 128 + 9);
});
