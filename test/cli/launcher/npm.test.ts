import assert from "node:assert/strict";
import { test } from "node:test";
import { onLinux } from "../../../src/host/process-identity.ts";
import { launch, type WAYS } from "../../support/launched.ts";

// The whole table is in test/hard/launchers.test.ts.
const CASES: [way: keyof typeof WAYS, link: number, signal: NodeJS.Signals][] = [
  ["npm start", 0, "SIGINT"],
  ["npm start", 0, "SIGHUP"],
  ["npx parley serve", 0, "SIGTERM"],
  ["npx parley serve", 1, "SIGKILL"],
];

for (const [way, link, signal] of CASES) {
  test(`${way}: ${signal} to process ${link} of its line leaves no process`, {
    skip: !onLinux && "needs /proc",
  }, async (t) => {
    const { links, gone } = await launch(t, way);
    const target = links[link];
    assert.ok(target);
    process.kill(target.pid, signal);
    t.diagnostic(`gone after ${Math.round(await gone())} ms`);
  });
}
