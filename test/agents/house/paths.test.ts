import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { call, calls, houseRig, playing, resultsIn, say } from "./support.ts";

test("tools do not get out either, and the model is told why", async (t) => {
  const attempts = [
    ...call("read", { path: "../secret.txt" }, "c1"),
    ...call("write", { path: "../new.txt", content: "x" }, "c2"),
    ...call("edit", { path: "/etc/hosts", old: "a", new: "b" }, "c3"),
    ...call("glob", { pattern: "*", path: ".." }, "c4"),
    ...call("grep", { pattern: "secret", path: "/etc" }, "c5"),
  ];
  const { model, asked } = playing(attempts, say("I cannot."));
  const made = await houseRig(t, { model });
  const events = await made.turn("go");
  assert.deepEqual(
    calls(events).map(({ error }) => error?.code),
    Array(5).fill("outside"),
  );
  for (const result of Object.values(resultsIn(asked[1]))) assert.match(result, /outside the session's directory/);
  await assert.rejects(readFile(join(made.work, "..", "new.txt")));
});
