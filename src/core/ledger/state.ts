import type { EventData } from "../events/catalog.ts";
import type { Draft } from "../events/event.ts";
import type {
  AskOption,
  EndReason,
  Failure,
  FileTotal,
  Limit,
  Prompt,
  Question,
  Task,
  TurnStatus,
  Usage,
} from "../events/values.ts";
import type { Facts, Grant } from "../session-state.ts";
import type { Untold } from "../untold.ts";
import type { AppendSet } from "./append-set.ts";
import type { Answer, Role, Signal, TextKind, ToolDone } from "./signals.ts";

export interface OpenText {
  id: string;
  /** Absent while the speaker is not known: the text is held back. */
  known?: { kind: TextKind; role: Role };
  text: string;
  /** Characters that were left out. */
  left?: number;
  step?: number;
  parentCall?: string;
  /** Its end came before its speaker was known. */
  ended?: boolean;
}

export interface OpenCall {
  id: string;
  /** Absent while only the call's id is known: the item has not started yet. */
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
  /** Output and end that came before the call itself. */
  heldOutput: string;
  /** Characters of it that were left out. */
  heldLeft?: number;
  heldDone?: ToolDone;
}

export type LedgerAsk =
  | (Grant & { id: string; kind: "permission"; offers: AskOption["kind"][] })
  | { id: string; kind: "question"; questions: Question[] };

export interface LedgerTurn {
  id: string;
  by: "user" | "agent";
  /** The task of a turn that is not a prompt to the agent: a shell command or a compaction. */
  task?: Task;
  /** The result of a shell turn's command. */
  ran?: ToolDone;
  native?: string;
  /** The model in force when it began. */
  model?: string;
  /** It did not run here: see the event. */
  elsewhere?: true;
  started: number;
  /** The same moment on the steady clock of this process. */
  begun?: number;
  steps: number;
  step: { number: number; id: string; key?: string; summary?: boolean } | null;
  /** Open messages and reasoning by the agent's key. */
  texts: ReadonlyMap<string, OpenText>;
  calls: ReadonlyMap<string, OpenCall>;
  /** Keys of completed items and calls, so that repeats change nothing. */
  done: AppendSet;
  /** Files that its tools changed so far. */
  files?: FileTotal[];
  /** Characters of all diffs of the turn so far. */
  diffs?: number;
  asks: ReadonlyMap<string, LedgerAsk>;
  /** Keys of asks that are settled. */
  settledAsks: ReadonlySet<string>;
  cancelled: boolean;
  /** Set when the agent said that the turn is over; open tool calls have `GRACE_MS` from then on. */
  end: { reason: EndReason; usage?: Usage; error?: Failure } | null;
  error?: Failure;
  usage?: Usage;
  status: TurnStatus;
}

/** An item or call of an ended turn, kept so that late signals about it are recognised. */
export interface Past {
  turn: string;
  /** Late signals about it are dropped: its turn was cancelled, or it was complete. */
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
  /** `session.ended` with the reason `deleted` was said. */
  deleted?: boolean;
  /** The agent tells the past once more: it becomes the session's, or is passed over. */
  replay?: "take" | "skip" | undefined;
  turn: LedgerTurn | null;
  /** The last prompt that began a turn. */
  lastPrompt?: string;
  queue: readonly Prompt[];
  untold: readonly Untold[];
  /** Grants; named as in the session's state. */
  rules: readonly Grant[];
  /** Background calls, with their turns. */
  background: ReadonlyMap<string, string>;
  /** Keys of the last turns, oldest first. */
  past: readonly ReadonlyMap<string, Past>[];
  /** The agent's ids of turns that are over. */
  finished: readonly string[];
}

/** The reason why the agent is being closed, weakest first. After `shutdown` and `deleted` no prompt is taken any more. */
export type Closing = "closed" | "shutdown" | "deleted";

/** The first command of a session. */
export interface Create {
  type: "create";
  started: EventData["session.started"];
  source: "agent" | "parley";
  /** Copied from the session that this one was forked from, and the new facts that are said after it. */
  fork?: { history: readonly Draft[]; facts: Facts };
}

/** An input of the gateway to the ledger; the other inputs are the agent's signals. */
export type Command =
  | Create
  /** `agent`: the agent that gets it. It may differ from the session's agent only before the first turn. */
  | { type: "prompt"; prompt: Prompt; agent?: string }
  | { type: "steer"; prompt: Prompt }
  | { type: "withdraw"; prompt: string }
  /** Stops the open turn; with `turn`, only if that turn is the open one. */
  | { type: "cancel"; queue: "clear" | "keep"; turn?: string }
  /** `own`: Parley answers because nobody is attached. */
  | { type: "answer"; ask: string; answer: Answer; by: string; own?: boolean }
  | { type: "update"; facts: Facts; agent?: string }
  /** Cuts the turns that a revert took back, before a prompt does. */
  | { type: "commit" }
  /** Grants of the session that a sub-agent works for hold for the sub-agent, too. No event repeats them. */
  | { type: "grant"; grants: readonly Grant[] }
  /** The agent is being closed: its next exit is no failure. */
  | { type: "closing"; reason: Closing }
  /** A turn fails for a reason of Parley's own. */
  | { type: "fail"; turn: string; error: Failure }
  /** Parley itself crashed in this state. */
  | { type: "crashed" }
  /** Prompts that waited through a restart may begin. */
  | { type: "next" }
  | { type: "timer"; name: TimerName; turn: string };

export type TimerName = "grace" | "quiet";

/** An action that the ledger asks the gateway for, after the events are stored. The ledger does nothing itself. */
export type Effect =
  | { type: "deliver"; prompt: Prompt; turn: string }
  | { type: "steer"; prompt: Prompt }
  | { type: "cancel"; turn: string }
  | { type: "answer"; ask: string; answer: Answer }
  /** The verdict on an intent that no rule denies; `ask`: the agent must ask a person first. */
  | { type: "decide"; ask: string; verdict: "go" | "ask" }
  | { type: "asked"; ask: string; kind: "permission" | "question" }
  | { type: "granted"; grant: Grant }
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

/** Law 6: open tool calls are waited for this long after the end of a turn, or of a stopped model answer, all together. */
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

export function rememberPast(state: LedgerState, keys: ReadonlyMap<string, Past>): LedgerState["past"] {
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
