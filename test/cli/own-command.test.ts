import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ownCommand, type Place } from "../../src/cli/own-command.ts";

const CASES: [name: string, place: Place, words: string][] = [
  ["in a checkout", { script: "/code/parley/parley", directory: "/code/parley" }, "./parley"],
  ["below a checkout", { script: "/code/parley/parley", directory: "/code/parley/docs" }, "/code/parley/parley"],
  ["beside a checkout with a space", { script: "/my code/parley", directory: "/tmp" }, "'/my code/parley'"],
  ["in a checkout, under npx", { script: "/code/parley", directory: "/code", npmCommand: "exec" }, "./parley"],
  ["from the package, under npx", { directory: "/tmp", npmCommand: "exec" }, "npx parley-agents"],
  ["from the package, by a script of npm", { directory: "/tmp", npmCommand: "run-script" }, "parley"],
  ["from the package", { directory: "/tmp" }, "parley"],
];

describe("the command as people type it", () => {
  for (const [name, place, words] of CASES) {
    test(`${name}: ${words}`, () => assert.equal(ownCommand(place), words));
  }
});
