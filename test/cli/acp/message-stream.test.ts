import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { messageStream, readMessage } from "../../../src/cli/acp/message-stream.ts";
import type { WriteOut } from "../../../src/cli/acp/own-stdout.ts";
import { deadline, PATIENCE_MS } from "../../support/time.ts";

const update = { jsonrpc: "2.0", method: "session/update", params: {} } as const;

test("a message is sent at once only while no other is being written", () => {
  const waiting: Parameters<WriteOut>[1][] = [];
  const { sendNow } = messageStream({ input: new PassThrough(), write: (_, written) => waiting.push(written) });
  assert.equal(sendNow(update), true);
  assert.equal(sendNow(update), false);
  waiting[0]?.();
  assert.equal(sendNow(update), true);
});

test("messages after the last answer to a client that is gone are written, and end nothing twice", async () => {
  const input = new PassThrough();
  let failed: unknown;
  const write: WriteOut = (_, written) => {
    try {
      written();
    } catch (thrown) {
      failed = thrown;
    }
  };
  const { readable, writable, sendNow } = messageStream({ input, write });
  const reader = readable.getReader();
  input.write('{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}\n');
  await reader.read();
  const over = reader.read();
  input.end();
  await new Promise((resolve) => input.once("end", resolve));
  await writable.getWriter().write({ jsonrpc: "2.0", id: 1, result: {} });
  assert.equal((await over).done, true);
  assert.equal(sendNow(update), true);
  assert.equal(failed, undefined);
});

test("requests that nobody has answered are answered at the end, once, and nothing comes after that", async () => {
  const input = new PassThrough();
  const lines: { id?: unknown; error?: unknown }[] = [];
  const write: WriteOut = (text, written) => {
    lines.push(JSON.parse(text));
    written();
  };
  const { readable, writable, sendNow, finish } = messageStream({ input, write });
  const reader = readable.getReader();
  for (const id of [1, 2, 3]) input.write(`{"jsonrpc":"2.0","id":${id},"method":"session/prompt","params":{}}\n`);
  for (const _ of [1, 2, 3]) await reader.read();
  const writer = writable.getWriter();
  await writer.write({ jsonrpc: "2.0", id: 1, result: {} });
  const finished = finish(() => ({ code: -32_603, message: "over" }), PATIENCE_MS);
  await writer.write({ jsonrpc: "2.0", id: 2, result: {} });
  assert.deepEqual(
    lines.map(({ id }) => id),
    [1, 2],
    "those that may still come are waited for",
  );
  await writer.write({ jsonrpc: "2.0", id: 3, result: {} });
  await finished;
  assert.equal(lines.length, 3, "all were answered");

  const more = new PassThrough();
  const late = messageStream({ input: more, write });
  more.write('{"jsonrpc":"2.0","id":7,"method":"session/new"}\n');
  await late.readable.getReader().read();
  await late.finish(() => ({ code: -32_603, message: "over" }), 0);
  assert.deepEqual(lines.at(-1), { jsonrpc: "2.0", id: 7, error: { code: -32_603, message: "over" } });
  await late.writable.getWriter().write({ jsonrpc: "2.0", id: 7, result: {} });
  late.sendNow(update);
  sendNow(update);
  assert.equal(lines.length, 4, "a late answer is not written");
});

test("a request whose answer is being written gets no other", async () => {
  const input = new PassThrough();
  const written: (() => void)[] = [];
  const ids: unknown[] = [];
  const write: WriteOut = (text, done) => {
    ids.push(JSON.parse(text).id);
    written.push(() => done());
  };
  const { readable, writable, finish } = messageStream({ input, write });
  const reader = readable.getReader();
  for (const id of [1, 2]) input.write(`{"jsonrpc":"2.0","id":${id},"method":"session/list"}\n`);
  for (const _ of [1, 2]) await reader.read();
  const answered = writable.getWriter().write({ jsonrpc: "2.0", id: 1, result: {} });
  await finish(() => ({ code: -32_603, message: "over" }), 0);
  for (const done of written) done();
  await answered;
  assert.deepEqual(ids, [1, 2]);
});

test("the end of the input and the end of the command wait for their answers side by side", async () => {
  const input = new PassThrough();
  const { readable, writable, finish } = messageStream({ input, write: (_, written) => written() });
  const reader = readable.getReader();
  input.write('{"jsonrpc":"2.0","id":1,"method":"session/new"}\n{"jsonrpc":"2.0","id":2,"method":"session/prompt"}\n');
  for (const _ of [1, 2]) await reader.read();
  input.end();
  await new Promise((resolve) => input.once("end", resolve));
  const finished = finish(() => ({ code: -32_603, message: "over" }), PATIENCE_MS);
  const writer = writable.getWriter();
  await writer.write({ jsonrpc: "2.0", id: 1, result: {} });
  assert.equal((await reader.read()).done, true);
  await writer.write({ jsonrpc: "2.0", id: 2, result: {} });
  using _ = deadline(() => assert.fail("the answer came, and is still waited for"), PATIENCE_MS / 2);
  await finished;
});

test("a message that is nested too deep is refused, since no answer could repeat it", () => {
  const deep = (levels: number): string => `{"id":1,"method":"x","params":${"[".repeat(levels)}${"]".repeat(levels)}}`;
  assert.ok("message" in readMessage(deep(200)));
  for (const levels of [300, 100_000]) assert.match(JSON.stringify(readMessage(deep(levels))), /"code":-32600.*levels/);
});
