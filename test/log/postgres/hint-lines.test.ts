import assert from "node:assert/strict";
import { test } from "node:test";
import { COMMITS, readCommit, readPayload, toPayloads } from "../../../src/log/postgres/hint-lines.ts";

const commit = (n: number) => ({ session: `ses_${String(n).padStart(26, "0")}`, from: n, to: n + 3 });

test("what is sent is what is heard", () => {
  const [payload = "", ...more] = toPayloads("me", 7, [commit(1), commit(2)], ["o 12", "w ses_1 left"]);
  assert.deepEqual(more, []);
  const heard = readPayload(payload);
  assert.deepEqual(heard && { sender: heard.sender, number: heard.number }, { sender: "me", number: 7 });
  const commits = heard?.lines.filter(({ kind }) => kind === COMMITS).map(({ text }) => readCommit(text));
  assert.deepEqual(commits, [commit(1), commit(2)]);
  assert.deepEqual(heard?.lines.slice(2), [
    { kind: "o", text: "12" },
    { kind: "w", text: "ses_1 left" },
  ]);
});

test("a payload stays below PostgreSQL's limit: many commits become any, other words get further payloads", () => {
  const commits = Array.from({ length: 1000 }, (_, n) => commit(n));
  const words = Array.from({ length: 30 }, (_, n) => `w ${"é".repeat(300)} ${n}`);
  const payloads = toPayloads("me", 1, commits, words);
  for (const payload of payloads) assert.ok(Buffer.byteLength(payload) < 8000);
  const lines = payloads.flatMap((payload) => readPayload(payload)?.lines ?? []);
  assert.deepEqual(lines[0], { kind: COMMITS, text: "*" });
  assert.equal(lines.length, 31);
});

for (const payload of ["", "me", "me x", "\n\n", "a b c"]) {
  test(`a payload of somebody else's is passed over: ${JSON.stringify(payload)}`, () =>
    assert.equal(readPayload(payload), undefined));
}

test("any session, and what a newer Parley says, is no certain commit", () => {
  for (const text of ["*", "", "ses_1", "ses_1 1", "ses_1 a b"]) assert.equal(readCommit(text), undefined);
});
