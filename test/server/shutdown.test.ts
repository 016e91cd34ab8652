import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { startFixture } from "./fixture.ts";
import { closing, connected, request, TOKEN } from "./helpers.ts";

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

for (const [first, second, code] of [
  ["SIGTERM", "SIGINT", 130],
  ["SIGINT", "SIGTERM", 143],
  ["SIGINT", "SIGHUP", 129],
] as const) {
  test(`${second} after ${first} exits at once with ${code}`, async () => {
    const { fixture } = await start({ HOOK: "hangs" });
    await using _ = fixture;
    fixture.child.kill(first);
    await fixture.said(/draining/);
    fixture.child.kill(second);
    const run = await fixture.ended;
    assert.equal(run.code, code);
    const logged = run.stderr.trim().split("\n");
    assert.equal(logged.filter((line) => line.includes('"signal"')).length, 1, "npm's repeat of a signal is no news");
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

test("the last lines are written before the exit", async () => {
  const { fixture } = await start();
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

test("a reader of the log that stands still holds up neither requests nor the exit", async () => {
  const { fixture, port } = await start();
  await using _ = fixture;
  fixture.child.stderr?.pause();
  const socket = await connected(port);
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  const get = `GET /${"x".repeat(1_000)} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`;
  for (let i = 0; i < 2_000; i++) socket.write(get);
  while (text.split("HTTP/1.1 404").length <= 2_000) await once(socket, "data");
  const exited = once(fixture.child, "exit");
  fixture.child.kill("SIGTERM");
  assert.deepEqual(await exited, [0, null]);
  fixture.child.stderr?.resume();
});
