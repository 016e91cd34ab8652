import type { Entry, EventRecord } from "./contract.ts";

/** Data as JSON. */
export interface Written {
  text: string;
  /** The bytes of the text, where they were made. */
  bytes?: Buffer;
}

/** Characters that are made into bytes before others have their turn. */
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
    const text = textOf(entry);
    if (text === undefined) continue;
    sinceTurn += text.length;
    if (sinceTurn >= SLICE) {
      yield;
      sinceTurn = 0;
    }
    texts.set(entry, text.length >= LONG ? { text, bytes: yield* encoding(text) } : { text });
  }
  return texts;
}

function* encoding(text: string): Generator<undefined, Buffer> {
  const pieces: Buffer[] = [];
  for (let from = 0; from < text.length; ) {
    const to = wholeCharacter(text, from + SLICE);
    pieces.push(Buffer.from(text.slice(from, to)));
    from = to;
    if (from < text.length) yield;
  }
  return Buffer.concat(pieces);
}

/** The index, or the next one where it is within a character of two units. */
function wholeCharacter(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff ? index + 1 : index;
}

/** Written data between two short texts. */
export function joined(before: string, { text, bytes }: Written, after: string): Pick<EventRecord, "json" | "bytes"> {
  const json = before + text + after;
  return bytes ? { json, bytes: Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]) } : { json };
}

function textOf({ draft }: Entry): string | undefined {
  try {
    return JSON.stringify(draft.data);
  } catch {
    return undefined;
  }
}
