import assert from "node:assert/strict";
import { test } from "node:test";
import { modelNameFault } from "../../src/core/model-name.ts";

test("names of gateways, of Bedrock and with a context size are names of models", () => {
  for (const name of [
    "opus",
    "opus[1m]",
    "us.anthropic.claude-sonnet-4-5-v1:0",
    "a/b/c",
    "arn:aws:bedrock:x",
    "Modell Ä",
  ])
    assert.equal(modelNameFault(name), undefined, name);
});

test("a name that could be a flag, or that cannot be printed, is none", () => {
  const faults: [string, RegExp][] = [
    ["", /empty/],
    ["  ", /empty/],
    ["-p", /flags/],
    ["--model=x", /flags/],
    [" opus", /white space/],
    ["opus\n", /white space/],
    ["a\u0000b", /control/],
    ["a\u001b[2Jb", /control/],
    ["a\u0085b", /control/],
    ["a\u2028b", /control/],
    ["a\ud800b", /control/],
    ["x".repeat(257), /longer/],
  ];
  for (const [name, why] of faults) assert.match(modelNameFault(name) ?? "no fault", why, JSON.stringify(name));
});
