import { weightOf } from "../core/json/weight.ts";
import { bytesWithin, type WrittenPieces, writingPieces } from "../core/json/written-pieces.ts";
import type { Entry, EventRecord } from "./contract.ts";

/** Data as JSON. */
export interface Written {
  text: string;
  /** The same text with its bytes, where they were made. */
  pieces?: WrittenPieces;
}

/** Characters that are made into JSON and bytes before others have their turn. */
const SLICE = 512 * 1024;
/** A longer text is made into bytes once, for all that store it or send it. */
const LONG = 128 * 1024;

/** The data of entries as JSON. An entry that JSON cannot hold has none, and is refused when it is planned. */
export function textsOf(entries: readonly Entry[]): Map<Entry, Written> {
  const texts = new Map<Entry, Written>();
  for (const entry of entries) {
    const text = textOf(entry);
    if (text !== undefined) texts.set(entry, { text });
  }
  return texts;
}

/** The same in steps, with the bytes of long ones: the caller goes on when others have had their turn. */
export function* writing(entries: readonly Entry[]): Generator<undefined, Map<Entry, Written>> {
  const texts = new Map<Entry, Written>();
  let sinceTurn = 0;
  for (const entry of entries) {
    const written = yield* writingOne(entry);
    if (!written) continue;
    texts.set(entry, written);
    sinceTurn += written.text.length;
    if (sinceTurn < SLICE) continue;
    yield;
    sinceTurn = 0;
  }
  return texts;
}

function* writingOne(entry: Entry): Generator<undefined, Written | undefined> {
  try {
    const weight = weightOf(entry.draft.data);
    if (weight >= LONG) {
      const pieces = yield* writingPieces(entry.draft.data, weight, SLICE);
      return { text: pieces.text, pieces };
    }
  } catch {
    return undefined;
  }
  const text = textOf(entry);
  return text === undefined ? undefined : { text };
}

/** Written data between two short texts. */
export function joined(before: string, { text, pieces }: Written, after: string): Pick<EventRecord, "json" | "bytes"> {
  const json = before + text + after;
  return pieces ? { json, bytes: bytesWithin(before, pieces, after) } : { json };
}

function textOf({ draft }: Entry): string | undefined {
  try {
    return JSON.stringify(draft.data);
  } catch {
    return undefined;
  }
}
