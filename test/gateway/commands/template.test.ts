import assert from "node:assert/strict";
import { test } from "node:test";
import { fill, hintsOf, splitArguments } from "../../../src/gateway/commands/template.ts";

const splits: [string, string[]][] = [
  ["", []],
  ["one  two", ["one", "two"]],
  [`"one two" 'three four' five`, ["one two", "three four", "five"]],
  [`a "" b`, ["a", "", "b"]],
  ["tab\tand\nline", ["tab", "and", "line"]],
];
for (const [text, words] of splits)
  test(`arguments ${JSON.stringify(text)}`, () => assert.deepEqual(splitArguments(text), words));

const fills: [string, string, string][] = [
  ["Say $ARGUMENTS.", "hello there", "Say hello there."],
  ["Say $ARGUMENTS.", "", "Say ."],
  ["$1 and $2", "a b c d", "a and b c d"],
  ["$2 then $1", "a b c", "b c then a"],
  ["$1|$3", "a b c d", "a|c d"],
  ["$1 $2", `"one two" three`, "one two three"],
  ["$1 $2", "only", "only"],
  ["$1: $ARGUMENTS", "x y", "x y: x y"],
  ["Look around.", "", "Look around."],
  ["Look around.", "  here ", "Look around.\n\nhere"],
  // The user's words are not read as a template.
  ["$ARGUMENTS", "costs $1 and $ARGUMENTS", "costs $1 and $ARGUMENTS"],
  ["$ARGUMENTSX", "a", "$ARGUMENTSX\n\na"],
  ["$1", "$&", "$&"],
];
for (const [template, added, wanted] of fills)
  test(`${JSON.stringify(template)} with ${JSON.stringify(added)}`, () => assert.equal(fill(template, added), wanted));

test("hints are what there is a place for, each once", () => {
  assert.deepEqual(hintsOf("$2 $1 $2 $ARGUMENTS"), ["$1", "$2", "$ARGUMENTS"]);
  assert.deepEqual(hintsOf("nothing"), []);
});
