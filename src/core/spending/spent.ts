import type { EventData } from "../events/catalog.ts";
import type { EventOf } from "../events/event.ts";
import type { Usage } from "../events/values.ts";
import { isFields, numberIn, present } from "../json/fields.ts";
import type { SessionState } from "../session-state.ts";

/** The numbers of an ended turn, with all that is needed to add them up when the turn and its session are forgotten. */
export interface Spent {
  session: string;
  /** The number of its `turn.ended`. */
  seq: number;
  /** The topmost session that it belongs to. */
  root: string;
  /** The time of its end. */
  time: number;
  /** The agent of the root, which also runs its sub-agents. */
  agent: string;
  directory: string;
  model?: string;
  usage: Pick<Usage, "tokens" | "cost" | "models">;
}

type Facts = Pick<SessionState, "agent" | "rootAgent" | "directory" | "parent" | "root" | "model" | "created" | "meta">;

/** Facts that the end of a turn did not hold before it told its steps. */
export interface Older {
  started?: EventData["turn.started"] | undefined;
  /** The root's, for a sub-agent's session. */
  rootMeta?: SessionState["meta"];
}

/** The time of an import: all events up to it came with it. */
function importedAt(meta: SessionState["meta"]): number {
  const imported = meta?.imported;
  return (isFields(imported) ? numberIn(imported, "time") : undefined) ?? Number.NEGATIVE_INFINITY;
}

/** A turn of an older Parley: copies have no mark, but their times are from before the session was made, or imported. */
function ranElsewhere(facts: Facts, { time }: EventOf<"turn.ended">, { started, rootMeta }: Older): boolean {
  if (started?.replayed || time < facts.created) return true;
  return time <= Math.max(importedAt(facts.meta), importedAt(rootMeta));
}

/**
 * The spending of a turn that ends; undefined where nothing was spent here: for a copy, for a turn in which no model was
 * asked, and for a sub-agent whose tokens are told with its parent's, or not at all.
 */
export function spentOf(facts: Facts, event: EventOf<"turn.ended">, older: Older = {}): Spent | undefined {
  const { session, seq, time, data } = event;
  const { tokens, cost, models } = data.usage ?? {};
  const isTold = tokens !== undefined || cost !== undefined;
  if (data.elsewhere || (!isTold && (facts.parent !== undefined || !data.steps))) return undefined;
  if (data.steps === undefined && ranElsewhere(facts, event, older)) return undefined;
  const { agent, rootAgent = agent, root = session, directory } = facts;
  const model = data.model ?? (data.steps === undefined ? (older.started?.model ?? facts.model) : undefined);
  return {
    session,
    seq,
    root,
    time,
    agent: rootAgent,
    directory,
    ...present({ model }),
    usage: present({ tokens, cost, models }),
  };
}
