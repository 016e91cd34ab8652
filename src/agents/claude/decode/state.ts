import type { EndReason, Failure, PlanEntry, Usage } from "../../../core/events/values.ts";
import type { Fields } from "../../../core/json/fields.ts";
import type { Signal } from "../../../core/ledger/signals.ts";
import type { ChildRef } from "../../contract.ts";
import type { Said } from "../../program/read-lines.ts";
import { BYPASS } from "../modes.ts";

/** A block of a message that is streamed. Its text is not kept: the ledger has it. */
export interface Block {
  kind: "message" | "reasoning" | "tool" | "other";
  /** The item or the call that it is. */
  key: string;
  /** The program has told it whole. */
  whole: boolean;
}

/** The message of the main conversation that is streamed now, or was last. */
export interface Message {
  id: string;
  blocks: ReadonlyMap<number, Block>;
  finish?: string;
  usage?: Fields;
  stopped: boolean;
}

/** Something only a person can answer, as the program asked it. */
export interface Request {
  tool: string;
  input: Fields;
  call?: string;
  child?: ChildRef;
  /** Set for a call that the program is about to make: whether a person is to be asked, or nobody can be. */
  hook?: { asks: boolean; nobodyAsked: boolean };
}

export interface Child {
  ref: ChildRef;
  /** The call of the tool that started it. */
  call: string;
  /** It works on after its call has returned. */
  background: boolean;
  over: boolean;
  /**
   * The message it is saying, and how many blocks of it were told. `guessed`: only a call of it was heard of, and its id is not known;
   * `answered`: a result of its calls has come.
   */
  message?: { id: string; count: number; guessed?: boolean; answered?: boolean };
}

export interface End {
  reason: EndReason;
  error?: Failure;
}

export interface Figures {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  cost: number;
}

/** Figures that the program counts from its start; a turn's are the difference. */
export interface Totals extends Figures {
  /** The same by model. */
  models: ReadonlyMap<string, Figures>;
}

export interface DecodeState {
  directory: string;
  /** The program's turn by the line that began it; `held` is an end that waits for what comes next. */
  turn: { id: string; held?: End } | null;
  /** The state that the program last told of itself; unknown for one that tells none. */
  idle: boolean | "unknown";
  /** Ids of user lines that were written and that no turn has taken up yet, and of those that may not even have been read. */
  waiting: ReadonlySet<string>;
  unread: ReadonlySet<string>;
  message: Message | null;
  /** How many texts of a message that was not streamed were told. */
  unstreamed: { id: string; count: number; finish?: string; usage?: Usage } | null;
  /** The id of the last line of the main conversation, up to which the program can copy the session. */
  point?: string;
  /** Something was said in this turn. */
  spoke: boolean;
  /** The error of the model that the program reported, until the turn's end says whether it was one. */
  failure?: { kind: string; text: string };
  requests: ReadonlyMap<string, Request>;
  /** Where calls begin that do not begin in the session's directory, by sub-agent: a work tree that was entered. */
  places: ReadonlyMap<string, string>;
  /** Calls that a person or the mode refused. */
  refused: ReadonlySet<string>;
  /** A refusal was given that ends the turn. */
  lastWord: boolean;
  /** Open calls by id: what the tool is and what it was given. */
  calls: ReadonlyMap<string, { name: string; input: Fields }>;
  /** Sub-agents by their task's id. */
  children: ReadonlyMap<string, Child>;
  /** Commands that run on after their call, by task. */
  commands: ReadonlyMap<string, string>;
  tasks: ReadonlyMap<string, PlanEntry>;
  /** As of the last turn's end, and as of now. */
  totals: Totals;
  latest: Totals;
  context?: { used: number; size?: number };
  /** The permission mode in force; unknown before the program has said so. */
  mode?: string;
  /** It was in the mode without permissions: it would ask for nothing in the mode `plan`, either. */
  mayBypass: boolean;
  /** A hook was heard: the program tells of each call before it makes it. */
  hooked: boolean;
  /** The model as the program names it, the one that was asked for, and what the names of the list stand for. */
  model?: string;
  chosen?: string;
  /** The last model that was asked for and that a turn has begun with. */
  served?: string;
  aliases: ReadonlyMap<string, string>;
  /** Lines that were read already, so that repeats change nothing. */
  seen: readonly string[];
}

export const NO_FIGURES: Figures = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };
export const NO_TOTALS: Totals = { ...NO_FIGURES, models: new Map() };

export function newDecodeState(directory: string): DecodeState {
  return {
    directory,
    turn: null,
    idle: "unknown",
    waiting: new Set(),
    unread: new Set(),
    message: null,
    unstreamed: null,
    spoke: false,
    requests: new Map(),
    refused: new Set(),
    lastWord: false,
    calls: new Map(),
    children: new Map(),
    places: new Map(),
    commands: new Map(),
    tasks: new Map(),
    totals: NO_TOTALS,
    latest: NO_TOTALS,
    mayBypass: false,
    hooked: false,
    aliases: new Map(),
    seen: [],
  };
}

/** The program is in this mode now. */
export function inMode(state: DecodeState, mode: string): DecodeState {
  return { ...state, mode, mayBypass: state.mayBypass || mode === BYPASS };
}

/** One line in the making: the state so far and what it says. */
export class Reading {
  state: DecodeState;
  readonly now: number;
  readonly said: Said[] = [];

  constructor(state: DecodeState, now: number) {
    this.state = state;
    this.now = now;
  }

  say(signal: Signal, child?: ChildRef): void {
    this.said.push(child ? { signal, child } : { signal });
  }

  patch(change: Partial<DecodeState>): void {
    this.state = { ...this.state, ...change };
  }
}

export function without(set: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const copy = new Set(set);
  copy.delete(key);
  return copy;
}
