import { fileURLToPath } from "node:url";
import { type Child, startNode } from "./child.ts";
import { warmCache } from "./machine.ts";

const READER = fileURLToPath(new URL("../programs/sse-reader.ts", import.meta.url));

export interface ReaderOptions {
  /** The event stream. */
  url: string;
  clients: number;
  /** Events of each client whose time is not counted. */
  warmUp: number;
  /** Whether the texts are put together and compared, when the turn is over. */
  texts: boolean;
}

/** The count of all events of one turn that the clients of one process saw. */
export interface Reading {
  events: number;
  /** Those of them that are pieces of text. */
  deltas: number;
  bytes: number;
  /** Numbers that were neither received nor folded into an event that was. */
  lost: number;
  /** Numbers that came folded into a later event. */
  folded: number;
  /** Clients whose stream broke. */
  broken: number;
  /** Milliseconds from the agent's line to the client, where lines had a stamp. */
  samples: number;
  median: number;
  p99: number;
  /** When the last client had seen the turn's end, in microseconds of the shared clock. */
  endedAt: number;
  /** The assistant's completed texts in their order, where they were asked for. The pieces before a text must make the same text. */
  texts: { sha256: string; piecesAgree: boolean }[];
}

export interface Reader {
  readonly child: Child;
  /** Resolves when every client has seen the end of a turn. */
  reading(): Promise<Reading>;
}

/** Opens event streams in a process of their own; resolves when all are open. */
export async function startReader(scope: AsyncDisposableStack, options: ReaderOptions): Promise<Reader> {
  const env = { NODE_COMPILE_CACHE: warmCache() };
  const child = scope.use(startNode([READER, JSON.stringify(options)], { env }));
  const opened = await child.line();
  if (opened !== "open") throw new Error(`expected the readers to be open, got: ${opened}`);
  return { child, reading: async () => JSON.parse(await child.line()) as Reading };
}
