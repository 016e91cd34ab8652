import assert from "node:assert/strict";
import { test } from "node:test";
import { launchers } from "../../../src/cli/launcher/line.ts";

const NPM_TITLE = ["npm start --port 0", "", ""];
const NPX_TITLE = ["npm exec parley serve", ""];
const SCRIPT = ["sh", "-c", "parley serve", ""];
const PROMPT = ["-bash", ""];

const CASES: [name: string, argvs: string[][], watched: number[]][] = [
  ["npm that runs us itself", [NPM_TITLE, PROMPT], [0]],
  ["npm and its shell", [SCRIPT, NPM_TITLE, PROMPT], [0, 1]],
  ["npx and its shell", [SCRIPT, NPX_TITLE, ["/bin/zsh", "-l", ""]], [0, 1]],
  ["an npm that runs an npm", [SCRIPT, NPM_TITLE, SCRIPT, NPX_TITLE, PROMPT], [0, 1, 2, 3]],
  ["a shell that runs npm for one command", [NPM_TITLE, ["bash", "-c", "npm start; true", ""]], [0]],
  ["pnpm, which has no title", [SCRIPT, ["/usr/bin/node", "/usr/lib/pnpm/bin/pnpm.cjs", "start", ""]], [0, 1]],
  ["yarn", [SCRIPT, ["node", "/opt/yarn/bin/yarn.js", "start"]], [0, 1]],
  [
    "npm by its path, as another system shows it",
    [["/bin/sh -c parley serve"], ["node /usr/bin/npm-cli.js start"]],
    [0, 1],
  ],
  ["no npm: a person's shell", [PROMPT, ["sshd"]], []],
  ["no npm: a shell's command", [["bash", "-c", "parley serve"], ["sshd: me"]], []],
  ["no npm: a program whose argument is npm", [["node", "server.js", "npm"], NPM_TITLE], []],
  ["a person's shell inside a script of npm", [PROMPT, SCRIPT, NPM_TITLE], []],
  ["a terminal's program that npm has started", [["node", "/app/editor.js"], SCRIPT, NPM_TITLE], []],
  ["nobody", [], []],
  ["a process that shows nothing", [[], NPM_TITLE], []],
];

for (const [name, argvs, watched] of CASES) {
  test(`the line of launchers: ${name}`, () => {
    const ancestors = argvs.map((argv, at) => ({ pid: 100 - at, start: String(at), argv }));
    assert.deepEqual(
      launchers(ancestors),
      watched.map((at) => ancestors[at]),
    );
  });
}
