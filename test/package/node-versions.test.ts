import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const BIN = fileURLToPath(new URL("../../bin/parley.js", import.meta.url));
const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  engines: { node: string };
};

/** Runs the command as if Node had another version. */
function runAs(version: string, before = "") {
  const fake = `Object.defineProperties(process, { version: { value: "v${version}" }, versions: { value: { ...process.versions, node: "${version}" } } });${before}`;
  const args = ["--import", `data:text/javascript,${encodeURIComponent(fake)}`, BIN, "--version"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return { status, stdout, stderr };
}

/** Whether the package's manifest takes a version: `^a.b.c || >=d`, the one form that it uses. */
function engineTakes(version: string): boolean {
  const [, major = 0, minor = 0, newer = 0] = (
    /^\^(\d+)\.(\d+)\.0 \|\| >=(\d+)$/.exec(manifest.engines.node) ?? []
  ).map(Number);
  const [given = 0, givenMinor = 0] = version.split(".").map(Number);
  return given >= newer || (given === major && givenMinor >= minor);
}

const VERSIONS: [version: string, runs: boolean][] = [
  ["18.20.0", false],
  ["20.20.2", false],
  ["22.17.1", false],
  ["22.18.0", true],
  ["22.23.3", true],
  ["23.11.0", false],
  ["24.0.0", true],
  ["25.1.0", true],
];

describe("versions of Node", () => {
  for (const [version, runs] of VERSIONS) {
    test(`${version} is ${runs ? "taken" : "refused"}, as the manifest says`, () => {
      const { status, stdout, stderr } = runAs(version);
      assert.equal(engineTakes(version), runs);
      if (runs) assert.deepEqual([status, stderr], [0, ""]);
      else {
        assert.deepEqual([status, stdout], [1, ""]);
        assert.match(stderr, new RegExp(`^parley: expected Node 24 or newer.*got v${version}\\. .*\\./parley.*\n$`));
      }
    });
  }

  test("Node 22's remark on SQLite is not shown, other warnings are", () => {
    const warn = (message: string, name: string) =>
      `process.on("exit", () => process.emit("warning", Object.assign(new Error("${message}"), { name: "${name}" })));`;
    const sqlite = warn("SQLite is an experimental feature and might change at any time", "ExperimentalWarning");
    const { stderr } = runAs("22.18.0", `${sqlite}${warn("something else", "Warning")}`);
    assert.doesNotMatch(stderr, /SQLite/);
    assert.match(stderr, /Warning: something else/);
  });
});
