import assert from "node:assert/strict";
import { test } from "node:test";
import { matchIds, pickId } from "../../src/cli/session-ids.ts";
import { nearest } from "../../src/core/nearest.ts";

const ids = ["ses_e1e4aaaa", "ses_e1e4bbaa", "ses_f000cccc"];

const matches: [given: string, found: string[]][] = [
  ["ses_f000cccc", ["ses_f000cccc"]],
  ["f0", ["ses_f000cccc"]],
  ["ses_e1e4a", ["ses_e1e4aaaa"]],
  ["e1e4", ["ses_e1e4aaaa", "ses_e1e4bbaa"]],
  ["cccc", ["ses_f000cccc"]],
  ["aa", ["ses_e1e4aaaa", "ses_e1e4bbaa"]],
  ["bbaa", ["ses_e1e4bbaa"]],
  ["nope", []],
];

for (const [given, found] of matches) {
  test(`${given} can mean ${found.length}`, () => assert.deepEqual(matchIds(given, ids), found));
}

test("only one meaning is taken", () => {
  assert.equal(pickId("bbaa", ids), "ses_e1e4bbaa");
  assert.throws(() => pickId("e1e4", ids), /can mean 2 sessions \(ses_e1e4aaaa, ses_e1e4bbaa\): write more of it/);
  assert.throws(() => pickId("nope", ids), /no session nope; parley sessions lists them/);
  assert.throws(() => pickId("", ids), /no session ""/);
});

test("the word that was meant is found, and no other", () => {
  assert.equal(nearest("prot", ["port", "host"]), "port");
  assert.equal(nearest("ASKDEADLINE", ["askDeadline"]), "askDeadline");
  assert.equal(nearest("completely-different", ["port", "host"]), undefined);
  assert.equal(nearest("", ["fx"]), undefined);
  assert.equal(nearest("gone", ["goose"]), undefined);
  assert.equal(nearest("gose", ["goose"]), "goose");
});
