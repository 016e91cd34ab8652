import { type Frame, frameOf, sseText } from "../../stream/frame.ts";
import { type Batch, inEnvelope } from "./batch.ts";
import { formatStreamCursor, type StreamCursor } from "./cursor.ts";
import type { Dialect } from "./dialect.ts";

/** The events that a stream wants, and their form. */
export interface Variant {
  /** With the envelope of /global/event. */
  global: boolean;
  dialect: Dialect;
  /** Only what happens there; null for everything. */
  directory: string | null;
  /** The events of the newer half of the API, in place of the older ones. */
  newer?: boolean;
}

function textOf(batch: Batch, { global, dialect, newer }: Variant, from: number): string {
  const events = newer ? (batch.newer ?? []) : dialect === "1.1" ? (batch.older ?? batch.json) : batch.json;
  let text = "";
  for (let index = from; index < events.length; index++) {
    const json = events[index] ?? "";
    const data = global ? inEnvelope(json, batch.place) : json;
    text += sseText({ id: formatStreamCursor(batch.position, index), data });
  }
  return text;
}

/** Events that were committed together. They are sent together, and their bytes are made once for all streams of a kind. */
export class Commit {
  readonly batches: readonly Batch[];
  private readonly frames = new Map<string, Frame | undefined>();

  constructor(batches: readonly Batch[]) {
    this.batches = batches;
  }

  /** The bytes for a stream, undefined where there is nothing in it for that stream. */
  frame(variant: Variant): Frame | undefined {
    const key = `${variant.global} ${variant.newer} ${variant.dialect} ${variant.directory ?? ""}`;
    if (!this.frames.has(key)) this.frames.set(key, this.after(variant, undefined));
    return this.frames.get(key);
  }

  /** As `frame`, for a client that has a part of it already. */
  after(variant: Variant, cursor: StreamCursor | undefined): Frame | undefined {
    const { directory } = variant;
    const text = this.batches
      .filter((batch) => directory === null || batch.place.directory === directory)
      .map((batch) => textOf(batch, variant, batch.position === cursor?.position ? cursor.index + 1 : 0))
      .join("");
    return text === "" ? undefined : frameOf(text);
  }
}
