import { eventsFrame, type Frame, type SseEvent } from "../../stream/frame.ts";
import { type Batch, envelope, type Told } from "./batch.ts";
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

/** The bytes of a longer text are made once for all streams, and copied. */
const LONG = 64 * 1024;

/** Events that were committed together. They are sent together, and their bytes are made once for all streams of a kind. */
export class Commit {
  readonly batches: readonly Batch[];
  private readonly frames = new Map<string, Frame | undefined>();
  /** The bytes of long texts. */
  private readonly bytes = new Map<string, Buffer>();

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
    const events = this.batches
      .filter((batch) => directory === null || batch.place.directory === directory)
      .flatMap((batch) => this.eventsOf(batch, variant, batch.position === cursor?.position ? cursor.index + 1 : 0));
    return events.length === 0 ? undefined : eventsFrame(events);
  }

  private eventsOf(batch: Batch, { global, dialect, newer }: Variant, from: number): SseEvent[] {
    const texts = newer ? (batch.newer ?? []) : dialect === "1.1" ? (batch.older ?? batch.json) : batch.json;
    const [before, after] = global ? envelope(batch.place) : ["", ""];
    return texts.slice(from).map((told, index) => {
      const id = formatStreamCursor(batch.position, from + index);
      if (typeof told === "string" && told.length < LONG) return { id, data: before + told + after };
      const bytes = this.bytesOf(told);
      return { id, data: "", bytes: global ? [Buffer.from(before), bytes, Buffer.from(after)] : [bytes] };
    });
  }

  private bytesOf(json: Told): Buffer {
    if (typeof json !== "string") return json.bytes.subarray(json.from, json.to);
    const known = this.bytes.get(json);
    if (known) return known;
    const made = Buffer.from(json);
    this.bytes.set(json, made);
    return made;
  }
}
