import assert from "node:assert/strict";
import { test } from "node:test";
import { ruledLine, shellLine } from "../../../src/agents/codex/decode/command-line.ts";

const LINES: [told: string, line: string][] = [
  ["/bin/bash -lc 'cat README.md'", "cat README.md"],
  ["bash -c ls", "ls"],
  [`/bin/zsh -lc "echo \\"it's\\" \\$HOME"`, `echo "it's" $HOME`],
  [`/bin/bash -lc "git commit -m 'a; rm -rf /'"`, "git commit -m 'a; rm -rf /'"],
  [`/usr/bin/bash -lc 'echo '"'"'a'"'"''`, "echo 'a'"],
  // Anything that is not a shell with one line is told as it is.
  ["git status", "git status"],
  ["/bin/bash -lc 'ls' extra", "/bin/bash -lc 'ls' extra"],
  ["/bin/bash -lc 'ls' && rm x", "/bin/bash -lc 'ls' && rm x"],
  ["X=1 bash -lc ls", "X=1 bash -lc ls"],
  ["bash -lc ls > out", "bash -lc ls > out"],
  ["bash -x ls", "bash -x ls"],
  ["bash -lc $LINE", "bash -lc $LINE"],
  // A program of the project's is no shell, whatever its name.
  ["/work/bin/bash -c ls", "/work/bin/bash -c ls"],
  ["/tmp/bin/sh -c ls", "/tmp/bin/sh -c ls"],
  ["", ""],
];

test("the line of shell is the one that the model wrote", () => {
  for (const [told, line] of LINES) assert.equal(shellLine(told), line, told);
});

test("a command that begins elsewhere goes there first, for the rules", () => {
  const item = { command: "/bin/bash -lc 'rm x'", cwd: "/work/my dir" };
  assert.equal(ruledLine(item, "/work"), "cd '/work/my dir' && rm x");
  assert.equal(ruledLine({ ...item, cwd: "/work" }, "/work"), "rm x");
  assert.equal(ruledLine({}, "/work"), undefined);
});
