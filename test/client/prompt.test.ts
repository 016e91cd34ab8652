import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient, ParleyApiError, ParleyConnectionError, type PromptInput } from "../../src/client/index.ts";
import { startProxy } from "./cutting-proxy.ts";
import { problem, startFake } from "./fake-server.ts";
import { quick, startServer } from "./support.ts";

async function bodyOf(request: AsyncIterable<Buffer>): Promise<PromptInput> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

test("a hundred equal prompts at once are one turn with a hundred equal receipts; another body is refused", async () => {
  await using server = await startServer();
  const client = createClient({ url: server.url });
  const session = client.session(await client.sessions.create());
  const prompt = { id: "msg_once", text: "hello" };
  const receipts = await Promise.all(Array.from({ length: 100 }, () => session.prompt(prompt)));
  const [first] = receipts;
  assert.ok(first);
  for (const receipt of receipts) assert.deepEqual(receipt, first);
  assert.equal((await session.turn(first).outcome()).reason, "end_turn");
  assert.deepEqual(await session.prompt(prompt), first);
  assert.equal((await session.get()).turns, 1);
  await assert.rejects(
    session.prompt({ ...prompt, text: "hello?" }),
    (error) => error instanceof ParleyApiError && error.status === 409 && error.code === "prompt_conflict",
  );
  assert.equal((await session.get()).turns, 1);
});

test("a prompt whose answer got lost is sent again under its id, and is one turn", async () => {
  await using server = await startServer();
  const direct = createClient({ url: server.url });
  const session = direct.session(await direct.sessions.create());
  // The first three answers are cut after a few bytes, when the prompt is stored already.
  await using proxy = await startProxy(server.port, (connection) => ({
    ...{ bytes: connection < 3 ? 20 : Number.POSITIVE_INFINITY, how: "reset" as const },
  }));
  const client = createClient({ url: proxy.url, backoff: quick });
  const receipt = await client.session(session.id).prompt("hello");
  assert.equal(proxy.cuts, 3);
  assert.equal((await session.turn(receipt).outcome()).reason, "end_turn");
  assert.equal((await session.get()).turns, 1);
});

test("prompts that are given twice on purpose have ids of their own", async () => {
  await using server = await startServer();
  const client = createClient({ url: server.url });
  const session = client.session(await client.sessions.create());
  const [a, b] = [await session.prompt("hello"), await session.prompt("hello")];
  assert.notEqual(a.prompt, b.prompt);
  assert.equal((await session.turn(b).outcome()).reason, "end_turn");
  assert.equal((await session.get()).turns, 2);
});

for (const status of [502, 503, 504]) {
  test(`${status} is tried again with the same id`, async () => {
    const ids: (string | undefined)[] = [];
    await using server = await startFake(async (response, request, index) => {
      ids.push((await bodyOf(request)).id);
      if (index < 2) return problem(response, status, "unavailable");
      response.writeHead(202, { "content-type": "application/json" }).end('{"prompt":"x","status":"started","seq":1}');
    });
    const client = createClient({ url: server.url, backoff: quick });
    assert.equal((await client.session("ses_fake").prompt("hello")).status, "started");
    assert.equal(ids.length, 3);
    assert.match(ids[0] ?? "", /^msg_[0-9a-f]{12}[0-9A-Za-z]{14}$/);
    assert.equal(new Set(ids).size, 1);
  });
}

test("it gives up after a few tries with the last reason", async () => {
  await using server = await startFake((response) => response.destroy());
  const client = createClient({ url: server.url, backoff: quick, retries: 2 });
  await assert.rejects(
    client.session("ses_fake").prompt("hello"),
    (error) => error instanceof ParleyConnectionError && /^POST http.*\/prompts got no answer/.test(error.message),
  );
  assert.equal(server.requests.length, 3);
});

test("a refused request is not sent again, nor one that could take effect twice", async () => {
  await using server = await startFake((response, request) => {
    if (request.url?.endsWith("/prompts")) problem(response, 422, "invalid");
    else response.destroy();
  });
  const client = createClient({ url: server.url, backoff: quick });
  const session = client.session("ses_fake");
  const calls = [
    () => session.prompt("hello"),
    () => client.sessions.create(),
    () => session.cancel(),
    () => session.answer("per_x", "once"),
  ];
  for (const call of calls) await assert.rejects(call);
  assert.equal(server.requests.length, calls.length);
});
