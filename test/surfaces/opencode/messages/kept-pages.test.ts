import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionState } from "../../../../src/core/session-state.ts";
import type { SessionHead } from "../../../../src/log/contract.ts";
import { KeptPages } from "../../../../src/surfaces/opencode/messages/kept-pages.ts";
import type { MessageWithParts } from "../../../../src/surfaces/opencode/shapes/message.ts";
import { sessionsRig } from "../sessions-rig.ts";

const KB = 1024;

function headOf(id: string): SessionHead {
  return { state: { id } as SessionState, first: 1, last: 10 };
}

function pageOf(bytes: number): { body: Buffer } {
  return { body: Buffer.alloc(bytes) };
}

test("a page is found for its own query while nothing changed, and not again after a change", () => {
  const head = headOf("ses_a");
  const query = { limit: 4, before: 8 };
  const page = { ...pageOf(3), cursor: "older" };
  const changed: [string, SessionHead][] = [
    ["an event was added", { ...head, last: 11 }],
    ["turns were pruned", { ...head, first: 5 }],
    ["the state is another one", { ...head, state: { ...head.state } }],
  ];
  for (const [why, later] of changed) {
    const kept = new KeptPages();
    kept.put(head, query, page);
    assert.equal(kept.find(head, query)?.body, page.body);
    assert.equal(kept.find({ ...head }, query)?.cursor, "older");
    for (const other of [{ limit: 4 }, { before: 8 }, { limit: 8, before: 4 }, {}])
      assert.equal(kept.find(head, other), undefined, JSON.stringify(other));
    assert.equal(kept.find(headOf("ses_b"), query), undefined);
    assert.equal(kept.find(later, query), undefined, why);
    assert.equal(kept.find(head, query), undefined, "it was let go");
  }
});

test("the pages that were read last are kept, up to so many bytes", () => {
  const kept = new KeptPages();
  const heads = Array.from({ length: 7 }, (_, at) => headOf(`ses_${at}`));
  const found = (): number[] => heads.flatMap((head, at) => (kept.find(head, {}) ? [at] : []));
  for (const head of heads.slice(0, 4)) kept.put(head, {}, pageOf(256 * KB));
  assert.deepEqual(found(), [0, 1, 2, 3]);
  assert.ok(kept.find(heads[0] as SessionHead, {}), "it is the newest now");
  kept.put(heads[4] as SessionHead, {}, pageOf(256 * KB));
  assert.deepEqual(found(), [0, 2, 3, 4]);
  kept.put(heads[5] as SessionHead, {}, pageOf(256 * KB + 1));
  assert.deepEqual(found(), [0, 2, 3, 4], "one that is too long drops no others");
  kept.put(heads[3] as SessionHead, {}, pageOf(1));
  kept.put(heads[6] as SessionHead, {}, pageOf(256 * KB - 1));
  assert.deepEqual(found(), [0, 2, 3, 4, 6], "a page that is put again counts once");
});

test("a page that is asked for again is the same, and shows each change at once", async (t) => {
  const { client, server } = await sessionsRig(t, { "*": [{ text: "You said: {{prompt}}" }] });
  const { id } = await client.create();
  for (const word of ["one", "two", "three"]) await client.ask(id, word);
  const page = async (): Promise<{ text: string; link: string | null; messages: MessageWithParts[] }> => {
    const response = await fetch(`${client.url}/session/${id}/message?limit=4`);
    assert.equal(response.headers.get("content-type"), "application/json");
    const text = await response.text();
    return { text, link: response.headers.get("link"), messages: JSON.parse(text) };
  };
  const whole = await client.messages(id);
  const reads = t.mock.method(server.parley.gateway.log, "readBack");
  const first = await page();
  assert.ok(reads.mock.callCount() > 0);
  reads.mock.resetCalls();
  assert.deepEqual(await page(), first);
  assert.equal(reads.mock.callCount(), 0, "it is not read again");
  assert.deepEqual(first.messages, whole.slice(2));

  await client.ask(id, "four");
  const second = await page();
  assert.deepEqual(second.messages, (await client.messages(id)).slice(-4));
  assert.notDeepEqual(second.messages, first.messages);

  const { info } = second.messages[2] ?? assert.fail();
  await client.expect(200, "POST", `/session/${id}/revert`, { messageID: info.id });
  await client.ask(id, "five");
  assert.deepEqual((await page()).messages, (await client.messages(id)).slice(-4));

  await client.expect(200, "DELETE", `/session/${id}`);
  assert.equal((await client.call("GET", `/session/${id}/message?limit=4`)).status, 404);
});
