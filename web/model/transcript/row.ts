import type { EventOf } from "../../../src/core/events/event.ts";
import type { Failure, PlanEntry } from "../../../src/core/events/values.ts";
import { present } from "../../../src/core/json/fields.ts";
import { joinParts, type Part } from "./part.ts";

export type AskRequest =
  | { kind: "permission"; data: EventOf<"permission.requested">["data"] }
  | { kind: "question"; data: EventOf<"question.requested">["data"] };

export type AskResolution = EventOf<"permission.resolved">["data"] | EventOf<"question.resolved">["data"];

interface Common {
  key: string;
  /** Number of its first event, which is its place. */
  at: number;
}

/** One thing that a transcript shows, in the order of `at`. */
export type Row =
  /** A message, a reasoning or a status; or an item that is not known yet. */
  | (Common & { kind: "item"; part: Part })
  | (Common & { kind: "tool"; call?: Part; result?: Part })
  | (Common & { kind: "ask"; time: number; request?: AskRequest; resolution?: AskResolution })
  | (Common & { kind: "plan"; entries: readonly PlanEntry[] })
  | (Common & { kind: "error"; failure: Failure })
  /** What follows stands for the conversation before it. */
  | (Common & { kind: "summary" })
  | (Common & { kind: "note"; time: number; tone: "plain" | "bad"; text: string; detail?: string });

export type RowOf<K extends Row["kind"]> = Row & { kind: K };

/** The row of one part: results stand with their calls. */
export function rowOfPart(part: Part): Row {
  const { at, item } = part;
  switch (item?.kind) {
    case "tool_call":
      return { kind: "tool", key: `call:${item.call}`, at, call: part };
    case "tool_result":
      return { kind: "tool", key: `call:${item.call}`, at, result: part };
    default:
      return { kind: "item", key: part.id, at, part };
  }
}

function partsOf(row: Row): Part[] {
  if (row.kind === "item") return [row.part];
  return row.kind === "tool" ? [row.call, row.result].filter((part) => part !== undefined) : [];
}

/** All names by which a row can be found: its key, and the ids of its items. */
export function namesOf(row: Row): string[] {
  return [row.key, ...partsOf(row).map(({ id }) => id)];
}

/** The row that these parts make. Parts of one row are those of one item, or of a call and its result. */
function rowOfParts(parts: readonly Part[]): Row {
  const byId = new Map<string, Part>();
  for (const part of parts) {
    const known = byId.get(part.id);
    byId.set(part.id, known ? joinParts(known, part) : part);
  }
  const found = [...byId.values()].map(rowOfPart);
  const first = found.find(({ kind }) => kind === "tool") ?? found[0];
  const at = Math.min(...found.map((row) => row.at));
  return Object.assign({}, first, ...found.filter(({ kind }) => kind === first?.kind), { at }) as Row;
}

/** Two rows that speak of the same as one: the newer one has the last word. */
function joinTwo(older: Row, newer: Row): Row {
  const parts = [...partsOf(older), ...partsOf(newer)];
  if (parts.length > 0) return rowOfParts(parts);
  const at = Math.min(older.at, newer.at);
  if (older.kind !== "ask" || newer.kind !== "ask") return { ...newer, at };
  const request = older.request ?? newer.request;
  return present({ ...older, at, request, resolution: newer.resolution ?? older.resolution });
}

function isPartOf(row: Row, id: string): boolean {
  if (row.kind === "item") return row.part.id === id;
  return row.kind === "tool" && (row.call?.id === id || row.result?.id === id);
}

/** The rows with one more, which comes after all of them unless some of them speak of the same. */
export function putRow(rows: readonly Row[], row: Row): readonly Row[] {
  const ids = partsOf(row).map(({ id }) => id);
  const isSame = (one: Row): boolean => one.key === row.key || ids.some((id) => isPartOf(one, id));
  const at = rows.findLastIndex(isSame);
  const found = rows[at];
  if (!found) return [...rows, row];
  const joined = joinTwo(found, row);
  if (joined.key === found.key && ids.every((id) => isPartOf(found, id))) return rows.with(at, joined);
  // One of its items may be in another row, from when it was not known whose it is.
  const left = rows.toSpliced(at, 1);
  const other = left.findIndex((one) => one.key === joined.key || isSame(one));
  const twin = left[other];
  if (!twin) return rows.with(at, joined);
  const both = twin.at < joined.at ? joinTwo(twin, joined) : joinTwo(joined, twin);
  return left.with(other, both).toSorted((a, b) => a.at - b.at);
}

/** Rows of events and the rows of the events after them as one list. */
export function joinRows(older: readonly Row[], newer: readonly Row[]): readonly Row[] {
  if (older.length === 0) return newer;
  if (newer.length === 1 && newer[0]) return putRow(older, newer[0]);
  const names = new Set(older.flatMap(namesOf));
  let joined = older;
  const fresh: Row[] = [];
  for (const row of newer) {
    if (namesOf(row).some((name) => names.has(name))) joined = putRow(joined, row);
    else fresh.push(row);
  }
  return [...joined, ...fresh];
}
