import { addTotals } from "./diff/file-totals.ts";
import type { EventOf, ParleyEvent } from "./events/event.ts";
import type {
  AgentOption,
  FileTotal,
  Limit,
  OptionValues,
  PermissionRule,
  PlanEntry,
  Prompt,
  ShownServer,
  TurnStatus,
  Usage,
} from "./events/values.ts";
import { addCut, type Range } from "./history/cuts.ts";
import { present } from "./json/fields.ts";
import { addUntold, type Untold } from "./untold.ts";
import { addUsage } from "./usage.ts";

export interface OpenTurn {
  id: string;
  /** Number of its `turn.started`. */
  seq: number;
  by: "user" | "agent";
  prompt?: string;
  started: number;
  status: TurnStatus;
}

export type OpenAsk =
  | { id: string; kind: "permission"; turn?: string; time: number; request: EventOf<"permission.requested">["data"] }
  | { id: string; kind: "question"; turn?: string; time: number; request: EventOf<"question.requested">["data"] };

/** A permission that was granted for the rest of the session. */
export interface Grant {
  action: string;
  patterns: string[];
  /** The line of shell for which it was given; without one its patterns are for whole texts. */
  command?: string;
}

/** A session as it is now. It stays small however long the history gets. The log keeps it beside the events. */
export interface SessionState {
  id: string;
  agent: string;
  directory: string;
  nativeId?: string;
  title?: string;
  /** A client chose the title. */
  titled?: boolean;
  model?: string;
  mode?: string;
  /** The options in force by their ids. */
  options?: OptionValues;
  /** The options that the agent offers in this session, where it has said so. */
  offers?: AgentOption[];
  /** Turns that were cut and that the agent itself still remembers, as the ids of their prompts. */
  toRewind?: string[][];
  /** The MCP servers that its client gave. */
  mcpServers?: ShownServer[];
  /** Rules, which answer asks before a person does; the last rule that fits counts. */
  permissions?: PermissionRule[];
  /** Entries that clients keep with the session. */
  meta?: Record<string, unknown>;
  parent?: string;
  root?: string;
  /** The agent of the root, for a sub-agent's session. */
  rootAgent?: string;
  created: number;
  updated: number;
  /** The data of the last `session.ended`, until an agent starts again. */
  ended?: EventOf<"session.ended">["data"];
  turn: OpenTurn | null;
  turns: number;
  /** The last prompt that began a turn. */
  lastPrompt?: string;
  lastEnd?: { turn: string; reason: EventOf<"turn.ended">["data"]["reason"] };
  queue: Prompt[];
  /** Numbers of the events of turns that were cut. */
  cuts?: Range[];
  /** Shell turns that the agent is told of with its next prompt. */
  untold?: Untold[];
  asks: OpenAsk[];
  rules: Grant[];
  plan: PlanEntry[];
  /** Files that its turns changed. */
  files?: FileTotal[];
  usage: Usage;
  /** The newest word on each limit of its agent's models. */
  limits?: Limit[];
}

/** Whether a prompt begins a turn. Context does not: the next prompt takes it along. */
export function beginsTurn(prompt: Pick<Prompt, "delivery">): boolean {
  return prompt.delivery !== "context";
}

const UNCHANGING = [
  "session.note",
  "step.started",
  "step.ended",
  "item.started",
  "item.updated",
  "item.delta",
  "item.completed",
  "agent.unparsed",
] as const;
const unchanging: ReadonlySet<string> = new Set(UNCHANGING);

/** The log does not write the state for an event that leaves it as it is. */
export function changesState(type: string): boolean {
  return !unchanging.has(type);
}

/** The entries with a change: new entries are added, null removes one. */
export function mergeMeta(
  before: Readonly<Record<string, unknown>> | undefined,
  change: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== null));
}

/** The newest word on each limit counts. */
export function mergeLimits(before: readonly Limit[], news: readonly Limit[]): Limit[] {
  return [...new Map([...before, ...news].map((limit) => [limit.id, limit])).values()];
}

/** The changeable part of a session's state, but for its agent. */
export type Facts = Pick<
  SessionState,
  | "nativeId"
  | "title"
  | "titled"
  | "model"
  | "mode"
  | "options"
  | "offers"
  | "toRewind"
  | "mcpServers"
  | "permissions"
  | "meta"
>;

function facts(state: SessionState, data: Partial<Facts & Pick<SessionState, "agent">>): SessionState {
  const next = data.agent === undefined ? state : served(state, data.agent);
  const { nativeId, title, titled, model, mode, options, offers, toRewind, mcpServers, permissions } = data;
  const meta = data.meta && mergeMeta(next.meta, data.meta);
  return {
    ...next,
    ...present({ nativeId, title, titled, model, mode, options, offers, toRewind, mcpServers, permissions, meta }),
  };
}

/** The state with another agent. Model, mode, options, limits and native id belong to the agent before, so they are dropped. */
function served(state: SessionState, agent: string): SessionState {
  if (agent === state.agent) return { ...state };
  const { nativeId: _, model: __, mode: ___, options: ____, offers: _____, limits: ______, ...rest } = state;
  return { ...rest, agent };
}

function firstState(event: EventOf<"session.started">): SessionState {
  const { session: id, time, parent, root } = event;
  const { agent, directory, rootAgent } = event.data;
  const state = { id, agent, directory, created: time, updated: time, turn: null, turns: 0, usage: {} };
  const lists = { queue: [], asks: [], rules: [], plan: [] };
  return facts({ ...state, ...lists, ...present({ parent, root, rootAgent }) }, event.data);
}

function askOf({ data, time, turn }: EventOf<"permission.requested"> | EventOf<"question.requested">) {
  return present({ id: data.ask, time, turn });
}

/** The state after the last turns were cut. */
function withoutTurns(state: SessionState, { seq, data }: EventOf<"history.cut">): SessionState {
  const { files: _, untold = [], ...rest } = state;
  const left = untold.filter(({ turn }) => !data.turns.includes(turn));
  return {
    ...rest,
    cuts: addCut(state.cuts ?? [], { from: data.from, to: seq }),
    ...(data.files?.length ? { files: data.files } : {}),
    ...(left.length > 0 ? { untold: left } : {}),
  };
}

/** The facts that the end of a turn changes only where it has something to say of them. */
function endFacts(state: SessionState, { turn = "", data }: EventOf<"turn.ended">): Partial<SessionState> {
  return present({
    files: data.files && addTotals(state.files, data.files),
    untold: data.tell === undefined ? undefined : addUntold(state.untold ?? [], { turn, text: data.tell }),
  });
}

/** The state with an open ask. An ask that the next event resolves is never open: nobody is asked. */
function withAsk(state: SessionState, ask: OpenAsk): SessionState {
  return ask.request.settledBy === undefined ? { ...state, asks: [...state.asks, ask] } : state;
}

function withoutAsk(state: SessionState, id: string): SessionState {
  return { ...state, asks: state.asks.filter((ask) => ask.id !== id) };
}

/** The state after an event. The first event of a session is `session.started`. */
export function reduceSession(before: SessionState | undefined, event: ParleyEvent): SessionState {
  if (!before) {
    if (event.type !== "session.started") {
      throw new Error(`expected session.started as the first event of ${event.session}, got ${event.type}`);
    }
    return firstState(event);
  }
  const next = reduce(before, event);
  // Lists are sorted by the last change of the conversation; an agent's exit is none.
  if (event.type === "session.ended") return next;
  return next === before || next.updated === event.time ? next : { ...next, updated: event.time };
}

function reduce(state: SessionState, event: ParleyEvent): SessionState {
  switch (event.type) {
    case "session.started": {
      const { ended: _, ...rest } = state;
      return facts(rest, event.data);
    }
    case "session.updated":
      return facts(state, event.data);
    case "session.ended":
      return { ...state, ended: event.data };
    case "session.limits":
      return { ...state, limits: mergeLimits(state.limits ?? [], event.data.limits) };
    case "history.cut":
      return withoutTurns(state, event);
    case "prompt.queued":
      return { ...state, queue: [...state.queue, event.data.prompt] };
    case "prompt.withdrawn":
      return { ...state, queue: state.queue.filter((prompt) => prompt.id !== event.data.prompt) };
    case "turn.started": {
      const { context = [] } = event.data;
      const prompt = event.data.prompt?.id;
      const taken = (queued: Prompt): boolean => queued.id === prompt || context.some(({ id }) => id === queued.id);
      const { turn: id = "", seq, time: started } = event;
      const turn: OpenTurn = present({ id, seq, by: event.data.by, started, status: { status: "running" }, prompt });
      const { untold, ...rest } = state;
      const left = untold && !(event.data.prompt && !event.data.prompt.task) ? { untold } : {};
      const queue = state.queue.filter((queued) => !taken(queued));
      const last = prompt ? { lastPrompt: prompt } : {};
      return { ...rest, ...left, ...last, turn, turns: state.turns + 1, queue };
    }
    case "turn.status":
      return state.turn ? { ...state, turn: { ...state.turn, status: event.data } } : state;
    case "turn.ended":
      return {
        ...state,
        turn: null,
        lastEnd: { turn: event.turn ?? "", reason: event.data.reason },
        usage: addUsage(state.usage, event.data.usage),
        ...endFacts(state, event),
      };
    case "permission.requested":
      return withAsk(state, { ...askOf(event), kind: "permission", request: event.data });
    case "question.requested":
      return withAsk(state, { ...askOf(event), kind: "question", request: event.data });
    case "permission.resolved": {
      const { outcome, by, action, patterns, command } = event.data;
      const next = withoutAsk(state, event.data.ask);
      // A rule may answer "always" because nothing less was offered; that is no grant.
      if (outcome !== "always" || by === "rule") return next;
      return { ...next, rules: [...next.rules, present({ action, patterns, command })] };
    }
    case "question.resolved":
      return withoutAsk(state, event.data.ask);
    case "plan.updated":
      return { ...state, plan: event.data.entries };
    case "usage.updated":
      return event.data.context ? { ...state, usage: { ...state.usage, context: event.data.context } } : state;
    default:
      event.type satisfies (typeof UNCHANGING)[number] | "error";
      return state;
  }
}

export type Activity = "idle" | "busy" | "requires_action" | "retrying" | "compacting";

/** The word that a client shows beside a session. */
export function activity(state: SessionState): Activity {
  if (!state.turn) return "idle";
  const { status } = state.turn.status;
  return status === "running" ? "busy" : status;
}
