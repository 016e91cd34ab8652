import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const HOOK = new URL("../support/loaded-modules.mjs", import.meta.url).href;

/** A start may load so much before its port is open. A module that is needed later is imported later. */
const MOST_MODULES = 145;
const MOST_KB = 397;
const SHOWN = 12;

interface Loaded {
  path: string;
  by: string;
  bytes: number;
}

const inRepository = (url = ""): string => url.replace(new URL("../../", import.meta.url).href, "");

/** The modules of a checkout's `parley serve` before it prints its address. */
function loadedByServe(): Loaded[] {
  const home = mkdtempSync(join(tmpdir(), "parley-loaded-"));
  try {
    const file = join(home, "loaded.json");
    const args = ["--import", HOOK, join(ROOT, "bin", "parley.js"), "serve", "--port", "0", "--insecure-no-auth"];
    const { PATH = "" } = process.env;
    // Compiled, a start's sources are one file.
    const env = { PATH, NODE_DISABLE_COMPILE_CACHE: "1", HOME: home, LOADED_MODULES: file };
    const { stderr } = spawnSync(process.execPath, args, { cwd: home, env, encoding: "utf8" });
    const read = readFileSync(file, "utf8");
    assert.equal(stderr, "");
    const modules = JSON.parse(read) as { url: string; by?: string; bytes: number }[];
    return modules
      .map(({ url, by, bytes }) => ({ path: inRepository(url), by: inRepository(by), bytes }))
      .filter(({ path }) => !path.endsWith("loaded-modules.mjs"));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** The day on which each source came into the repository; nothing outside of one. */
function days(): Map<string, string> {
  const found = new Map<string, string>();
  try {
    const args = ["log", "--diff-filter=A", "--format=@%cs", "--name-only", "--", "src"];
    let day = "";
    for (const line of execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: "pipe" }).split("\n")) {
      if (line.startsWith("@")) day = line.slice(1);
      else if (line !== "" && !found.has(line)) found.set(line, day);
    }
  } catch {
    // Without git, the heaviest alone are told.
  }
  return found;
}

function list(modules: readonly Loaded[], born: ReadonlyMap<string, string>): string {
  const line = ({ path, by, bytes }: Loaded) =>
    `  ${born.get(path) ?? "not committed"}  ${(bytes / 1000).toFixed(1).padStart(5)} kB  ${path}, imported by ${by}`;
  return modules.slice(0, SHOWN).map(line).join("\n");
}

/** Why a start is too heavy; undefined for one that is not. */
function tooHeavy(modules: readonly Loaded[], born: () => ReadonlyMap<string, string>): string | undefined {
  const kb = Math.round(modules.reduce((sum, { bytes }) => sum + bytes, 0) / 1000);
  if (modules.length <= MOST_MODULES && kb <= MOST_KB) return undefined;
  const at = born();
  const newest = modules.toSorted((a, b) => (at.get(b.path) ?? "9").localeCompare(at.get(a.path) ?? "9"));
  const heaviest = modules.toSorted((a, b) => b.bytes - a.bytes);
  return (
    `expected \`parley serve\` to load at most ${MOST_MODULES} modules and ${MOST_KB} kB before its port opens, ` +
    `got ${modules.length} modules and ${kb} kB: import later what is needed later.\n` +
    `The newest of them:\n${list(newest, at)}\nThe heaviest of them:\n${list(heaviest, at)}`
  );
}

describe("what a start loads before its port opens", () => {
  const modules = loadedByServe();

  test("is little, and no more than it was", () => assert.equal(tooHeavy(modules, days), undefined));

  test("is none of the packages", () => {
    assert.deepEqual(
      modules.filter(({ path }) => path.includes("node_modules")).map(({ path }) => path),
      [],
    );
  });

  test("is told by name when it is too much", () => {
    const many = Array.from({ length: MOST_MODULES }, (_, at) => ({ path: `src/${at}.ts`, by: "src/a.ts", bytes: 1 }));
    const heavy = { path: "src/new.ts", by: "src/cli/main.ts", bytes: 5_000 };
    const born = () =>
      new Map([...many.map(({ path }) => [path, "2024-01-01"] as const), ["src/new.ts", "2025-01-01"]]);
    assert.equal(tooHeavy(many, born), undefined);
    const words = tooHeavy([...many, heavy], born) ?? "";
    assert.match(words, /newest of them:\n {2}2025-01-01 {4}5\.0 kB {2}src\/new\.ts, imported by src\/cli\/main\.ts\n/);
    assert.match(words, /heaviest of them:\n.*src\/new\.ts/);
  });
});
