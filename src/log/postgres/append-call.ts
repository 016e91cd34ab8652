import type { Value } from "../../postgres/database.ts";
import type { Planned, Target } from "../plan-append.ts";
import { isSettled } from "../settled.ts";
import type { Held } from "./held.ts";
import { toArray, toBytes, toColumn } from "./texts.ts";

export interface PlannedAppend {
  held: Held;
  planned: Planned<Target>;
}

const TYPES =
  "bigint text text[] bigint[] bigint[] bigint[] bigint[] text[] text[] text[] boolean[] int[] int[] " +
  "int[] bigint[] text[] text[] int[] int[] int[] int[] text[] bigint[] bytea";

/** The statement of a group of appends. It answers with a row for each of them, in their order. */
const APPEND = `SELECT outcome, sid FROM append_v1(${TYPES.split(" ")
  .map((type, at) => `$${at + 1}::${type}`)
  .join(", ")})`;

/** The same for a group that is one event. */
const APPEND_ONE = `SELECT append_one_v1($1::bigint, $2::text, $3::bigint, $4::bigint, $5::bigint, $6::text, $7::text,
  $8::text, $9::bytea) AS outcome, $3::bigint AS sid`;

export interface AppendRow {
  outcome: "stored" | "repeated" | "fenced" | "lost";
  sid: number | null;
}

/** Texts one after the other, as bytes. */
function createBytes() {
  const pieces: (string | Buffer)[] = [];
  let size = 0;
  return {
    /** Adds a text and says how long it is. */
    add(piece: string | Buffer): number {
      const length = typeof piece === "string" ? Buffer.byteLength(piece) : piece.length;
      pieces.push(piece);
      size += length;
      return length;
    },
    /** The place of the next text, counted from 1. */
    next: () => size + 1,
    all(): Buffer {
      const whole = Buffer.allocUnsafe(size);
      let at = 0;
      for (const piece of pieces) {
        at += typeof piece === "string" ? whole.write(piece, at) : piece.copy(whole, at);
      }
      return whole;
    },
  };
}

/** The one statement that stores a group, with its parameters. */
export function appendCall(
  node: number,
  place: string,
  group: readonly PlannedAppend[],
): { sql: string; values: Value[] } {
  const one = oneEvent(node, group);
  return one ? { sql: APPEND_ONE, values: one } : { sql: APPEND, values: valuesOf(node, place, group) };
}

/** The parameters of a group that is one event which changes nothing but the list of events. */
function oneEvent(node: number, [append, more]: readonly PlannedAppend[]): Value[] | undefined {
  if (!append || more) return undefined;
  const { held, planned } = append;
  const [row, further] = planned.rows;
  const plain = row && !further && row.name === undefined && planned.target.state === held.state;
  if (!plain || held.sid === undefined) return undefined;
  const { record, item } = row;
  const native = record.native === undefined ? null : toBytes(record.native);
  const text = item === null ? null : toColumn(item);
  return [node, toColumn(held.session), held.sid, held.epoch, record.seq, record.type, text, record.json, native];
}

function valuesOf(node: number, place: string, group: readonly PlannedAppend[]): Value[] {
  const bytes = createBytes();
  const of: number[] = [];
  const seqs: number[] = [];
  const types: string[] = [];
  const items: (string | null)[] = [];
  const places: number[] = [];
  const sizes: number[] = [];
  const natives: (number | null)[] = [];
  const names: { of: number[]; name: string[]; seq: number[] } = { of: [], name: [], seq: [] };
  const states: { at: number | null; size: number | null }[] = [];
  for (const [index, { held, planned }] of group.entries()) {
    const { rows, target } = planned;
    for (const { record, item, name } of rows) {
      of.push(index + 1);
      seqs.push(record.seq);
      types.push(record.type);
      items.push(item === null ? null : toColumn(item));
      places.push(bytes.next());
      sizes.push(bytes.add(record.json));
      natives.push(record.native === undefined ? null : bytes.add(toBytes(record.native)));
      if (name === undefined) continue;
      names.of.push(index + 1);
      names.name.push(toColumn(name));
      names.seq.push(record.seq);
    }
    const at = bytes.next();
    states.push(
      target.state === held.state ? { at: null, size: null } : { at, size: bytes.add(JSON.stringify(target.state)) },
    );
  }
  const targets = group.map(({ planned }) => planned.target);
  const column = (text: string | undefined): string | null => (text === undefined ? null : toColumn(text));
  return [
    node,
    place,
    toArray(targets.map(({ session }) => toColumn(session))),
    toArray(group.map(({ held }) => held.sid ?? null)),
    toArray(group.map(({ held }) => held.epoch)),
    toArray(group.map(({ planned: { rows, target } }) => target.last - rows.length + 1)),
    toArray(targets.map(({ last }) => last)),
    toArray(targets.map(({ parent }) => column(parent))),
    toArray(targets.map(({ root }) => column(root))),
    toArray(targets.map(({ state }) => column(state?.directory))),
    toArray(targets.map(({ state }) => state !== undefined && !isSettled(state))),
    toArray(states.map(({ at }) => at)),
    toArray(states.map(({ size }) => size)),
    toArray(of),
    toArray(seqs),
    toArray(types),
    toArray(items),
    toArray(places),
    toArray(sizes),
    toArray(natives),
    toArray(names.of),
    toArray(names.name),
    toArray(names.seq),
    bytes.all(),
  ];
}
