import assert from "node:assert/strict";
import { test } from "node:test";
import { buildProgram } from "../../src/cli/program.ts";
import { Home, type Result } from "./support.ts";

const commands = buildProgram().commands.map((command) => command.name());

function leadsWithExamples({ stdout, code }: Result): void {
  assert.equal(code, 0);
  const at = (text: string): number => stdout.indexOf(text);
  assert.equal(at("Examples:\n"), 0, stdout);
  assert.ok(at("Usage:") > 0);
  assert.ok(at("Options:") > at("Usage:"), stdout);
}

test("parley, parley --help and parley help say the same, examples first", async () => {
  await using home = new Home();
  const [bare, flag, word, twice] = await Promise.all([
    home.run([]),
    home.run(["--help"]),
    home.run(["help"]),
    home.run(["help", "help"]),
  ]);
  leadsWithExamples(bare);
  assert.equal(flag.stdout, bare.stdout);
  assert.equal(word.stdout, bare.stdout);
  assert.deepEqual(twice, bare);
  assert.ok(bare.stdout.indexOf("Commands:") < bare.stdout.indexOf("Options:"));
  for (const name of commands) assert.match(bare.stdout, new RegExp(`^ {2}${name} `, "m"));
});

test("the help of each command leads with examples", async () => {
  await using home = new Home();
  for (const name of ["serve", "run"]) {
    const [help, flag] = await Promise.all([home.run(["help", name]), home.run([name, "--help"])]);
    leadsWithExamples(help);
    assert.equal(flag.stdout, help.stdout);
  }
});

test("every command has examples, and each example is a command line that parses", () => {
  for (const command of buildProgram().commands) {
    const lines = command.helpInformation().split("\n\n")[0]?.split("\n") ?? [];
    assert.equal(lines[0], "Examples:", command.name());
    for (const line of lines.slice(1)) assert.match(line, /parley .*#/, command.name());
  }
});

const wrong: [what: string, args: string[], message: RegExp][] = [
  ["an unknown command", ["sevre"], /unknown command 'sevre'[\s\S]*serve[\s\S]*parley --help/],
  ["the help of an unknown command", ["help", "sevre"], /unknown command 'sevre'[\s\S]*serve[\s\S]*parley --help/],
  ["a data directory in /proc", ["sessions", "--data-dir", "/proc/parley"], /data directory .*\/proc.*--data-dir/],
  [
    "a data directory for a command below another",
    ["sessions", "rm", "x", "--data-dir", "/proc/parley"],
    /data directory .*\/proc/,
  ],
  ["an unknown option", ["serve", "--prot", "1"], /unknown option '--prot'[\s\S]*--port[\s\S]*parley help serve/],
  ["a port that is none", ["serve", "--port", "70000"], /--port.*Expected a port from 0 to 65535/],
  ["a duration that is none", ["serve", "--ask-deadline", "soon"], /--ask-deadline.*Expected a duration/],
  ["a choice that is none", ["serve", "--sync", "never"], /--sync.*process, disk/],
  ["an empty address", ["serve", "--host", ""], /--host.*Expected an address/],
  ["two tokens", ["serve", "--token", "x", "--token-file", "y"], /cannot be used with/],
  ["a missing value", ["serve", "--host"], /--host.*argument missing/],
  ["too many arguments", ["doctor", "now"], /too many arguments/],
  ["a missing argument", ["events"], /missing required argument 'id'/],
  ["two ways to answer", ["run", "--yes", "--deny", "x"], /cannot be used with/],
  ["a directory that is none", ["run", "--dir", "/does/not/exist", "x"], /--dir: there is no directory/],
  ["no prompt", ["run"], /expected a prompt/],
];

for (const [what, args, message] of wrong) {
  test(`${what} exits with 2 and says what is wrong`, async () => {
    await using home = new Home();
    const { code, stderr, stdout } = await home.run(args);
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /\n {4}at /);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: "" });
  });
}

test("the version is the package's", async () => {
  await using home = new Home();
  const [{ stdout, code }, short] = await Promise.all([home.run(["--version"]), home.run(["-v"])]);
  assert.deepEqual([short.stdout, short.code], [stdout, code]);
  assert.match(stdout, /^\d+\.\d+\.\d+\S*\n$/);
  assert.equal(code, 0);
});
