import type { ParleyEvent } from "../../../../src/core/events/event.ts";
import { checkLaws } from "../../../../src/core/ledger/laws.ts";
import type { Seen, StoredEvent, StoredSession, Violation } from "../records.ts";

/** The events of each session, in their order. */
export function bySession(events: readonly StoredEvent[]): Map<string, StoredEvent[]> {
  const grouped = Map.groupBy(events, ({ session }) => session);
  for (const list of grouped.values()) list.sort((a, b) => a.seq - b.seq);
  return grouped;
}

/** An event with the count of numbers before it that were folded, as readers get it. */
export function parsed({ json, folded }: StoredEvent): ParleyEvent {
  const event = JSON.parse(json) as ParleyEvent;
  return folded > 0 ? { ...event, folded } : event;
}

/** Numbers count from the first one without a hole; those that were folded are counted by the event after them. */
export function checkNumbers(sessions: readonly StoredSession[], events: readonly StoredEvent[]): Violation[] {
  const grouped = bySession(events);
  return sessions.flatMap(({ id, first }) => {
    const violations: Violation[] = [];
    let last = first - 1;
    for (const { seq, folded } of grouped.get(id)?.filter((event) => event.seq >= first) ?? []) {
      if (seq - folded - 1 > last)
        violations.push({ rule: "no-hole", message: `${id}: ${seq} (folded ${folded}) follows ${last}` });
      last = seq;
    }
    if (last < first) violations.push({ rule: "no-hole", message: `${id}: nothing is stored` });
    return violations;
  });
}

const FOLDED = /,"folded":\d+\}$/;

/** What a client saw, without the count of folded numbers: it may have grown since. */
const plain = (json: string): string => json.replace(FOLDED, "}");

/** Whether a number was folded away: it lies in the run before an event that counts it. */
function isFolded(list: readonly StoredEvent[], seq: number): boolean {
  const next = list.find((event) => event.seq > seq);
  return next !== undefined && next.seq - next.folded <= seq;
}

/** What a client saw is stored, byte for byte. Only a delta may be gone, where it was folded. */
export function checkSeen(
  seen: readonly Seen[],
  sessions: readonly StoredSession[],
  events: readonly StoredEvent[],
): Violation[] {
  const grouped = bySession(events);
  const stored = new Map(events.map((event) => [`${event.session}:${event.seq}`, event.json]));
  const firsts = new Map(sessions.map(({ id, first }) => [id, first]));
  return seen.flatMap(({ session, seq, json, client }) => {
    const there = stored.get(`${session}:${seq}`);
    if (there === plain(json)) return [];
    const what = `${client} saw ${session}:${seq}`;
    if (there !== undefined)
      return [{ rule: "seen-stored", message: `${what} as ${json.slice(0, 200)}, stored is ${there.slice(0, 200)}` }];
    if (seq < (firsts.get(session) ?? 1)) return [];
    const isDelta = (JSON.parse(json) as ParleyEvent).type === "item.delta";
    if (isDelta && isFolded(grouped.get(session) ?? [], seq)) return [];
    return [{ rule: "seen-stored", message: `${what}, which is not stored: ${json.slice(0, 200)}` }];
  });
}

/** Every session is lawful, nothing is left open, and a turn whose cancel was acknowledged ended as cancelled. */
export function checkSessions(events: readonly StoredEvent[], cancelled: ReadonlySet<string>): Violation[] {
  return [...bySession(events)].flatMap(([session, list]) => {
    const all = list.map(parsed);
    const laws = checkLaws(all, { final: true, cancelled }).map(({ law, seq, message }) => ({
      rule: "laws",
      message: `${session}:${seq} breaks law ${law}: ${message.slice(0, 300)}`,
    }));
    return [...laws, ...checkTurnCounts(session, all), ...checkTimes(session, all)];
  });
}

/** A turn begins once and ends once. */
function checkTurnCounts(session: string, events: readonly ParleyEvent[]): Violation[] {
  const counts = new Map<string, { started: number; ended: number }>();
  for (const { type, turn = "" } of events) {
    if (type !== "turn.started" && type !== "turn.ended") continue;
    const count = counts.get(turn) ?? { started: 0, ended: 0 };
    count[type === "turn.started" ? "started" : "ended"]++;
    counts.set(turn, count);
  }
  return [...counts]
    .filter(([, { started, ended }]) => started !== 1 || ended !== 1)
    .map(([turn, { started, ended }]) => ({
      rule: "one-end",
      message: `${session}: turn ${turn} began ${started} and ended ${ended} times`,
    }));
}

/** Times and ids of steps do not step back, whatever the nodes' clocks said. */
function checkTimes(session: string, events: readonly ParleyEvent[]): Violation[] {
  const violations: Violation[] = [];
  let [time, step] = [0, ""];
  for (const event of events) {
    if (event.time < time)
      violations.push({ rule: "times", message: `${event.id} is of ${event.time}, after one of ${time}` });
    time = Math.max(time, event.time);
    if (event.type !== "step.started") continue;
    if (event.data.id <= step)
      violations.push({ rule: "times", message: `${session}: step ${event.data.id} sorts before ${step}` });
    step = event.data.id;
  }
  return violations;
}
