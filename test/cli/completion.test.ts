import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import { bashScript } from "../../src/cli/completion/bash.ts";
import { fishScript } from "../../src/cli/completion/fish.ts";
import { treeOf } from "../../src/cli/completion/tree.ts";
import { zshScript } from "../../src/cli/completion/zsh.ts";
import { buildProgram } from "../../src/cli/program.ts";
import { BIN, Home } from "./support.ts";

const tree = treeOf(buildProgram());

type Place = { env?: Record<string, string>; cwd?: string };

function inBash(script: string, place: Place = {}): string {
  return execFileSync("bash", ["--norc", "--noprofile", "-c", script], { encoding: "utf8", ...place });
}

/** The words that bash offers for the last of these. */
const offers = (...words: string[]): string[] => offersIn({}, ...words);

function offersIn(place: Place, ...words: string[]): string[] {
  const line = words.map((word) => `'${word}'`).join(" ");
  const ask = `COMP_WORDS=(parley ${line}); COMP_CWORD=${words.length}; _parley; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return inBash(`${bashScript(tree)}\n${ask}`, place)
    .split("\n")
    .filter(Boolean);
}

test("bash takes the script of the real program", () => {
  const line = inBash(`source <("${process.execPath}" "${BIN}" completion bash); complete -p parley`);
  assert.equal(line, "complete -F _parley parley\n");
});

const rows: [words: string[], offered: string[]][] = [
  [["se"], ["serve", "sessions", "search"]],
  [["serve", "--insec"], ["--insecure-no-auth"]],
  [
    ["serve", "--sync", ""],
    ["process", "disk"],
  ],
  [["serve", "--port", ""], []],
  [["run", "--format", "e"], ["events"]],
  [["sessions", "r"], ["rm"]],
  [["nodes", "d"], ["drain"]],
  [["nodes", "drain", "--w"], ["--wait"]],
  [["sessions", "rm", "--data"], ["--data-dir"]],
  [["completion", "z"], ["zsh"]],
  [["cred"], ["credentials"]],
  [
    ["credentials", "--"],
    ["--json", "--export", "--to-pipe", "--format", "--help"],
  ],
  [
    ["credentials", "--format", ""],
    ["sh", "fish"],
  ],
  [
    ["serve", "--house-credentials", ""],
    ["environment", "found"],
  ],
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

test("bash offers agents, models, modes, sessions and asks of the data directory", async () => {
  await using home = new Home();
  const models = ["small", "large", "$(touch pwned)"].map((id) => ({ id }));
  home.configure({ agents: { mine: { command: ["x"], models, modes: [{ id: "calm" }] } } });
  const program = home.write("bin/parley", `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`);
  chmodSync(program, 0o755);
  const { session } = JSON.parse((await home.run(["run", "--format", "json", "one"])).stdout);
  const env = home.env({ PATH: `${dirname(program)}:${process.env.PATH}` });
  const looked = (...words: string[]): string[] => offersIn({ env, cwd: home.work }, ...words);
  assert.deepEqual(looked("run", "--agent", ""), ["claude", "codex", "opencode", "house", "scripted", "mine"]);
  assert.deepEqual(looked("run", "--agent", "m"), ["mine"]);
  assert.deepEqual(looked("run", "--agent", "mine", "--model", ""), ["small", "large"]);
  assert.deepEqual(looked("run", "--agent", "mine", "--mode", ""), ["calm"]);
  for (const words of [["run", "--session"], ["attach"], ["sessions", "rm"], ["export"]]) {
    assert.deepEqual(looked(...words, session.slice(0, 8)), [session], words.join(" "));
  }
  assert.deepEqual(looked("attach", "--ta"), ["--tail"]);
  assert.deepEqual(looked("answer", ""), [], "nothing waits");
  assert.deepEqual(looked("nodes", "drain", ""), [], "alone");
  assert.deepEqual(looked("attach", "--data-dir", "/proc/nowhere", ""), [], "a failure is quiet");
  const shown = await home.run(["__complete", "sessions"]);
  assert.match(shown.stdout, new RegExp(`^${session}\\tscripted, \\d+s: one\n$`));
});

test("the values are looked up without a word on failure", async () => {
  await using home = new Home();
  for (const args of [[], ["nonsense"], ["sessions", "--data-dir", "/proc/nowhere"], ["models", "--agent", "nobody"]]) {
    const { code, stdout, stderr } = await home.run(["__complete", ...args]);
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: "", stderr: "" });
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
