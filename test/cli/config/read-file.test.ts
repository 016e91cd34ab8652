import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "../../../src/cli/config/read-file.ts";
import { CliError } from "../../../src/cli/exit.ts";

function complaint(text: string): string {
  try {
    readConfig(text, "/c.jsonc");
  } catch (error) {
    assert.ok(error instanceof CliError && error.exitCode === 2, String(error));
    return error.message;
  }
  return assert.fail(`expected a complaint about ${text}`);
}

test("comments, trailing commas and a byte order mark are welcome", () => {
  const text =
    '\ufeff{\n  // the port\n  "port": 8080,\n  "agents": { "mine": { "command": ["my-agent", "--fast"] }, },\n}\n';
  assert.deepEqual(readConfig(text, "/c"), { port: 8080, agents: { mine: { command: ["my-agent", "--fast"] } } });
});

test("an empty file says nothing", () => {
  assert.deepEqual(readConfig("", "/c"), {});
  assert.deepEqual(readConfig("// nothing yet\n", "/c"), {});
});

const wrong: [what: string, text: string, message: RegExp][] = [
  [
    "a port that is none",
    '{\n  "port": 99999\n}',
    /^\/c\.jsonc:2:11: port: expected a port from 0 to 65535, got 99999$/,
  ],
  ["an empty address", '{ "host": "" }', /host: expected an address, got ""/],
  ["a port in words", '{ "port": "x" }', /port: expected a port from 0 to 65535, got "x"/],
  [
    "a key that is none",
    '{\n  "host": "::1",\n  "prot": 1\n}',
    /^\/c\.jsonc:3:3: unknown key "prot"; did you mean "port"\?$/,
  ],
  ["a key that is like no other", '{ "zzz": 1 }', /unknown key "zzz"$/],
  ["a duration without a unit", '{ "askDeadline": "30" }', /askDeadline: expected a duration .*, got "30"/],
  ["a duration that is a number", '{ "idleClose": 5 }', /idleClose: expected a duration .*, got 5/],
  ["a duration that is too long", '{ "idleClose": "99d" }', /idleClose: expected a duration of at most 24 days/],
  ["a word that is no choice", '{ "sync": "never" }', /sync: expected one of "process", "disk", got "never"/],
  ["a text for a list", '{ "cors": "x" }', /cors: expected a list, got "x"/],
  [
    "an agent with an empty command line",
    '{ "agents": { "mine": { "acp": [] } } }',
    /agents\.mine\.acp: expected a list with the program first, got \[\]/,
  ],
  ["an agent without a command", '{ "agents": { "a": {} } }', /agents\.a\.command: expected .*, got nothing/],
  [
    "a command that is a text",
    '{ "agents": { "a": { "command": "ls" } } }',
    /agents\.a\.command: expected a list with the program first/,
  ],
  ["an empty command", '{ "agents": { "a": { "command": [] } } }', /agents\.a\.command/],
  [
    "an agent with a strange name",
    '{ "agents": { "a b": { "command": ["x"] } } }',
    /expected a name of letters.*got "a b"/,
  ],
  [
    "an unknown key of an agent",
    '{ "agents": { "a": { "command": ["x"], "shell": true } } }',
    /unknown key "agents\.a\.shell"/,
  ],
  ["a list instead of an object", "[]", /^\/c\.jsonc:1:1: expected an object, got \[\]$/],
  ["a missing value", '{\n  "port": \n}', /^\/c\.jsonc:3:1: expected a value \(.*\), got }$/],
  ["something after the end", "{} {}", /^\/c\.jsonc:1:4: expected the end of the file, got {$/],
  ["a missing comma", '{\n  "port": 1\n  "host": "x"\n}', /:3:3: expected a comma after the value before, got "host"$/],
  ["a missing colon", '{ "port" 1 }', /:1:10: expected a colon after the key, got 1$/],
  ["a key without quotes", "{ port: 1 }", /:1:3: expected a key in double quotes, got port$/],
  ["single quotes", "{ 'port': 1 }", /:1:3: expected double quotes \("\), got '$/],
  ["printers' quotes", '{ "host": “x” }', /:1:11: expected double quotes \("\), got “$/],
  ["half a word", '{ "keepNative": tru }', /:1:17: expected a value \(.*\), got tru$/],
  ["a semicolon", '{ "port": 1; }', /:1:12: expected a comma or a closing bracket, got ;$/],
  ["two commas", '{ "port": 1,, }', /:1:13: expected a key in double quotes, got ,$/],
  ["an open object", '{\n  "house": {\n}\n', /:4:1: expected a comma or }, got the end of the file$/],
  ["an open list", '{ "cors": ["a"', /:1:15: expected a comma or \], got the end of the file$/],
  ["an open text", '{ "host": "x\n}', /:1:11: expected " at the end of this text, got the end of the line$/],
  ["an open comment", "/* x", /:1:1: expected \*\/ at the end of this comment/],
  ["another kind of comment", "# x\n{}", /:1:1: expected \/\/ before a comment, got #$/],
  ["another kind of file", "port = 1", /:1:1: expected { at the beginning, got port$/],
  ["a wrong escape", '{ "host": "\\q" }', /:1:11: expected one of .* after a backslash/],
  ["a tab in a text", '{ "host": "a\tb" }', /:1:11: expected no control characters in this text: a tab is \\t$/],
  ["a token without quotes", '{ "token": hunter2 }', /:1:12: expected a value \(.*\), got something else$/],
];

for (const [what, text, message] of wrong) test(`${what} is pointed at`, () => assert.match(complaint(text), message));

test("every mistake is told at once", () => {
  assert.equal(complaint('{ "port": -1, "sync": 1 }').split("\n").length, 2);
});

test("a value that may be a secret is never shown", () => {
  assert.doesNotMatch(complaint('{ "token": ["hunter2"] }'), /hunter2/);
  assert.doesNotMatch(
    complaint('{ "agents": { "a": { "command": ["x"], "env": { "KEY": ["hunter2"] } } } }'),
    /hunter2/,
  );
});
