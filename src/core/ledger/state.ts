import type { EventData } from "../events/catalog.ts";
import type { Draft } from "../events/event.ts";
import type {
  AgentOption,
  AskOption,
  EndReason,
  Failure,
  FileTotal,
  Limit,
  OptionValues,
  PermissionRule,
  Prompt,
  Question,
  ShownServer,
  Task,
  TurnStatus,
  Usage,
} from "../events/values.ts";
import type { Rule } from "../session-state.ts";
import type { Untold } from "../untold.ts";
import type { AppendSet } from "./append-set.ts";
import type { Answer, Role, Signal, TextKind, ToolDone } from "./signals.ts";

export interface Facts {
  nativeId?: string;
  title?: string;
  model?: string;
  mode?: string;
  options?: OptionValues;
  offers?: AgentOption[];
  mcpServers?: ShownServer[];
  permissions?: PermissionRule[];
  meta?: Record<string, unknown>;
}

export interface OpenText {
  id: string;
  /** Absent while nobody has said who speaks: the text is held back. */
  known?: { kind: TextKind; role: Role };
  text: string;
  /** Characters that were left out. */
  left?: number;
  step?: number;
  parentCall?: string;
  /** Its end came before it was known who speaks. */
  ended?: boolean;
}

export interface OpenCall {
  id: string;
  /** Absent while only the call's id is known: nothing is said of it yet. */
  name?: string;
  status: "pending" | "running";
  title?: string;
  input?: unknown;
  inputText: string;
  metadata?: Record<string, unknown>;
  child?: string;
  step?: number;
  parentCall?: string;
  result?: { id: string; text: string; left?: number };
  /** Output and end that outran the call itself. */
  heldOutput: string;
  /** Characters of it that were left out. */
  heldLeft?: number;
  heldDone?: ToolDone;
}

export type LedgerAsk =
  | {
      id: string;
      kind: "permission";
      action: string;
      command?: string;
      patterns: string[];
      offers: AskOption["kind"][];
    }
  | { id: string; kind: "question"; questions: Question[] };

export interface LedgerTurn {
  id: string;
  by: "user" | "agent";
  /** What it is for, where it is not for the agent to answer a prompt. */
  task?: Task;
  /** How the command of a shell turn went. */
  ran?: ToolDone;
  native?: string;
  started: number;
  /** When that was on the steady clock of this process. */
  begun?: number;
  steps: number;
  step: { number: number; id: string; key?: string; summary?: boolean } | null;
  /** Open messages and reasoning by the agent's key. */
  texts: ReadonlyMap<string, OpenText>;
  calls: ReadonlyMap<string, OpenCall>;
  /** Keys of what is complete, so that repeats change nothing. */
  done: AppendSet;
  /** What its tools changed so far. */
  files?: FileTotal[];
  /** Characters of the diffs that were told so far. */
  diffs?: number;
  asks: ReadonlyMap<string, LedgerAsk>;
  /** Keys of asks that are settled. */
  settledAsks: ReadonlySet<string>;
  cancelled: boolean;
  /** The agent said that the turn is over; open tool calls are given a moment. */
  end: { reason: EndReason; usage?: Usage; error?: Failure } | null;
  error?: Failure;
  usage?: Usage;
  status: TurnStatus;
}

/** An item or call of a turn that is over, kept so that late words about it are known as such. */
export interface Past {
  turn: string;
  /** Nothing it says matters any more: its turn was cancelled, or it was complete. */
  mute: boolean;
}

export interface LedgerState {
  agent: string;
  directory: string;
  facts: Facts;
  limits: readonly Limit[];
  /** A turn has begun in it, however long ago. */
  begun: boolean;
  /** False between `session.ended` and the next `session.started`. */
  live: boolean;
  closing?: Closing;
  /** It has been said that the session was deleted. */
  deleted?: boolean;
  /** The agent tells the past once more: it becomes the session's, or is passed over. */
  replay?: "take" | "skip" | undefined;
  turn: LedgerTurn | null;
  /** The last one that began a turn. */
  lastPrompt?: string;
  queue: readonly Prompt[];
  untold: readonly Untold[];
  rules: readonly Rule[];
  /** Calls that may speak after their turn. */
  background: ReadonlyMap<string, string>;
  /** Keys of the last turns, oldest first. */
  past: readonly ReadonlyMap<string, Past>[];
  /** The agent's ids of turns that are over. */
  finished: readonly string[];
}

/** Why the agent is being let go. What comes later here is final: no prompt is taken any more. */
export type Closing = "closed" | "shutdown" | "deleted";

/** The first command of a session. */
export interface Create {
  type: "create";
  started: EventData["session.started"];
  source: "agent" | "parley";
  /** Copied from the session that this one was forked from, and the new facts that are said after it. */
  fork?: { history: readonly Draft[]; facts: Facts };
}

/** The gateway's words to the ledger, beside the agent's signals. */
export type Command =
  | Create
  /** `agent`: who is to answer it; another than the session's own can only before the first turn. */
  | { type: "prompt"; prompt: Prompt; agent?: string }
  | { type: "steer"; prompt: Prompt }
  | { type: "withdraw"; prompt: string }
  /** Stops the open turn, or only this one if it is the one that is open. */
  | { type: "cancel"; queue: "clear" | "keep"; turn?: string }
  /** `own`: Parley answers because nobody is there to. */
  | { type: "answer"; ask: string; answer: Answer; by: string; own?: boolean }
  | { type: "update"; facts: Facts; agent?: string }
  /** The next exit of the agent is wanted, and why. */
  | { type: "closing"; reason: Closing }
  /** A turn fails for a reason of Parley's own. */
  | { type: "fail"; turn: string; error: Failure }
  /** Parley itself died while this was the state. */
  | { type: "crashed" }
  /** Prompts that waited through a restart may go on. */
  | { type: "next" }
  | { type: "timer"; name: TimerName; turn: string };

export type TimerName = "grace" | "quiet";

/** What the ledger wants done; it does nothing itself. */
export type Effect =
  | { type: "deliver"; prompt: Prompt; turn: string }
  | { type: "steer"; prompt: Prompt }
  | { type: "cancel"; turn: string }
  | { type: "answer"; ask: string; answer: Answer }
  /** No rule denies what the agent is about to do; `ask`: a person is to be asked first. */
  | { type: "decide"; ask: string; verdict: "go" | "ask" }
  | { type: "asked"; ask: string; kind: "permission" | "question" }
  | { type: "timer"; name: TimerName; turn: string; ms: number }
  | { type: "ended"; turn: string };

export interface Refusal {
  code:
    | "busy"
    | "queue_full"
    | "ask_not_found"
    | "invalid"
    | "prompt_not_found"
    | "session_not_found"
    | "shutting_down";
  message: string;
}

export type Input = { signal: Signal } | { command: Command };

/** How long open tool calls are waited for after the turn's end, all together. */
export const GRACE_MS = 250;
export const QUEUE_LIMIT = 100;
const PAST_TURNS = 3;
const FINISHED_KEPT = 8;

export function newLedger(agent: string, directory: string, facts: Facts): LedgerState {
  return {
    agent,
    directory,
    facts,
    limits: [],
    begun: false,
    live: true,
    turn: null,
    queue: [],
    untold: [],
    rules: [],
    background: new Map(),
    past: [],
    finished: [],
  };
}

export function rememberPast(
  state: LedgerState,
  keys: ReadonlyMap<string, Past>,
): readonly ReadonlyMap<string, Past>[] {
  return [...state.past, keys].slice(-PAST_TURNS);
}

export function rememberFinished(state: LedgerState, native: string | undefined): readonly string[] {
  return native === undefined ? state.finished : [...state.finished, native].slice(-FINISHED_KEPT);
}

/** Keys of texts and calls share one map. */
export const textKey = (item: string): string => `t:${item}`;
export const callKey = (call: string): string => `c:${call}`;

export function findPast(state: LedgerState, key: string): Past | undefined {
  return state.past.findLast((keys) => keys.has(key))?.get(key);
}
