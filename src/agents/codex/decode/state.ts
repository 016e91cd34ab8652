import { withEntry } from "../../../core/entries.ts";
import type { Fields } from "../../../core/json/fields.ts";
import type { Signal } from "../../../core/ledger/signals.ts";
import type { ChildRef } from "../../contract.ts";
import type { Said } from "../../program/read-lines.ts";

/** Tokens that a thread has used since it began. The input holds the part that was read from a cache. */
export interface Tally {
  input: number;
  cached: number;
  written: number;
  output: number;
  reasoning: number;
}

export const NO_TOKENS: Tally = { input: 0, cached: 0, written: 0, output: 0, reasoning: 0 };

/** An item of a turn that has begun. */
export interface Item {
  key: string;
  type: string;
  /** When it began, by which a repeated line is told from another item with the same id. */
  began?: number;
  over: boolean;
  /** The item as the program told it when it began: an ask for it does not repeat this. */
  told: Fields;
  /** The program has asked about it. */
  asked?: boolean;
  /** The part of a reasoning that was streamed last. */
  part?: number;
}

/** A turn of the program that is under way. */
export interface Turn {
  id: string;
  /** By the program's own ids. */
  items: ReadonlyMap<string, Item>;
  /** The replies of the model so far; `open` while one is being told. */
  steps: number;
  open: boolean;
  /** The open step has called a tool. */
  calls: boolean;
  /** Tokens before it. */
  before: Tally;
  /** Items that a person, a rule or the end of the turn refused: they were never begun. */
  refused: ReadonlySet<string>;
  /** A person refused something, and the turn is to end by it. */
  lastWord: boolean;
}

/** A conversation of the program: the session's own, or a sub-agent's. */
export interface Thread {
  id: string;
  /** Absent for the session's own. */
  child?: ChildRef;
  /** The call by which the sub-agent was started is over. */
  returned?: boolean;
  turn?: Turn;
  /** The last turn, if it was stopped. */
  stopped?: string;
  tokens: Tally;
  /** `tokens` is what the program said: a thread that goes on with another one's past, or its own, does not begin at zero. */
  counted?: true;
  context?: { used: number; size?: number };
}

/** A request of the program that only a person or a rule can answer. */
export interface Request {
  /** The program's own id of it. */
  id: number | string;
  method: string;
  params: Fields;
  thread: string;
}

/** An answer that Parley gives at once. */
export interface Reply {
  id: number | string;
  result?: Fields;
  error?: { code: number; message: string };
}

export interface DecodeState {
  directory: string;
  /** Makes ids of requests unique in the session: the program counts them from 0 at each start. */
  prefix: string;
  /** The session's own thread; unknown before the program has opened it. */
  root?: string;
  /** The thread's id was told. */
  named: boolean;
  threads: ReadonlyMap<string, Thread>;
  requests: ReadonlyMap<string, Request>;
}

export function newDecodeState(directory: string, prefix: string): DecodeState {
  return { directory, prefix, named: false, threads: new Map(), requests: new Map() };
}

/** The session's key of an item. Only a turn's id is unique: some providers count their items from 0 in each reply. */
export function itemKey(turn: string, item: string): string {
  return `${turn.slice(-12)}:${item}`;
}

/** The reading of one line: the state so far and the signals of the line. */
export class Reading {
  state: DecodeState;
  readonly now: number;
  readonly said: Said[] = [];
  reply: Reply | undefined;
  unguarded = false;

  constructor(state: DecodeState, now: number) {
    this.state = state;
    this.now = now;
  }

  patch(change: Partial<DecodeState>): void {
    this.state = { ...this.state, ...change };
  }

  /** Says something about a thread. */
  say(signal: Signal, { child }: Pick<Thread, "child">): void {
    this.said.push(child ? { signal, child } : { signal });
  }

  /** The thread with an id; one that was not heard of before is a sub-agent's that nobody announced. */
  thread(id: string): Thread {
    const known = this.state.threads.get(id);
    if (known) return known;
    const child = id === this.state.root || this.state.root === undefined ? {} : { child: { id } };
    return { id, ...child, tokens: NO_TOKENS };
  }

  setThread(thread: Thread): void {
    this.patch({ threads: withEntry(this.state.threads, thread.id, thread) });
  }

  setTurn(thread: Thread, change: Partial<Turn>): Thread {
    if (!thread.turn) return thread;
    const next = { ...thread, turn: { ...thread.turn, ...change } };
    this.setThread(next);
    return next;
  }
}
