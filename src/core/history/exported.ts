import { z } from "zod";
import { ParleyError } from "../errors.ts";
import { isKnownType, type ParleyEvent, parseEvent } from "../events/event.ts";
import { isId } from "../ids.ts";
import { isDeeper, MAX_DEPTH } from "../json/depth.ts";
import { checkLaws } from "../ledger/laws.ts";

const FORMAT = 1;

const sessionId = z.string().refine((id) => isId("session", id), "expected the id of a session");

const header = z.looseObject({
  type: z.literal("export"),
  format: z.number(),
  session: sessionId,
  sessions: z
    .array(z.looseObject({ id: sessionId, parent: sessionId.optional(), root: sessionId.optional(), last: z.number() }))
    .min(1),
});

/** The first line of an export: the session, and all sessions whose events follow, with the number of their last event. */
export type ExportHeader = z.infer<typeof header>;

/** A session of an export with its events, all of them. */
export interface ExportedSession {
  id: string;
  parent?: string | undefined;
  root?: string | undefined;
  events: ParleyEvent[];
}

export function exportHeader(session: string, sessions: ExportHeader["sessions"]): ExportHeader {
  return { type: "export", format: FORMAT, session, sessions };
}

function refused(line: number, what: string): ParleyError {
  return new ParleyError("invalid", `line ${line}: ${what}`);
}

function parsed(text: string, line: number): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (!isDeeper(value, MAX_DEPTH)) return value;
  } catch {
    throw refused(line, "expected a JSON object, got something else: the file is damaged, or is no export");
  }
  throw refused(line, `expected JSON of at most ${MAX_DEPTH} levels, got more`);
}

function headerOf(value: unknown): ExportHeader {
  const result = header.safeParse(value);
  if (!result.success)
    throw refused(1, 'expected the first line of a parley export, {"type":"export",…}: is this one?');
  const { format, session, sessions } = result.data;
  if (format !== FORMAT)
    throw refused(1, `expected format ${FORMAT}, got ${format}: it was made by another version of Parley`);
  const [first] = sessions;
  const ids = new Set(sessions.map(({ id }) => id));
  const strays = sessions.filter(({ id, parent, root }) =>
    id === session ? parent !== undefined || root !== undefined : !ids.has(parent ?? "") || root !== session,
  );
  if (first?.id !== session || ids.size !== sessions.length || strays.length > 0)
    throw refused(1, "the sessions do not belong together: expected the session first, then those of its sub-agents");
  return result.data;
}

function eventOf(value: unknown, line: number): ParleyEvent {
  if (typeof value === "object" && value !== null && "type" in value && value.type === "gap")
    throw refused(line, "events are missing here, they were no longer kept: only a whole session can be imported");
  try {
    const event = parseEvent(value);
    if (isKnownType(event.type)) return event as ParleyEvent;
    throw refused(line, `events of type ${event.type} are not known here: they were made by a newer Parley`);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const [issue] = error.issues;
    throw refused(line, `expected an event, got one that is wrong at ${issue?.path.join(".") || "its top"}`);
  }
}

/** Puts the events of one line after another with their sessions, and sees to it that none is missing. */
class Reading {
  readonly #sessions: Map<string, ExportedSession & { last: number }>;

  constructor({ sessions }: ExportHeader) {
    this.#sessions = new Map(
      sessions.map(({ id, parent, root, last }) => [id, { id, parent, root, last, events: [] }]),
    );
  }

  take(event: ParleyEvent, line: number): void {
    const session = this.#sessions.get(event.session);
    if (!session) throw refused(line, `session ${event.session} is not named in the first line`);
    const before = session.events.at(-1)?.seq ?? 0;
    if (event.seq - (event.folded ?? 0) !== before + 1) {
      const numbers = `after event ${before} of ${event.session}, got ${event.seq}`;
      throw refused(line, `expected the event ${numbers}: events are missing, repeated or in another order`);
    }
    session.events.push(event);
  }

  /** The sessions, when each is whole and lawful. */
  done(): ExportedSession[] {
    const all = [...this.#sessions.values()];
    for (const { id, last, events } of all) {
      const got = events.at(-1)?.seq ?? 0;
      if (got !== last)
        throw new ParleyError("invalid", `expected ${id} to end with event ${last}, got ${got}: the file is cut off`);
      if (events[0]?.type !== "session.started")
        throw new ParleyError(
          "invalid",
          `expected ${id} to begin with session.started, got ${events[0]?.type ?? "nothing"}`,
        );
      const [broken] = checkLaws(events);
      if (broken)
        throw new ParleyError(
          "invalid",
          `event ${broken.seq} of ${id} cannot be true (law ${broken.law}): ${broken.message}`,
        );
    }
    return all;
  }
}

/** Reads the lines of an export: the session first, then those of its sub-agents. Refuses what is not whole or not lawful. */
export function readExport(text: string): ExportedSession[] {
  let reading: Reading | undefined;
  for (const [at, line] of text
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() === "") continue;
    const value = parsed(line, at + 1);
    if (reading) reading.take(eventOf(value, at + 1), at + 1);
    else reading = new Reading(headerOf(value));
  }
  if (!reading) throw new ParleyError("invalid", "the file is empty: expected an export of parley export");
  return reading.done();
}
