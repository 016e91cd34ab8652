import type { Draft } from "../../src/core/events/event.ts";
import type { Entry, EventRecord, Hold, Log, NewSession } from "../../src/log/contract.ts";
import { drafts, entries } from "./drafts.ts";

/** A session's only writer. It counts the numbers, so that its appends need not wait for each other. */
export class Writer {
  readonly hold: Hold;
  last: number;

  constructor(hold: Hold) {
    this.hold = hold;
    this.last = hold.head?.last ?? 0;
  }

  async append(list: readonly Entry[]): Promise<EventRecord[]> {
    const after = this.last;
    this.last += list.length;
    try {
      return await this.hold.append(after, list);
    } catch (error) {
      this.last = Math.min(this.last, after);
      throw error;
    }
  }
}

const writers = new WeakMap<Log, Map<string, Promise<Writer>>>();

async function opened(log: Log, session: string | NewSession): Promise<Writer> {
  return new Writer(await log.open(session));
}

function writersOf(log: Log): Map<string, Promise<Writer>> {
  const known = writers.get(log) ?? new Map<string, Promise<Writer>>();
  writers.set(log, known);
  return known;
}

/** The writer of a session, which holds it until the log is closed. */
export function writerOf(log: Log, session: string): Promise<Writer> {
  const known = writersOf(log);
  const writer = known.get(session) ?? opened(log, session);
  known.set(session, writer);
  writer.catch(() => known.delete(session));
  return writer;
}

/** Creates a session with the given events after its first. */
export function create(log: Log, session: string | NewSession, ...list: Draft[]): Promise<EventRecord[]> {
  return createWith(log, session, entries(drafts.started(), ...list));
}

export async function createWith(log: Log, session: string | NewSession, list: Entry[]): Promise<EventRecord[]> {
  const asked = typeof session === "string" ? { id: session } : session;
  const writer = opened(log, asked);
  const known = writersOf(log);
  const before = known.get(asked.id);
  known.set(asked.id, writer);
  try {
    return await (await writer).append(list);
  } catch (error) {
    if (before) known.set(asked.id, before);
    else known.delete(asked.id);
    throw error;
  }
}

export async function append(log: Log, session: string, list: readonly Entry[]): Promise<EventRecord[]> {
  return (await writerOf(log, session)).append(list);
}

export async function fold(log: Log, session: string, upTo: number): Promise<void> {
  return (await writerOf(log, session)).hold.fold(upTo);
}

export async function prune(log: Log, session: string, before: number): Promise<void> {
  return (await writerOf(log, session)).hold.prune(before);
}

export async function remove(log: Log, session: string): Promise<void> {
  return (await writerOf(log, session)).hold.remove();
}
