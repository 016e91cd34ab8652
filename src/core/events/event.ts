import { z } from "zod";
import { catalog, type EventData, type EventType } from "./catalog.ts";

const envelopeFields = {
  id: z.string().describe("`<session>:<seq>`; also the SSE id"),
  seq: z.number().int().positive().describe("counts from 1 without gaps within a session"),
  session: z.string(),
  turn: z.string().optional(),
  parent: z.string().optional().describe("the session whose sub-agent this session is"),
  root: z.string().optional().describe("the topmost such session"),
  time: z.number().describe("epoch milliseconds"),
  source: z.enum(["agent", "parley"]),
  folded: z
    .number()
    .optional()
    .describe("so many numbers right before this one were deltas that the completed items now hold"),
  native: z.unknown().optional().describe("the agent's own line, on request"),
};

type Envelope = z.infer<z.ZodObject<typeof envelopeFields>>;

export type EventOf<T extends EventType> = Envelope & { type: T; data: EventData[T] };

/** An event of a type this version knows. Switch on `type`. */
export type ParleyEvent = { [T in EventType]: EventOf<T> }[EventType];

/** An event of a type that only a newer Parley knows: kept as it came. */
export type UnknownEvent = Envelope & { type: string; data: unknown };

/** An event as the ledger makes it. The log adds id, seq and session. */
export type Draft = {
  [T in EventType]: { type: T; turn?: string; time: number; source: "agent" | "parley"; data: EventData[T] };
}[EventType];

export const eventSchemas = Object.fromEntries(
  Object.entries(catalog).map(([type, data]) => [
    type,
    z.looseObject({ ...envelopeFields, type: z.literal(type), data }),
  ]),
) as unknown as { [T in EventType]: z.ZodType<EventOf<T>> };

const anyEvent = z.looseObject({ ...envelopeFields, type: z.string(), data: z.unknown() });

export function isKnownType(type: string): type is EventType {
  return Object.hasOwn(catalog, type);
}

/** Reads an event from outside. Throws a ZodError when a known type has data of the wrong shape. */
export function parseEvent(value: unknown): ParleyEvent | UnknownEvent {
  const envelope = anyEvent.parse(value);
  return isKnownType(envelope.type) ? (eventSchemas[envelope.type].parse(value) as ParleyEvent) : envelope;
}
