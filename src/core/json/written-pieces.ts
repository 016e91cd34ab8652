import { jsonPieces } from "./json-pieces.ts";

/** A long text, and its bytes with some room before and behind them. */
export interface WrittenPieces {
  /** Put together from pieces: whoever reads its characters has them copied into one text first. */
  text: string;
  bytes: Buffer;
  from: number;
  to: number;
}

/** For the fields of an event beside its data, or of an envelope. */
const ROOM_BEFORE = 4096;
const ROOM_BEHIND = 256;

/** Writes a value as JSON into bytes, about `size` characters in each step: the caller goes on when others have had their turn. */
export function* writingPieces(value: unknown, weight: number, size: number): Generator<undefined, WrittenPieces> {
  // More than is needed costs nothing: the system gives memory when it is written to.
  let bytes: Buffer = Buffer.allocUnsafeSlow(ROOM_BEFORE + weight + (weight >> 1) + ROOM_BEHIND);
  let to = ROOM_BEFORE;
  let text = "";
  let waiting = "";
  const write = (): void => {
    const most = to + waiting.length * 3 + ROOM_BEHIND;
    const needed = most <= bytes.length ? most : to + Buffer.byteLength(waiting) + ROOM_BEHIND;
    if (needed > bytes.length) bytes = grown(bytes, to, needed);
    to += bytes.write(waiting, to);
    text += waiting;
    waiting = "";
  };
  for (const piece of jsonPieces(value, size)) {
    waiting += piece;
    if (waiting.length < size) continue;
    write();
    yield;
  }
  write();
  return { text, bytes, from: ROOM_BEFORE, to };
}

function grown(bytes: Buffer, length: number, needed: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, bytes.length * 2));
  bytes.copy(larger, 0, 0, length);
  return larger;
}

/** The bytes between two short texts. They are not copied where the room is enough, so that one call takes the place of the one before. */
export function bytesWithin(before: string, { bytes, from, to }: WrittenPieces, after: string): Buffer {
  const [head, tail] = [Buffer.from(before), Buffer.from(after)];
  if (head.length > from || to + tail.length > bytes.length)
    return Buffer.concat([head, bytes.subarray(from, to), tail]);
  head.copy(bytes, from - head.length);
  tail.copy(bytes, to);
  return bytes.subarray(from - head.length, to + tail.length);
}
