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
}

const BREAKS = /[\r\n\0]/;

function field(name: string, value: string): string {
  if (BREAKS.test(value))
    throw new Error(`expected one line as the ${name} of an event, got several: ${value.slice(0, 80)}`);
  return `${name}: ${value}\n`;
}

/** A line feed in data would end its field, so that each line of it becomes a field of its own. */
export function sseText(event: SseEvent): string {
  const id = event.id === undefined ? "" : field("id", event.id);
  const name = event.event === undefined ? "" : field("event", event.event);
  const { data } = event;
  const lines = data.includes("\n") || data.includes("\r") ? data.split(/\r\n|\r|\n/).join("\ndata: ") : data;
  return `${id}${name}data: ${lines}\n\n`;
}

/** Several events in one frame are one write for each client: what was committed together is sent together. */
export function frameOf(text: string): Frame {
  const head = `${Buffer.byteLength(text).toString(16)}\r\n`;
  const chunk = Buffer.from(`${head}${text}\r\n`);
  return { chunk, text: chunk.subarray(head.length, -2) };
}

export function eventsFrame(events: readonly SseEvent[]): Frame {
  return frameOf(events.map(sseText).join(""));
}

export function commentFrame(comment: string): Frame {
  return frameOf(`: ${comment}\n\n`);
}

/** How long a client waits before it comes back, in milliseconds. */
export function retryFrame(ms: number): Frame {
  return frameOf(`retry: ${Math.trunc(ms)}\n\n`);
}
