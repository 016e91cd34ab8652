import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { startFixture } from "./fixture.ts";
import { closing, connected, request, TOKEN } from "./helpers.ts";

/** Long enough that npx's echo of a signal is not meant. */
const ECHO_MS = 300;

async function start(env: Record<string, string> = {}) {
  const fixture = startFixture({ TOKEN, ...env });
  const [, port] = await fixture.said(/listening (\d+)/);
  return { fixture, port: Number(port) };
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  test(`${signal} runs the hooks, cuts the streams in the middle and exits with 0`, async () => {
    const { fixture, port } = await start();
    await using _ = fixture;
    const stream = await connected(port);
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.write(`GET /stream HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`);
    while (!Buffer.concat(chunks).includes("hello")) await once(stream, "data");
    const cut = closing(stream);
    fixture.child.kill(signal);
    const run = await fixture.ended;
    assert.equal(run.code, 0, run.stderr);
    assert.match(run.stdout, /hook ran/);
    await cut;
    assert.doesNotMatch(Buffer.concat(chunks).toString(), /\r\n0\r\n\r\n$/, "the stream has no clean end");
  });
}

for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const) {
  test(`a second ${signal} exits at once with ${code}`, async () => {
    const { fixture } = await start({ HOOK: "hangs" });
    await using _ = fixture;
    fixture.child.kill(signal);
    await fixture.said(/draining/);
    await new Promise((resolve) => setTimeout(resolve, ECHO_MS));
    assert.equal(fixture.child.exitCode, null, "the first signal waits for the hook");
    fixture.child.kill(signal);
    assert.equal((await fixture.ended).code, code);
  });
}

test("a hook that hangs is not waited for beyond the deadline", async () => {
  const { fixture } = await start({ HOOK: "hangs", DRAIN_MS: "100" });
  await using _ = fixture;
  fixture.child.kill("SIGTERM");
  const run = await fixture.ended;
  assert.equal(run.code, 143);
  assert.match(run.stderr, /not everything closed in time/);
});

test("a hook that fails is logged and makes the exit code 1", async () => {
  const { fixture } = await start({ HOOK: "fails" });
  await using _ = fixture;
  fixture.child.kill("SIGTERM");
  const run = await fixture.ended;
  assert.equal(run.code, 1);
  assert.match(run.stderr, /the hook failed/);
});

for (const [path, event] of [
  ["/throw", "uncaughtException"],
  ["/reject", "unhandledRejection"],
] as const) {
  test(`an ${event} is logged, drains and exits with 1`, async () => {
    const { fixture, port } = await start();
    await using _ = fixture;
    assert.equal((await request(port, `GET ${path}`)).status, 200);
    const run = await fixture.ended;
    assert.equal(run.code, 1);
    assert.match(run.stdout, /hook ran/);
    assert.match(run.stderr, new RegExp(`on purpose.*${event}`));
  });
}

test("what was logged before the log was open is written at the end", async () => {
  const { fixture } = await start({ OPEN_LOG: "no" });
  await using _ = fixture;
  fixture.child.kill("SIGTERM");
  const run = await fixture.ended;
  const lines = run.stderr
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map((line) => line.msg),
    ["shutting down; once more to leave at once", "bye"],
  );
});

test("readers of stdout and stderr may go away", async () => {
  const { fixture, port } = await start();
  await using _ = fixture;
  fixture.child.stdout?.destroy();
  fixture.child.stderr?.destroy();
  for (let i = 0; i < 20; i++) assert.equal((await request(port, "GET /nowhere")).status, 404);
  fixture.child.kill("SIGTERM");
  assert.equal((await fixture.ended).code, 0);
});
