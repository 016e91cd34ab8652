import assert from "node:assert/strict";
import { test } from "node:test";
import { assertNoGap, lawfulEvents } from "../support/laws.ts";
import { agent, startServer } from "../support/server.ts";

test("10,000 lines of noise hide no good line, fill no log, and nothing is written back because of them", async (t) => {
  const { api, lines } = await startServer(t, { agents: { noisy: agent("agents/noise-and-echo", 10_000) } });
  const { id } = await api.create({ agent: "noisy" });
  const stream = await api.stream(id);
  await api.ask(id, "go");
  await stream.first("turn.ended");
  assertNoGap(stream.events);
  const said = stream.events.flatMap((event) =>
    event.type === "item.completed" && event.data.item.kind === "message" && event.data.item.role === "assistant"
      ? [event.data.item.text]
      : [],
  );
  assert.ok(said.includes(Array.from({ length: 100 }, (_, good) => `${good} `).join("")), "every good line is there");
  const told = said.find((text) => text?.startsWith("[")) ?? "";
  const heard = (JSON.parse(told) as string[]).map((line) => (JSON.parse(line) as { type: string }).type);
  assert.deepEqual(heard, ["open", "prompt"]);
  const reports = stream.events.filter((event) => event.type === "agent.unparsed");
  assert.ok(reports.length > 0 && reports.length <= 20, `${reports.length} reports`);
  assert.ok(lines.length <= 20, `${lines.length} lines in the log`);
  const blank = 2 * Math.floor(10_000 / 14);
  const counted = reports.reduce((sum, event) => sum + (event.type === "agent.unparsed" ? event.data.count : 0), 0);
  assert.ok(counted >= 10_000 - blank - 20 && counted <= 10_001, `${counted} were counted`);
  await lawfulEvents(api, id);
  await stream.close();
});

for (const end of ["lf", "crlf"]) {
  test(`a line that ends with ${end} is read byte for byte, wherever it is split`, async (t) => {
    const delta = "ä€😀\u2028\u2029\u0085\t\\\"'é\u0001\ufeff";
    const { api } = await startServer(t, { agents: { split: agent("agents/split-bytes", delta, end) } });
    const { id } = await api.create({ agent: "split" });
    const stream = await api.stream(id);
    const { text } = await api.ask(id, "go");
    await stream.first("turn.ended");
    const deltas = stream.events.flatMap((event) => (event.type === "item.delta" ? [event.data.delta] : []));
    assert.ok(deltas.length > 100);
    assert.deepEqual(new Set(deltas), new Set([delta]));
    assert.equal(text, deltas.join(""));
    assert.equal(stream.count("agent.unparsed"), 0);
    await lawfulEvents(api, id);
    await stream.close();
  });
}

test("bytes that are no UTF-8 are shown as such, and the lines around them are whole", async (t) => {
  const { api } = await startServer(t, { agents: { broken: agent("bad-utf8") } });
  const { id } = await api.create({ agent: "broken" });
  const { text, reason } = await api.ask(id, "go");
  assert.equal(reason, "end_turn");
  assert.match(text, /^a\ufffd+b whole: äöü €$/);
});

test("a line of 100 MB is skipped and told, and its turn lives", async (t) => {
  const { api } = await startServer(t, { agents: { huge: agent("huge-line", 100) } });
  const { id } = await api.create({ agent: "huge" });
  const outcome = await api.ask(id, "go");
  assert.equal(outcome.reason, "end_turn");
  assert.equal(outcome.text, " after");
  const events = await lawfulEvents(api, id);
  const [report, ...more] = events.filter((event) => event.type === "agent.unparsed");
  assert.deepEqual(more, []);
  assert.equal(report?.data.reason, "line_too_large");
  assert.equal(report?.data.bytes, 100_000_000);
  assert.equal((await api.ask(id, "again")).reason, "end_turn");
});
