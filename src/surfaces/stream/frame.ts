/**
 * Bytes for an event stream, made once and shared by every client. `chunk` has them as an HTTP chunk, so that they go to
 * a socket as they are.
 */
export interface Frame {
  readonly text: Buffer;
  readonly chunk: Buffer;
}

export interface SseEvent {
  id?: string;
  event?: string;
  /** One line, as JSON is. */
  data: string;
  /** The bytes of the data in parts, where they were made before and are one line. */
  bytes?: readonly Buffer[] | undefined;
}

const BREAKS = /[\r\n\0]/;

function field(name: string, value: string): string {
  if (BREAKS.test(value))
    throw new Error(`expected one line as the ${name} of an event, got several: ${value.slice(0, 80)}`);
  return `${name}: ${value}\n`;
}

/** All that comes before the data. */
function sseHead(event: SseEvent): string {
  const id = event.id === undefined ? "" : field("id", event.id);
  const name = event.event === undefined ? "" : field("event", event.event);
  return `${id}${name}data: `;
}

const SSE_END = "\n\n";

/** A line feed in data would end its field, so that each line of it becomes a field of its own. */
export function sseText(event: SseEvent): string {
  const { data } = event;
  const lines = data.includes("\n") || data.includes("\r") ? data.split(/\r\n|\r|\n/).join("\ndata: ") : data;
  return sseHead(event) + lines + SSE_END;
}

/** A longer text is made into bytes once, and copied; the bytes of a shorter one are counted before. */
const LONG = 256 * 1024;

/** Several events in one frame are one write for each client: what was committed together is sent together. */
export function frameOf(text: string): Frame {
  if (text.length > LONG) return framed([Buffer.from(text)]);
  const head = `${Buffer.byteLength(text).toString(16)}\r\n`;
  const chunk = Buffer.from(`${head}${text}\r\n`);
  return { chunk, text: chunk.subarray(head.length, -2) };
}

function framed(parts: readonly Buffer[]): Frame {
  const head = Buffer.from(`${parts.reduce((sum, part) => sum + part.length, 0).toString(16)}\r\n`);
  const chunk = Buffer.concat([head, ...parts, Buffer.from("\r\n")]);
  return { chunk, text: chunk.subarray(head.length, -2) };
}

export function eventsFrame(events: readonly SseEvent[]): Frame {
  if (!events.some(({ bytes }) => bytes)) return frameOf(events.map(sseText).join(""));
  return framed(
    events.flatMap((event) =>
      event.bytes ? [Buffer.from(sseHead(event)), ...event.bytes, Buffer.from(SSE_END)] : [Buffer.from(sseText(event))],
    ),
  );
}

export function commentFrame(comment: string): Frame {
  return frameOf(`: ${comment}\n\n`);
}

/** How long a client waits before it comes back, in milliseconds. */
export function retryFrame(ms: number): Frame {
  return frameOf(`retry: ${Math.trunc(ms)}\n\n`);
}
