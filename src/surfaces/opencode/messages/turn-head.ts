import type { EventOf, ParleyEvent } from "../../../core/events/event.ts";
import { messageKey } from "../../../core/events/keys.ts";
import type { Usage } from "../../../core/events/values.ts";
import type { Between, EventRecord, Log } from "../../../log/contract.ts";
import { pickedBack, told } from "./picked.ts";

/** How many of a turn's first events are looked at. */
const OPENING = 64;

function eventOf<T extends ParleyEvent["type"]>({ json }: EventRecord): EventOf<T> {
  return JSON.parse(json) as EventOf<T>;
}

/**
 * The last events of a turn with all that its last steps need to know of the others: how it began, what the session
 * learned, what users said, and whether usage was told. Undefined where the turn has to be read as a whole. `end` is the number
 * from which on the events are at hand, `gone` knows the turns that were taken back.
 */
export async function headOfTurn(
  log: Log,
  session: string,
  tail: readonly EventRecord[],
  { end, gone }: { end: number; gone(seq: number): boolean },
): Promise<EventRecord[] | undefined> {
  const start = await log.turnStart(session, end);
  if (start === undefined || gone(start)) return undefined;
  const opening = await log.read(session, { after: start - 1, limit: OPENING });
  const [first] = opening;
  if (first?.seq !== start || !opening.some(({ type, seq }) => type === "step.started" && seq < end)) return undefined;
  const { prompt, after } = eventOf<"turn.started">(first).data;
  // The first words of a user that an agent relays depend on whether a step had begun.
  if (!prompt && after === undefined) return undefined;
  const range = { after: start, before: end };
  const frame = await usageOfOthers(log, session, range, tail);
  for await (const record of told(log, session, range)) frame.push(record);
  return [first, ...frame.sort((a, b) => a.seq - b.seq), ...tail];
}

const KINDS = ["tokens", "cost"] as const;
type Kind = (typeof KINDS)[number];

function kindsIn(usage: Usage | undefined): Kind[] {
  return KINDS.filter((kind) => usage?.[kind] !== undefined);
}

/** The usage that is told at a turn's end and by none of its last steps. */
function untold(tail: readonly EventRecord[]): Set<Kind> {
  const end = tail.findLast(({ type }) => type === "turn.ended");
  const missing = new Set(end ? kindsIn(eventOf<"turn.ended">(end).data.usage) : []);
  const begun = new Set<string>();
  for (const record of tail) {
    if (missing.size === 0) break;
    if (record.type === "step.started") begun.add(eventOf<"step.started">(record).data.id);
    if (record.type !== "step.ended") continue;
    const { id, usage } = eventOf<"step.ended">(record).data;
    if (begun.has(id)) for (const kind of kindsIn(usage)) missing.delete(kind);
  }
  return missing;
}

/** A turn's usage is that of its last step where no step told any: the steps that did, as far as that is not known from the last ones. */
async function usageOfOthers(
  log: Log,
  session: string,
  range: Between,
  tail: readonly EventRecord[],
): Promise<EventRecord[]> {
  const missing = untold(tail);
  const frame: EventRecord[] = [];
  if (missing.size === 0) return frame;
  for (const kind of missing) {
    for await (const record of pickedBack(log, session, { ...range, type: "step.ended", holding: `"${kind}":` })) {
      const { id, usage } = eventOf<"step.ended">(record).data;
      const begun = kindsIn(usage).includes(kind) ? await log.find(session, messageKey(id)) : undefined;
      if (!begun) continue;
      frame.push(...(await log.read(session, { after: begun.seq - 1, limit: 1 })), record);
      break;
    }
  }
  return frame;
}
