import type { Offered } from "./conversation.ts";
import type { Reply } from "./reply.ts";
import type { Pause, Place } from "./script.ts";

/** One SSE event and when it is sent. */
export interface Frame extends Pause {
  data: string;
  /** The part of a reply that it carries; between parts it carries their bounds. */
  at: Exclude<Place, "start"> | "bound";
  /** The number of the part within the reply. */
  part: number;
}

/** The facts that an encoder needs beside the reply. */
export interface Making {
  model: string;
  /** Unix seconds. */
  created: number;
  newId(prefix: string): string;
  tools: readonly Offered[];
  wantsUsage: boolean;
}

/** Writes one wire format. */
export interface Encoder {
  frames(reply: Reply, making: Making): Frame[];
  /** The reply to a request that wants no stream. */
  whole(reply: Reply, making: Making): object;
  /** The body of an HTTP error. */
  failure(status: number, detail: ErrorDetail): object;
  /** An error within the stream. */
  errorFrame(detail: ErrorDetail, making: Making): string;
}

export interface ErrorDetail {
  message: string;
  type?: string;
  code?: string;
}

export function sse(event: string | undefined, data: unknown): string {
  const name = event === undefined ? "" : `event: ${event}\n`;
  return `${name}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}
