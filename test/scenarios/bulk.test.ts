import assert from "node:assert/strict";
import { test } from "node:test";
import type { ParleyEvent } from "../../src/core/events/event.ts";
import { lawfulEvents } from "../support/laws.ts";
import { startProbed } from "../support/probed.ts";
import { agent } from "../support/server.ts";
import { HARD } from "../support/time.ts";

// Milliseconds of the main thread's own work in one go. A quiet machine needs 100; work that grows with the square of the
// size needs minutes on any machine.
const MOST_CPU = HARD ? 400 : 4_000;
const ALL_KINDS = [
  "text",
  "escapes",
  "members",
  "objects",
  "texts",
  "noise",
  "output",
  "picture",
  "diff",
  "deltas",
  "lines",
  "open",
  "calls",
  "deep",
];
/** The cheap half of them stands for all, but for `npm run test:hard`. */
const KINDS = HARD ? ALL_KINDS : ["text", "objects", "texts", "output", "diff", "deltas", "deep"];
const MEGABYTES = 24;

const agents = Object.fromEntries(KINDS.map((kind) => [kind, agent("bulk", kind, MEGABYTES)]));

function textOf(events: readonly ParleyEvent[], kind: "message" | "tool_result"): string {
  const items = events.flatMap((event) => (event.type === "item.completed" ? [event.data.item] : []));
  return items.map((item) => (item.kind === kind && item.text ? item.text : "")).join("");
}

test(`nothing that an agent says in ${MEGABYTES} MB holds up the server, and its turn goes on`, async (t) => {
  const { api, heldUp } = await startProbed(t, agents);
  const other = await api.create();
  const all = await api.stream(null);
  const opencode = await fetch(`${api.url}/event`);
  void opencode.body?.pipeTo(new WritableStream()).catch(() => {});
  for (let warm = 0; warm < 2; warm++) await api.ask(other.id, "hello");
  await (await api.stream((await api.create({ agent: "text" })).id)).close();
  await heldUp();
  for (const kind of KINDS) {
    const { id } = await api.create({ agent: kind });
    const stream = await api.stream(id);
    const { turn } = await api.prompt(id, "go");
    await stream.event((event) => event.type === "turn.ended" && event.turn === turn, "the turn's end");
    const { cpu, wall } = await heldUp();
    t.diagnostic(`${kind}: ${Math.round(cpu)} ms of work, ${Math.round(wall)} ms in all`);
    assert.ok(cpu < MOST_CPU, `${kind} had the server work ${cpu} ms in one go`);
    await stream.close();
    const events = await lawfulEvents(api, id);
    assert.ok(events.every((event) => JSON.stringify(event).length < 8_000_000));
    assert.ok(textOf(events, "message").endsWith("after"), kind);
    if (["text", "escapes"].includes(kind)) assert.match(textOf(events, "message"), /\(… \d{8} bytes left out …\)/);
    if (kind === "deltas") assert.match(textOf(events, "message"), /\(… \d{8} characters left out …\)/);
    if (kind === "output") assert.match(textOf(events, "tool_result"), /\(… \d{8} bytes left out …\)/);
    await heldUp();
  }
  await all.close();
});
