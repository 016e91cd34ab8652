import type { Append, Down, NodeChange, Owning, StoredEvent, Time, Violation } from "../records.ts";
import { bySession, parsed } from "./stored.ts";

/** A turn in time, with the owners of its session meanwhile. */
export interface TurnSpan {
  session: string;
  turn: string;
  from: Time;
  to: Time;
}

/** The times of turns, by the appends that stored their first and last events. */
export function turnSpans(events: readonly StoredEvent[], appends: readonly Append[]): TurnSpan[] {
  const appended = Map.groupBy(appends, ({ session }) => session);
  return [...bySession(events)].flatMap(([session, list]) => {
    const own = appended.get(session) ?? [];
    const timeOf = (seq: number): Time => own.find(({ from, to }) => from <= seq && seq <= to)?.at ?? 0;
    const started = new Map<string, Time>();
    return list.map(parsed).flatMap(({ type, turn = "", seq }) => {
      if (type === "turn.started") started.set(turn, timeOf(seq));
      const from = started.get(turn);
      return type === "turn.ended" && from !== undefined ? [{ session, turn, from, to: timeOf(seq) }] : [];
    });
  });
}

const covers = (downs: readonly Down[], node: string, from: Time, to: Time): boolean =>
  downs.some((down) => down.node === node && down.from <= from && down.to >= to);

/** The part of a time in which a node was not down at all. */
const isUp = (downs: readonly Down[], node: string, from: Time, to: Time): boolean =>
  !downs.some((down) => down.node === node && down.from < to && down.to > from);

/** The moments at which something begins: only there can a time begin that is too long. */
function beginnings(downs: readonly Down[], { from, to }: TurnSpan): Time[] {
  const times = downs.flatMap((down) => [down.from, down.to]).filter((time) => time > from && time < to);
  return [from, ...times];
}

/**
 * No turn is open for longer than the limit while the node that owns it is down all the time and another one is up all the
 * time.
 */
export function checkOpenTurns(
  spans: readonly TurnSpan[],
  ownings: readonly Owning[],
  nodes: readonly NodeChange[],
  downs: readonly Down[],
  limitMs: number,
): Violation[] {
  const names = new Map(nodes.map(({ node, name }) => [node, name]));
  const all = [...new Set(names.values())];
  const owned = Map.groupBy(ownings, ({ session }) => session);
  return spans.flatMap((span) => {
    const owner = owned.get(span.session)?.findLast(({ at, released }) => !released && at <= span.from);
    const name = owner && names.get(owner.node);
    if (name === undefined) return [];
    const tooLong = beginnings(downs, span).find(
      (from) =>
        from + limitMs < span.to &&
        covers(downs, name, from, from + limitMs) &&
        all.some((other) => other !== name && isUp(downs, other, from, from + limitMs)),
    );
    if (tooLong === undefined) return [];
    const ms = Math.round(span.to - tooLong);
    const message = `${span.session}: turn ${span.turn} was open for ${ms} ms without its node ${name}, and others were up`;
    return [{ rule: "open-turn", message }];
  });
}
