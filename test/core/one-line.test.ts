import assert from "node:assert/strict";
import { test } from "node:test";
import { oneLine, proseLine } from "../../src/core/one-line.ts";

test("the lines of a message stay apart on one line", () => {
  const message = [
    "could not run agent: does it speak it, with these arguments?",
    "exit code 2",
    "last lines of its stderr:",
    "  error: unknown option '--acp'\r",
    "",
    "  Usage:\tagent [options]",
    "in /tmp",
    "",
  ].join("\n");
  assert.equal(
    oneLine(message),
    "could not run agent: does it speak it, with these arguments? exit code 2; last lines of its stderr: error: unknown option '--acp'; Usage: agent [options]; in /tmp",
  );
  assert.equal(oneLine("a\u2028b\u0007c"), "a; b c");
  assert.equal(oneLine("\n"), "");
});

test("prose that was broken into lines is whole again", () => {
  assert.equal(proseLine(" Reviews\n  the code\u202e \u0000.\n"), "Reviews the code .");
});
