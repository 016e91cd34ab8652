import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ParleyEvent } from "../../src/core/events/event.ts";
import type { Item } from "../../src/core/events/items.ts";
import type { Row } from "../../web/model/transcript/row.ts";
import { NOTHING, sectionsOf, type Transcript, withNewer, withOlder } from "../../web/model/transcript/transcript.ts";
import { AcpReplay } from "../agents/acp/replay.ts";
import { ClaudeReplay } from "../agents/claude/replay.ts";
import { CodexReplay } from "../agents/codex/replay.ts";
import { OpenCodeReplay } from "../agents/opencode/replay/replay.ts";
import { Recordings } from "../agents/replay/recording.ts";
import { playAll } from "../agents/replay/replay.ts";

const REPLAYS = {
  acp: () => new AcpReplay(),
  claude: () => new ClaudeReplay(),
  codex: () => new CodexReplay(),
  "opencode-agent": () => new OpenCodeReplay(),
};

/** The events of every recorded session and of its sub-agents. */
function recorded(): { name: string; events: ParleyEvent[] }[] {
  return Object.entries(REPLAYS).flatMap(([agent, open]) => {
    const recordings = new Recordings(agent);
    return recordings.names().flatMap((name) =>
      playAll(open(), recordings.read(name))
        .worlds()
        .map(({ events }, child) => ({ name: `${agent}/${name}#${child}`, events: events as ParleyEvent[] })),
    );
  });
}

const sessions = recorded();

/** Reads as a page does: the newest events first, older ones in pages, new ones between. */
function readInPages(events: readonly ParleyEvent[], sizes: readonly number[], live: number): Transcript {
  const newest = events.length - Math.min(live, events.length);
  let from = Math.max(0, newest - (sizes[0] ?? 1));
  let now = withNewer(NOTHING, events.slice(from, newest));
  let to = newest;
  for (let page = 1; from > 0 || to < events.length; page++) {
    const size = sizes[page % sizes.length] ?? 1;
    if (to < events.length) {
      // A stream repeats what a page has told already.
      now = withNewer(now, events.slice(Math.max(from, to - 2), to + size));
      to = Math.min(events.length, to + size);
    }
    now = withOlder(now, events.slice(Math.max(0, from - size), Math.min(events.length, from + 1)));
    from = Math.max(0, from - size);
  }
  return now;
}

test("a transcript is the same however its events were parted into pages", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...sessions),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 }),
      fc.nat(30),
      ({ events }, sizes, live) => {
        assert.deepEqual(readInPages(events, sizes, live), withNewer(NOTHING, events));
      },
    ),
    { numRuns: 300 },
  );
});

test("any run of events is the same however it was parted", () => {
  const cut = fc.nat(1_000);
  fc.assert(
    fc.property(fc.constantFrom(...sessions), cut, cut, cut, ({ events }, ...cuts) => {
      const [from = 0, middle = 0, to = 0] = cuts.map((at) => at % (events.length + 1)).sort((a, b) => a - b);
      const whole = withNewer(NOTHING, events.slice(from, to));
      const parted = withOlder(withNewer(NOTHING, events.slice(middle, to)), events.slice(from, middle));
      assert.deepEqual(parted, whole);
    }),
    { numRuns: 2_000 },
  );
});

test("repeated events change nothing", () => {
  for (const { name, events } of sessions) {
    const once = withNewer(NOTHING, events);
    assert.equal(withNewer(once, events), once, name);
    assert.deepEqual(withOlder(once, events), once, name);
  }
});

const itemsOf = (rows: readonly Row[]): (Item | undefined)[] =>
  rows.flatMap((row) =>
    row.kind === "item" ? [row.part.item] : row.kind === "tool" ? [row.call?.item, row.result?.item] : [],
  );

test("every item of a recorded session is shown as it completed, in its turn", () => {
  for (const { name, events } of sessions) {
    const { turns } = withNewer(NOTHING, events);
    for (const event of events) {
      if (event.type !== "item.completed") continue;
      const turn = turns.find(({ id }) => id === event.turn);
      const shown = itemsOf(turn?.rows ?? []).find((item) => item?.id === event.data.item.id);
      assert.equal(shown, event.data.item, `${name} ${event.data.item.id}`);
    }
  }
});

test("sections have every turn and every row between turns once, in order", () => {
  for (const { name, events } of sessions) {
    const now = withNewer(NOTHING, events);
    const sections = sectionsOf(now);
    const turns = sections.flatMap((one) => (one.kind === "turn" ? [one.turn] : []));
    const loose = sections.flatMap((one) => (one.kind === "loose" ? one.rows : []));
    assert.deepEqual(turns, now.turns, name);
    assert.deepEqual(loose, now.loose, name);
    const places = sections.map((one) => (one.kind === "turn" ? one.turn.at : (one.rows[0]?.at ?? 0)));
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
      name,
    );
  }
});

function events(...said: [type: string, data: unknown, turn?: string][]): ParleyEvent[] {
  return said.map(
    ([type, data, turn], index) =>
      ({
        id: `ses_1:${index + 1}`,
        seq: index + 1,
        session: "ses_1",
        time: 1_000 + index,
        source: "agent",
        type,
        data,
        ...(turn ? { turn } : {}),
      }) as ParleyEvent,
  );
}

test("a text that streams is shown as far as it came, also from its middle on", () => {
  const said = events(
    ["turn.started", { by: "user" }, "trn_1"],
    ["item.started", { item: { id: "prt_1", kind: "message", role: "assistant", status: "running" } }, "trn_1"],
    ["item.delta", { item: "prt_1", kind: "message", role: "assistant", field: "text", delta: "Hel" }, "trn_1"],
    ["item.delta", { item: "prt_1", kind: "message", role: "assistant", field: "text", delta: "lo" }, "trn_1"],
    ["item.delta", { item: "prt_1", kind: "message", role: "assistant", field: "text", replace: "Bye" }, "trn_1"],
  );
  const textOf = (some: readonly ParleyEvent[]): unknown => {
    const [item] = itemsOf(withNewer(NOTHING, some).turns[0]?.rows ?? []);
    return item && "text" in item ? item.text : undefined;
  };
  assert.equal(textOf(said.slice(0, 4)), "Hello");
  assert.equal(textOf(said.slice(3, 4)), "lo");
  assert.equal(textOf(said), "Bye");
  assert.equal(textOf(said.slice(3)), "Bye");
});

test("turns that were cut, and those that were taken back for now, are told apart from the others", () => {
  const now = withNewer(
    NOTHING,
    events(
      ["turn.started", { by: "user" }, "trn_1"],
      ["turn.ended", { reason: "end_turn" }, "trn_1"],
      ["turn.started", { by: "user" }, "trn_2"],
      ["turn.ended", { reason: "end_turn" }, "trn_2"],
      ["history.cut", { turns: ["trn_2"], from: 3, messages: [] }],
    ),
  );
  const taken = (back: string[]): boolean[] =>
    sectionsOf(now, back).flatMap((one) => (one.kind === "turn" ? [one.taken] : []));
  assert.deepEqual(taken([]), [false, true]);
  assert.deepEqual(taken(["trn_1"]), [true, true]);
});

test("events of a newer Parley are passed over", () => {
  const now = withNewer(NOTHING, events(["session.dreamt", { of: "sheep" }], ["turn.dreamt", {}, "trn_1"]));
  assert.deepEqual(now, { ...NOTHING, first: 1, last: 2 });
});
