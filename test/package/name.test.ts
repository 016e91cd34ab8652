import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The package `parley` of npm is not ours: a line that fetches or imports it would run a stranger's code. */
const STRAYS: Readonly<Record<string, RegExp>> = {
  "runs it by a package manager": /\b(?:npx|pnpx|bunx|npm exec|npm x|pnpm dlx|yarn dlx)(?: -\S+)* parley(?![\w-])/g,
  "installs it": /\b(?:npm|pnpm|yarn|bun)(?: -\S+)* (?:i|install|add)(?: -\S+)* parley(?![\w-])/g,
  "imports it": /\b(?:from|import|import\(|require\() ?["']parley(?:\/[\w-]+)?["']/g,
  "names its entry": /[`"']parley\/(?:client|testing)[`"']/g,
  "names its folder": /node_modules\/parley(?![\w-])/g,
};

/** Tests run `npx parley` inside of a checkout, where npm finds the checkout's own; the change log tells what was. */
const APART =
  /^(?:test\/(?:support\/launched|hard\/launchers|cli\/launcher\/(?:npm|line)|package\/name)\b|CHANGELOG\.md$)/;

function straysIn(text: string): string[] {
  return Object.entries(STRAYS).flatMap(([what, pattern]) =>
    (text.match(pattern) ?? []).map((found) => `${what}: ${found}`),
  );
}

describe("the name of the package", () => {
  test("the package is parley-agents, its one command is parley", () => {
    const { name, bin } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      name: string;
      bin: Record<string, string>;
    };
    assert.equal(name, "parley-agents");
    assert.deepEqual(Object.keys(bin), ["parley"]);
  });

  test("no line runs, installs or imports the package of somebody else", () => {
    const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: ROOT })
      .toString()
      .split("\n")
      .filter((file) => file !== "" && !APART.test(file));
    assert.ok(files.length > 500, `only ${files.length} files were looked at`);
    const found = files.flatMap((file) =>
      straysIn(readFileSync(join(ROOT, file), "utf8")).map((one) => `${file}: ${one}`),
    );
    assert.deepEqual(found, []);
  });

  for (const line of [
    "npx parley run",
    "npx -y parley serve",
    "npm exec parley serve",
    "npm install -g parley",
    "npm i parley",
    'import { createClient } from "parley/client";',
    'await import("parley")',
    "`parley/testing`",
    "./node_modules/parley/schema/config.json",
  ]) {
    test(`a stray is noticed: ${line}`, () => assert.equal(straysIn(line).length > 0, true));
  }

  for (const line of [
    "npx parley-agents run",
    "npm i parley-agents",
    'import("parley-agents")',
    '"source": "parley"',
  ]) {
    test(`the own name is none: ${line}`, () => assert.deepEqual(straysIn(line), []));
  }
});
