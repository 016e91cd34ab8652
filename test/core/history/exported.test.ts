import assert from "node:assert/strict";
import { test } from "node:test";
import { isParleyError } from "../../../src/core/errors.ts";
import type { ParleyEvent } from "../../../src/core/events/event.ts";
import { exportHeader, readExport } from "../../../src/core/history/exported.ts";
import { importedDrafts, newIdsFor } from "../../../src/core/history/imported.ts";
import { checkLaws } from "../../../src/core/ledger/laws.ts";
import { reduceSession, type SessionState } from "../../../src/core/session-state.ts";

type Said = Pick<ParleyEvent, "type" | "data"> & { turn?: string; folded?: number };

const message = (id: string, role: string, text: string) => ({ id, kind: "message", role, status: "completed", text });

/** A session with two turns, the first of which was cut; its deltas are folded. */
const SAID = [
  { type: "session.started", data: { agent: "mine", directory: "/there", version: 1, nativeId: "n1", mcpServers: [],
      permissions: [{ action: "*", pattern: "*", verdict: "allow" }] } },
  { type: "turn.started", turn: "trn_1", data: { by: "user", prompt: { id: "msg_1" } } },
  { type: "item.started", turn: "trn_1", data: { item: message("msg_1", "user", "one") } },
  { type: "item.completed", turn: "trn_1", data: { item: message("msg_1", "user", "one") } },
  { type: "turn.ended", turn: "trn_1", data: { reason: "end_turn" } },
  { type: "history.cut", data: { turns: ["trn_1"], from: 2, messages: ["msg_1"] } },
  { type: "turn.started", turn: "trn_2", data: { by: "user", prompt: { id: "msg_2", permissions: [{ action: "*", pattern: "*", verdict: "allow" }] } } },
  { type: "item.started", turn: "trn_2", data: { item: { ...message("prt_1", "assistant", ""), status: "running" } } },
  { type: "permission.requested", turn: "trn_2", data: { ask: "per_1", action: "bash", patterns: ["ls"], options: [] } },
  { type: "permission.resolved", turn: "trn_2", data: { ask: "per_1", outcome: "always", by: "me", action: "bash", patterns: ["ls"] } },
  { type: "item.completed", turn: "trn_2", folded: 5, data: { item: message("prt_1", "assistant", "hello") } },
  { type: "prompt.queued", turn: "trn_2", data: { prompt: { id: "msg_3", parts: [] }, position: 1 } },
  { type: "turn.ended", turn: "trn_2", data: { reason: "end_turn" } },
] as unknown as Said[]; // biome-ignore format: one event a line.

function eventsOf(said: readonly Said[], session = "ses_1"): ParleyEvent[] {
  let seq = 0;
  return said.map((one) => {
    seq += 1 + (one.folded ?? 0);
    return { ...one, id: `${session}:${seq}`, seq, session, time: 1_000 + seq, source: "agent" } as ParleyEvent;
  });
}

function linesOf(
  events: readonly ParleyEvent[],
  header: object = exportHeader("ses_1", [{ id: "ses_1", last: events.at(-1)?.seq ?? 0 }]),
): string[] {
  return [header, ...events].map((one) => JSON.stringify(one));
}

const events = eventsOf(SAID);
const lines = linesOf(events);
const without = (at: number): string[] => lines.filter((_, index) => index !== at);
const edited = (at: number, change: (line: string) => string): string[] =>
  lines.map((line, index) => (index === at ? change(line) : line));

const rows: [what: string, text: string[], message: RegExp][] = [
  ["nothing", [], /the file is empty/],
  ["another program's file", ['{"role":"user","content":"hi"}'], /line 1: expected the first line of a parley export/],
  ["a text", ["Dear diary"], /line 1: expected a JSON object/],
  ["a newer format", edited(0, (line) => line.replace('"format":1', '"format":2')), /line 1: expected format 1, got 2/],
  [
    "strangers",
    linesOf(
      events,
      exportHeader("ses_1", [
        { id: "ses_1", last: 18 },
        { id: "ses_2", last: 1, root: "ses_9", parent: "ses_9" },
      ]),
    ),
    /line 1: the sessions do not belong together/,
  ],
  ["half a line", edited(4, (line) => line.slice(0, 40)), /line 5: expected a JSON object.*damaged/],
  ["a line that is missing", without(4), /line 5: expected the event after event 3 of ses_1, got 5/],
  ["a line that is there twice", [...lines.slice(0, 3), ...lines.slice(2)], /line 4: .*got 2: .*repeated/],
  ["an end that is missing", lines.slice(0, -1), /expected ses_1 to end with event 18, got 17: the file is cut off/],
  ["a gap", [...lines.slice(0, 2), '{"type":"gap","data":{}}'], /line 3: events are missing here.*no longer kept/],
  [
    "an event of the wrong shape",
    edited(2, (line) => line.replace('"by":"user"', '"by":"nobody"')),
    /line 3: .*wrong at data\.by/,
  ],
  [
    "an event of a newer Parley",
    edited(2, (line) => line.replace("turn.started", "turn.dreamt")),
    /line 3: events of type turn.dreamt .*newer Parley/,
  ],
  [
    "an event of another session",
    edited(2, (line) => line.replaceAll("ses_1", "ses_2")),
    /line 3: session ses_2 is not named/,
  ],
  [
    "a turn that ends twice",
    linesOf(eventsOf([...SAID, ...SAID.slice(-1)])),
    /event 19 of ses_1 cannot be true \(law [12]\)/,
  ],
  ["a session without its beginning", linesOf(eventsOf(SAID.slice(1))), /expected ses_1 to begin with session.started/],
  [
    "depth",
    edited(1, (line) => line.replace('"/there"', `${"[".repeat(300)}${"]".repeat(300)}`)),
    /line 2: expected JSON of at most/,
  ],
];

for (const [what, text, wanted] of rows) {
  test(`an export with ${what} is refused in plain words`, () => {
    assert.throws(
      () => readExport(text.join("\n")),
      (error) => isParleyError(error) && error.code === "invalid" && wanted.test(error.message),
    );
  });
}

test("line ends of other systems, a byte order mark and empty lines change nothing", () => {
  assert.deepEqual(readExport(`\ufeff${lines.join("\r\n")}\r\n\r\n`), readExport(lines.join("\n")));
});

/** The session that drafts become. */
function stateOf(text: string, rename: boolean): { state: SessionState | undefined; stored: ParleyEvent[] } {
  const sessions = readExport(text);
  const [session] = sessions;
  assert.ok(session);
  const ids = rename ? newIdsFor(sessions) : undefined;
  const drafts = importedDrafts(session, { rename: ids, directory: "/here" });
  const stored = drafts.map((draft, at) => ({ ...draft, id: "", seq: at + 1, session: "ses_1" }) as ParleyEvent);
  return { stored, state: stored.reduce<SessionState | undefined>(reduceSession, undefined) };
}

for (const rename of [false, true]) {
  test(`an imported session is lawful, has no rights of another place, and waits for nothing${rename ? ", also under new ids" : ""}`, () => {
    const { state, stored } = stateOf(lines.join("\n"), rename);
    assert.deepEqual(checkLaws(stored, { final: true }), []);
    assert.deepEqual(
      [state?.directory, state?.nativeId, state?.permissions, state?.mcpServers],
      ["/here", undefined, undefined, undefined],
    );
    assert.deepEqual([state?.rules, state?.queue, state?.turn, state?.turns], [[], [], null, 2]);
    assert.deepEqual(state?.cuts, [{ from: 2, to: 6 }]);
    assert.doesNotMatch(JSON.stringify(stored), /"verdict"|"always"/);
    const ids = JSON.stringify(stored).match(/(trn|msg|prt|per)_\d\b/g);
    assert.equal(ids === null, rename);
  });
}
