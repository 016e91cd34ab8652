import assert from "node:assert/strict";
import { test } from "node:test";
import { startRig } from "./pty/rig.ts";

test("a client's line goes to Parley's log, cut to a bearable length", async (t) => {
  const rig = await startRig(t);
  const service = "my-plugin";
  for (const level of ["debug", "info", "warn", "error"]) {
    const answer = await rig.call("POST", "/log", { service, level, message: `a ${level}`, extra: { n: 1 } });
    assert.deepEqual(answer, { status: 200, body: true });
    const line = rig.lines.find(({ message }) => message === `a ${level}`);
    assert.deepEqual(line, { level, fields: { service, extra: { n: 1 } }, message: `a ${level}` });
  }
  const long = "x".repeat(100_000);
  await rig.call("POST", "/log", { service: long, level: "info", message: `${long}`, extra: { long } });
  const line = rig.lines.find(({ message }) => message.startsWith("xxx"));
  assert.ok(JSON.stringify(line).length < 30_000);
});

test("a line that is none is refused", async (t) => {
  const rig = await startRig(t);
  for (const body of [{}, { service: "a", level: "loud", message: "b" }, { service: "a", level: "info" }, "text"])
    assert.equal((await rig.call("POST", "/log", body)).status, 400);
});
