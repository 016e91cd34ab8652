import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome, Receipt } from "../../src/core/receipt.ts";
import { lawfulEvents } from "../support/laws.ts";
import { startServer } from "../support/server.ts";

const MANY = 100;

test(`the same prompt sent ${MANY} times at once is one turn with ${MANY} equal answers; another body is a conflict`, async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const body = { id: "msg_same", text: "only once" };
  const path = `/v1/sessions/${id}/prompts`;
  const others: number[] = [];
  const receipts = await Promise.all(
    Array.from({ length: MANY }, async (_, at) => {
      if (at % 10 !== 9) return api.prompt(id, body);
      const other = await api.call("POST", path, { ...body, text: `something else ${at}` });
      others.push(other.status);
      return api.prompt(id, body);
    }),
  );
  for (const receipt of receipts) assert.deepEqual(receipt, receipts[0]);
  assert.deepEqual(others, Array(10).fill(409));
  const outcomes = await Promise.all(Array.from({ length: MANY }, () => api.ask(id, body)));
  for (const outcome of outcomes) assert.deepEqual(outcome, outcomes[0]);
  await api.refused("prompt_conflict", "POST", path, { ...body, text: "something else" });
  const events = await lawfulEvents(api, id);
  assert.equal(events.filter((event) => event.type === "turn.started").length, 1);
  assert.equal(events.filter((event) => event.type === "turn.ended").length, 1);
});

test("the same key sent many times while the session is busy waits once", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  await api.prompt(id, "[[slow 60000]]");
  const headers = { "idempotency-key": "once" };
  const receipts = await Promise.all(
    Array.from({ length: MANY }, () =>
      api.expect<Receipt>(202, "POST", `/v1/sessions/${id}/prompts`, { text: "next" }, { headers }),
    ),
  );
  for (const receipt of receipts) assert.deepEqual(receipt, receipts[0]);
  assert.equal((await api.session(id)).queue.length, 1);
  await api.cancel(id, { queue: "keep" });
  const outcome = await api.expect<Outcome>(
    200,
    "POST",
    `/v1/sessions/${id}/prompts?wait=true`,
    { text: "next" },
    { headers },
  );
  assert.deepEqual(outcome.receipt, receipts[0]);
  assert.equal(outcome.reason, "end_turn");
  await lawfulEvents(api, id);
});

test("a repeat after a restart is still a repeat", async (t) => {
  const server = await startServer(t);
  const { id } = await server.api.create();
  const body = { id: "msg_same", text: "only once" };
  const outcome = await server.api.ask(id, body);
  await server.restart();
  assert.deepEqual(await server.api.ask(id, body), outcome);
  assert.equal((await server.api.session(id)).turns, 1);
});
