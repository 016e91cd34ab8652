import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { processInfo } from "../../src/host/process-identity.ts";
import { eventually } from "../support/eventually.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const BASICS = ["bash", "cat", "chmod", "dirname", "env", "id", "mktemp", "rm", "sleep", "tail"];

/** A machine for `.ci/run`: its search path holds a few basic programs and those that are given here as scripts. */
function machine(
  t: TestContext,
  programs: Readonly<Record<string, string>>,
): { root: string; run(env?: Record<string, string>): { status: number; said: string } } {
  const root = mkdtempSync(join(tmpdir(), "parley-ci-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const bin = join(root, "bin");
  mkdirSync(bin);
  cpSync(join(ROOT, ".ci"), join(root, ".ci"), { recursive: true });
  const which = (name: string): string => spawnSync("which", [name], { encoding: "utf8" }).stdout.trim();
  for (const name of BASICS) symlinkSync(which(name), join(bin, name));
  for (const [name, body] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!${which("bash")}\nBIN=${bin}\n${body}\n`, { mode: 0o755 });
  }
  return {
    root,
    run(env = {}) {
      const { status, stdout, stderr } = spawnSync(join(root, ".ci", "run"), {
        encoding: "utf8",
        env: { PATH: bin, TMPDIR: root, ...env },
      });
      return { status: status ?? -1, said: stdout + stderr };
    },
  };
}

/** An npm whose `test` says how it was asked, and whose bench does as it is told. */
const npm = (bench: string, test = "exit 0"): string => `
if [ "$1" = test ]; then echo "npm $*, required: $PARLEY_TEST_REQUIRE_REAL"; ${test}; fi
echo "npm $*" >&2
${bench}`;
const NPM = npm('echo "9 of 9 goals met (load 0.3)"');
const OTHERS = { curl: "", git: "", pg_ctlcluster: "", pgbouncer: "", sudo: '"$@"', npm: NPM };
const INSTALLS = 'if [ "$1" = install ]; then echo "#!/bin/sh" >"$BIN/chromium"; chmod +x "$BIN/chromium"; fi';

/** Whether a process runs. One that nobody has collected yet does not. */
function runs(pid: number): boolean {
  const info = processInfo(pid);
  return info !== undefined && !info.zombie;
}

describe(".ci/run", () => {
  test("demands the real programs of npm test", (t) => {
    const { status, said } = machine(t, { ...OTHERS, chromium: "" }).run();
    assert.deepEqual({ status, said }, { status: 0, said: "npm test, required: 1\nci: 9 of 9 goals met (load 0.3)\n" });
  });

  test("takes another name of the same program", (t) => {
    assert.equal(machine(t, { ...OTHERS, "google-chrome": "" }).run().status, 0);
  });

  test("installs a program that is missing", (t) => {
    const { status, said } = machine(t, { ...OTHERS, "apt-get": INSTALLS }).run();
    assert.equal(status, 0, said);
    assert.match(said, /^ci: installing chromium$/m);
    assert.match(said, /^npm test, required: 1$/m);
  });

  test("names what is missing where there is no apt-get, and runs no test", (t) => {
    const { status, said } = machine(t, OTHERS).run();
    assert.equal(status, 1);
    assert.match(said, /expected these programs: chromium\|.* \(Debian: chromium\); there is no apt-get/);
    assert.doesNotMatch(said, /npm test/);
  });

  test("shows what apt-get said where it fails, and runs no test", (t) => {
    const offline = 'echo "Could not resolve the mirror" >&2; exit 100';
    const { status, said } = machine(t, { ...OTHERS, "apt-get": offline }).run();
    assert.equal(status, 1);
    assert.match(said, /Could not resolve the mirror\nci: expected these programs: chromium/);
    assert.doesNotMatch(said, /npm test/);
  });

  test("fails where a package does not bring its program", (t) => {
    const { status, said } = machine(t, { ...OTHERS, "apt-get": "exit 0" }).run();
    assert.equal(status, 1);
    assert.match(said, /chromium\S* is still not in the search path/);
  });
});

describe("the end of .ci/run", () => {
  const MACHINE = { ...OTHERS, chromium: "" };

  test("tells the figures that miss their goal, and fails nothing", (t) => {
    const missed = "start 8.6x of node -e 0, goal at most 4x: MISSED (load 2.1)";
    const { status, said } = machine(t, { ...MACHINE, npm: npm(`echo "${missed}"; echo "8 of 9"`) }).run();
    assert.equal(status, 0);
    assert.ok(said.endsWith(`\nci: ${missed}\nci: 8 of 9\n`), said);
  });

  test("is the tests' failure, with its code, and nothing is measured then", (t) => {
    const bench = 'echo "measured" >"$BIN/../measured"';
    const { root, run } = machine(t, { ...MACHINE, npm: npm(bench, "exit 3") });
    assert.deepEqual(run(), { status: 3, said: "npm test, required: 1\n" });
    assert.ok(!existsSync(join(root, "measured")));
  });

  test("says in one line that the bench broke, with its last words, after what it had measured", (t) => {
    const bench = 'echo "one figure"; echo "first" >&2; echo "tsc did not build" >&2; exit 7';
    const { status, said } = machine(t, { ...MACHINE, npm: npm(bench) }).run();
    assert.equal(status, 0);
    const line =
      "ci: not all figures were measured: the bench ended with code 7, and its last words were: tsc did not build";
    assert.equal(said, `npm test, required: 1\nci: one figure\n${line}\n`);
  });

  test("ends a bench that takes too long, with all that it started, also where that does not want to end", async (t) => {
    const child = 'bash -c \'trap "" TERM; echo $$ >"$0/../child"; while :; do sleep 1; done\' "$BIN" &';
    const bench = `trap "" TERM; echo $$ >"$BIN/../head"; ${child}\nwhile :; do sleep 1; done`;
    const { root, run } = machine(t, { ...MACHINE, npm: npm(bench) });
    const { status, said } = run({ PARLEY_CI_FIGURES_SECONDS: "3" });
    assert.equal(status, 0);
    const line = "ci: not all figures were measured: the bench took more than 3 s and was ended";
    assert.equal(said, `npm test, required: 1\n${line}\n`);
    for (const name of ["head", "child"]) {
      const pid = Number(readFileSync(join(root, name), "utf8"));
      assert.ok(pid > 0);
      await eventually(`the end of the bench's ${name}`, () => !runs(pid));
    }
  });

  test("leaves no file behind", (t) => {
    const { root, run } = machine(t, MACHINE);
    run();
    assert.deepEqual(readdirSync(root).toSorted(), [".ci", "bin"]);
  });
});

interface Workflow {
  on: Record<string, unknown>;
  permissions: unknown;
  concurrency: { "cancel-in-progress": boolean };
  jobs: Record<
    string,
    { permissions?: unknown; steps: { uses?: string; run?: string; with?: Record<string, unknown> }[] }
  >;
}

describe("the workflow", () => {
  const text = readFileSync(join(ROOT, ".github", "workflows", "ci.yml"), "utf8");
  const workflow = parse(text) as Workflow;

  test("runs .ci/run on a checkout, and nothing else", () => {
    const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);
    assert.deepEqual(
      steps.map(({ uses, run }) => uses?.replace(/@.*/, "") ?? run),
      ["actions/checkout", ".ci/run"],
    );
    assert.equal(steps[0]?.with?.["persist-credentials"], false);
  });

  test("may only read, knows no secret, names no host, and gives up a run that is out of date", () => {
    assert.deepEqual(workflow.permissions, { contents: "read" });
    assert.ok(Object.values(workflow.jobs).every((job) => job.permissions === undefined));
    assert.ok(!("pull_request_target" in workflow.on));
    assert.doesNotMatch(text, /secrets|github\.token|https?:|registry|\.(?:io|com|org)\b/i);
    assert.equal(workflow.concurrency["cancel-in-progress"], true);
  });
});
