import type { Draft, ParleyEvent } from "../events/event.ts";
import { type IdKind, idSource, PREFIX } from "../ids.ts";
import { present } from "../json/fields.ts";
import { reduceSession, type SessionState } from "../session-state.ts";
import { deltaOf } from "./copy.ts";
import type { ExportedSession } from "./exported.ts";
import { messagesOf } from "./turns.ts";

export interface ImportWish {
  /** The directory of the sessions here; the one that they had otherwise. */
  directory?: string | undefined;
  /** Makes a new id of each. */
  rename?: ReadonlyMap<string, string> | undefined;
}

/** The ids that an event makes known. */
function idsIn(event: ParleyEvent): string[] {
  const turn = event.turn === undefined ? [] : [event.turn];
  switch (event.type) {
    case "prompt.queued":
      return [event.data.prompt.id];
    case "turn.started":
      return [...turn, ...messagesOf(event)];
    case "step.started":
      return [event.data.id];
    case "item.started":
      return [event.data.item.id];
    case "permission.requested":
    case "question.requested":
      return [event.data.ask];
    default:
      event.type satisfies
        | `session.${"started" | "updated" | "ended" | "note" | "limits"}`
        | `turn.${"status" | "ended"}`
        | `item.${"updated" | "delta" | "completed"}`
        | `${"permission" | "question"}.resolved`
        | `${"plan" | "usage"}.updated`
        | ("history.cut" | "prompt.withdrawn" | "step.ended" | "error" | "agent.unparsed");
      return turn;
  }
}

/** A new id for each id of an export. It sorts as the old one does: by the time of the event that first holds it. */
export function newIdsFor(sessions: readonly ExportedSession[]): Map<string, string> {
  const kinds = new Map(Object.entries(PREFIX).map(([kind, prefix]) => [prefix as string, kind as IdKind]));
  const ids = new Map<string, string>();
  for (const { id, events } of sessions) {
    let time = 0;
    const make = idSource(() => time);
    for (const event of events) {
      time = event.time;
      for (const old of [id, ...idsIn(event)]) {
        const kind = kinds.get(old.split("_", 1)[0] ?? "");
        if (kind !== undefined && !ids.has(old)) ids.set(old, make(kind));
      }
    }
  }
  return ids;
}

/** Every text that is one of the ids is replaced, at any depth. */
function renamed<T>(value: T, ids: ReadonlyMap<string, string>): T {
  if (typeof value === "string") return (ids.get(value) ?? value) as T;
  if (Array.isArray(value)) return value.map((one) => renamed(one, ids)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, renamed(one, ids)])) as T;
}

const { keys } = Object;

/**
 * The choice of a prompt or a session without the part of it that may let things happen without a question: rules, the mode, and options of which
 * only the agent knows the meaning.
 */
const strict = <T extends { permissions?: unknown; mode?: unknown; options?: unknown }>(choice: T) => {
  const { permissions: _, mode: __, options: ___, ...rest } = choice;
  return rest;
};

/** Facts without those that hold only where the session ran: an agent's memory, servers, and rights that somebody gave there. */
function facts<T extends Partial<SessionState>>({ nativeId, mcpServers, toRewind, meta, ...rest }: T) {
  const { revert: _, imported: __, ...kept } = meta ?? {};
  return { ...strict(rest), ...(keys(kept).length === 0 ? {} : { meta: kept }) };
}

/** The data of an event as it may hold here: nobody here has given the rights of another place. */
function dataOf(event: ParleyEvent, directory: string | undefined): unknown {
  switch (event.type) {
    case "session.started":
      return { ...facts(event.data), ...present({ directory }) };
    case "session.updated":
      return facts(event.data);
    case "prompt.queued":
      return { ...event.data, prompt: strict(event.data.prompt) };
    case "turn.started": {
      const { prompt, context } = event.data;
      const clean = { prompt: prompt && strict(prompt), context: context?.map(strict) };
      return { ...strict(event.data), ...present(clean), elsewhere: true };
    }
    case "turn.ended":
      return { ...event.data, elsewhere: true };
    case "item.started":
    case "item.completed": {
      const { item } = event.data;
      if (item.kind !== "tool_result" || !item.files) return event.data;
      // A revert would write what the file of the export says into files that no agent of this machine has changed.
      return { ...event.data, item: { ...item, files: item.files.map((file) => ({ ...file, elsewhere: true })) } };
    }
    case "permission.resolved":
      return { ...event.data, outcome: event.data.outcome === "always" ? "once" : event.data.outcome };
    default:
      event.type satisfies
        | `session.${"ended" | "note" | "limits"}`
        | "turn.status"
        | `step.${"started" | "ended"}`
        | `item.${"updated" | "delta"}`
        | `question.${"requested" | "resolved"}`
        | `${"plan" | "usage"}.updated`
        | ("history.cut" | "prompt.withdrawn" | "permission.requested" | "error" | "agent.unparsed");
      return event.data;
  }
}

/** The events without the deltas of completed items, whose text comes as one delta: a fold may have left some of them. */
function whole(events: readonly ParleyEvent[]): ParleyEvent[] {
  const completed = new Set(events.flatMap((event) => (event.type === "item.completed" ? [event.data.item.id] : [])));
  return events.flatMap((event): ParleyEvent[] => {
    if (event.type === "item.delta") return completed.has(event.data.item) ? [] : [event];
    if (event.type === "session.updated" && keys(facts(event.data)).length === 0) return [];
    if (event.type !== "item.completed") return [event];
    const data = deltaOf(event.data.item);
    return data ? [{ ...event, type: "item.delta", data }, event] : [event];
  });
}

/** The events of an exported session as drafts of a session here. Prompts that waited are withdrawn: nobody here gave them. */
export function importedDrafts({ events }: ExportedSession, { directory, rename = new Map() }: ImportWish): Draft[] {
  const kept = whole(events);
  const drafts = kept.map((event) => {
    const { type, time, source, turn } = event;
    const data = dataOf(event, directory);
    return renamed(present({ type, time, source, turn, data }), rename) as Draft;
  });
  for (const draft of drafts) {
    if (draft.type !== "history.cut") continue;
    const { from } = draft.data;
    draft.data.from = kept.findIndex(({ seq }) => seq >= from) + 1;
  }
  const time = kept.at(-1)?.time ?? 0;
  const withdrawn = waiting(drafts).map((prompt): Draft => {
    return { type: "prompt.withdrawn", time, source: "parley", data: { prompt, reason: "cancelled" } };
  });
  return [...drafts, ...withdrawn];
}

/** The prompts that still wait at the end. */
function waiting(drafts: readonly Draft[]): string[] {
  const state = drafts.reduce<SessionState | undefined>(
    (before, draft, at) => reduceSession(before, { ...draft, id: "", session: "", seq: at + 1 }),
    undefined,
  );
  return state?.queue.map(({ id }) => id) ?? [];
}
