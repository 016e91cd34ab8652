import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import path from "node:path";
import type { EventOf } from "../../core/events/event.ts";
import { jsonIn, objectAs } from "../../core/json/fields.ts";
import type { EventRecord } from "../contract.ts";
import { crc32 } from "../crc32.ts";

/** The file holds so many bytes, about: the pieces of some milliseconds. */
const MAX_BYTES = 256 * 1024;

/** A piece that clients may have heard of before the database had it. */
export interface ToldPiece {
  event: EventOf<"item.delta">;
  json: string;
  /** The agent's line. */
  native: string | undefined;
}

export type ToldPieces = ReturnType<typeof createToldPieces>;

const fileIn = (directory: string): string => path.join(directory, "parley.pieces");

/**
 * The file of the pieces that are told before the database has them: clients wait for each piece, and a row takes several
 * times as long as some bytes at the end of a file. It matters where the process dies, or the database fails, before the
 * pieces of the last milliseconds are stored.
 */
export function createToldPieces(directory: string) {
  // Never by its path later on: another server may have a file of its own there, once this directory was moved away.
  let file = openExisting(fileIn(directory));
  let end = 0;
  let isEmpty = file === undefined;

  return {
    /** Writes a piece down. False where it must be stored before it is told. */
    keep(json: string, native: string | undefined): boolean {
      const body = json + (native ?? "");
      if (end + body.length > MAX_BYTES) return false;
      const text = `${crc32(body)} ${json.length} ${native === undefined ? "-" : native.length}\n${body}\n`;
      file ??= openSync(fileIn(directory), constants.O_RDWR | constants.O_CREAT, 0o600);
      isEmpty = false;
      const written = writeSync(file, text, end);
      if (written !== Buffer.byteLength(text)) return false;
      end += written;
      return true;
    },
    /** The database has them all: the next one takes the place of the first. */
    stored(): void {
      end = 0;
    },
    /** Leaves no text behind, also of pieces that the database has. */
    clear(): void {
      end = 0;
      if (file !== undefined && !isEmpty) ftruncateSync(file, 0);
      isEmpty = true;
    },
    close(): void {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

/** The pieces that were written down, up to one that is torn. The last ones may be older than the first: those are stored. */
export function readToldPieces(directory: string): ToldPiece[] {
  const text = textOf(fileIn(directory));
  const found: ToldPiece[] = [];
  const headLine = /(\d+) (\d+) (\d+|-)\n/y;
  for (;;) {
    const [head, sum, ofJson, ofNative] = headLine.exec(text) ?? [];
    if (head === undefined) return found;
    const from = headLine.lastIndex;
    const middle = from + Number(ofJson);
    const to = ofNative === "-" ? middle : middle + Number(ofNative);
    headLine.lastIndex = to + 1;
    if (Number(sum) !== crc32(text.slice(from, to))) return found;
    const event = objectAs<EventOf<"item.delta">>(jsonIn(text.slice(from, middle)));
    if (event?.type !== "item.delta") return found;
    found.push({
      event,
      json: text.slice(from, middle),
      native: ofNative === "-" ? undefined : text.slice(middle, to),
    });
  }
}

/** Those that follow on the last event of a session that the database has. */
export function toldAfter(session: string, last: number, pieces: readonly ToldPiece[]): EventRecord[] {
  const found: EventRecord[] = [];
  for (const { event, json, native } of pieces) {
    const { seq, type } = event;
    if (event.session !== session || seq !== last + found.length + 1) continue;
    found.push({ session, seq, type, json, folded: 0, ...(native === undefined ? {} : { native }) });
  }
  return found;
}

function openExisting(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDWR);
  } catch {
    return undefined;
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
