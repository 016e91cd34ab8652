import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { terminalEnvironment } from "../../../src/host/terminals/environment.ts";
import { listShells, preferredShell, withLogin } from "../../../src/host/terminals/shells.ts";
import { tempDirectory } from "../support.ts";

test("B10: the system's list names the shells, as far as they are there", async (t) => {
  const directory = await tempDirectory(t);
  const fish = join(directory, "fish");
  await writeFile(fish, "", { mode: 0o700 });
  const list = join(directory, "shells");
  await writeFile(list, `# shells\n/bin/sh\n\n/nowhere/zsh\n${fish}\n/bin/sh\n`);
  assert.deepEqual(await listShells(list), [
    { path: "/bin/sh", name: "sh", acceptable: true },
    { path: fish, name: "fish", acceptable: false },
  ]);
  const without = await listShells(join(directory, "none"));
  assert.ok(without.some(({ path }) => path === "/bin/sh"));
});

test("B10: the user's shell is taken where it is there", async () => {
  assert.equal(await preferredShell("/bin/sh"), "/bin/sh");
  assert.match(await preferredShell("/nowhere/zsh"), /^\/bin\/(bash|zsh|sh)$/);
});

test("B10: shells are login shells, other programs are left alone", () => {
  assert.deepEqual(withLogin("/bin/bash", ["--norc"]), ["--norc", "-l"]);
  assert.deepEqual(withLogin("zsh", ["-l"]), ["-l"]);
  assert.deepEqual(withLogin("/usr/bin/vim", ["file"]), ["file"]);
});

test("B10: of Parley's own variables a terminal has only the mark", () => {
  const base = { HOME: "/home/me", PARLEY_TOKEN: "t", PARLEY_MARK: "outer", COLUMNS: "80", STY: "x", GONE: undefined };
  assert.deepEqual(terminalEnvironment(base, { TERM: "dumb", LANG: "C", HOME: "/mine" }, "m:1:2"), {
    HOME: "/mine",
    LANG: "C",
    TERM: "xterm-256color",
    OPENCODE_TERMINAL: "1",
    PARLEY_MARK: "m:1:2",
  });
});
