import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { bashScript } from "../../src/cli/completion/bash.ts";
import { fishScript } from "../../src/cli/completion/fish.ts";
import { treeOf } from "../../src/cli/completion/tree.ts";
import { zshScript } from "../../src/cli/completion/zsh.ts";
import { buildProgram } from "../../src/cli/program.ts";
import { BIN } from "./support.ts";

const tree = treeOf(buildProgram());

function inBash(script: string): string {
  return execFileSync("bash", ["--norc", "--noprofile", "-c", script], { encoding: "utf8" });
}

/** The words that bash offers for the last of these. */
function offers(...words: string[]): string[] {
  const line = words.map((word) => `'${word}'`).join(" ");
  const ask = `COMP_WORDS=(parley ${line}); COMP_CWORD=${words.length}; _parley; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return inBash(`${bashScript(tree)}\n${ask}`)
    .split("\n")
    .filter(Boolean);
}

test("bash takes the script of the real program", () => {
  const line = inBash(`source <("${process.execPath}" "${BIN}" completion bash); complete -p parley`);
  assert.equal(line, "complete -F _parley parley\n");
});

const rows: [words: string[], offered: string[]][] = [
  [["se"], ["serve", "sessions"]],
  [["serve", "--insec"], ["--insecure-no-auth"]],
  [
    ["serve", "--sync", ""],
    ["process", "disk"],
  ],
  [["serve", "--port", ""], []],
  [["run", "--format", "e"], ["events"]],
  [["sessions", "r"], ["rm"]],
  [["sessions", "rm", "--data"], ["--data-dir"]],
  [["completion", "z"], ["zsh"]],
  [["--ver"], ["--version"]],
];

for (const [words, offered] of rows) {
  test(`bash completes parley ${words.join(" ")}`, () => assert.deepEqual(offers(...words), offered));
}

test("directories are offered where a directory is meant", () => {
  for (const words of [
    ["run", "--dir"],
    ["serve", "--root"],
    ["serve", "--data-dir"],
    ["doctor", "--data-dir"],
  ]) {
    assert.deepEqual(offers(...words, "/us"), ["/usr"]);
  }
});

test("files are offered where a file is meant", () => {
  for (const words of [
    ["serve", "--token-file"],
    ["model", "--script"],
  ]) {
    assert.ok(offers(...words, "/etc/passw").includes("/etc/passwd"));
  }
});

test("the scripts of zsh and fish name every command and every long option", () => {
  const [zsh, fish] = [zshScript(tree), fishScript(tree)];
  for (const { name, options } of tree.commands) {
    assert.ok(zsh.includes(`_parley_${name.replaceAll("-", "_")}()`), name);
    assert.ok(fish.includes(` -a ${name} `), name);
    for (const long of options.flatMap(({ names }) => names.filter((one) => one.startsWith("--")))) {
      assert.ok(zsh.includes(`'${long}[`), long);
      assert.ok(fish.includes(` -l ${long.slice(2)}`), long);
    }
  }
  assert.match(zsh, /^#compdef parley\n/);
});
