import { setTimeout as delay, setImmediate as nextTick } from "node:timers/promises";
import type { ChildRef, McpServer } from "../../agents/contract.ts";
import type { EndReason, Failure, OptionValues } from "../../core/events/values.ts";
import type { Answer, Signal, TextKind } from "../../core/ledger/signals.ts";
import type { Wire } from "./wire.ts";

/** How a behaviour wants the turn to end; `said` when it has ended it itself. */
export type Ending = { reason: EndReason; error?: Failure } | "said" | undefined;

/** The deed of a turn; the argument stood behind its marker's name. */
export type Behaviour = (turn: Turn, argument: string) => Promise<Ending>;

/** Thrown by everything that waits when the turn is cancelled. */
export class Cancelled extends Error {}

/** The means of a behaviour during one turn. */
export interface Turn {
  readonly text: string;
  readonly directory: string;
  readonly mode: string | undefined;
  readonly options: OptionValues;
  readonly mcpServers: readonly McpServer[];
  readonly wire: Wire;
  readonly words: { input: number; output: number };
  say(signal: Signal, child?: ChildRef): void;
  /** A fresh id. */
  id(kind: string): string;
  /** Streams a text word by word. */
  speak(text: string, options?: { kind?: TextKind; child?: ChildRef }): Promise<void>;
  wait(ms: number): Promise<void>;
  /** Throws when the turn was cancelled, after letting commands in. */
  check(): Promise<void>;
  cancelled(): Promise<void>;
  answer(ask: string): Promise<Answer>;
  anyAnswer(): Promise<Answer>;
  /** Work for when the turn is over. */
  after(work: () => Promise<void>): void;
  /** A turn of the agent's own, as soon as none runs. */
  begin(behaviour: Behaviour): void;
}

/** The other side of a turn, for the commands that reach it. */
export interface TurnControl {
  turn: Turn;
  cancel(): void;
  answered(ask: string, answer: Answer): void;
  /** The work that was put off with `after`. */
  later: (() => Promise<void>)[];
  /** The signals beside the behaviour; the turn does not end before they are said. */
  side: Promise<void>[];
}

export interface TurnSetting {
  text: string;
  directory: string;
  mode: string | undefined;
  options: OptionValues;
  mcpServers: readonly McpServer[];
  wire: Wire;
  pace: number;
  id(kind: string): string;
  begin(behaviour: Behaviour): void;
}

const countWords = (text: string): number => text.match(/\S+/g)?.length ?? 0;

export function createTurn(setting: TurnSetting): TurnControl {
  const { wire, pace, ...given } = setting;
  const stop = new AbortController();
  const early: { ask: string; answer: Answer }[] = [];
  const waiting = new Map<string, (answer: Answer) => void>();
  const anyWaiting: ((answer: Answer) => void)[] = [];
  const later: (() => Promise<void>)[] = [];
  const words = { input: countWords(setting.text), output: 0 };

  const cancelled = new Promise<void>((resolve) => stop.signal.addEventListener("abort", () => resolve()));
  const orCancelled = <T>(promise: Promise<T>): Promise<T> =>
    Promise.race([
      promise,
      cancelled.then(() => {
        throw new Cancelled();
      }),
    ]);
  const wait = (ms: number): Promise<void> => orCancelled(delay(ms));

  const turn: Turn = {
    ...given,
    wire,
    words,
    say: wire.say,
    wait,
    async speak(text, { kind = "message", child } = {}) {
      const item = given.id("item");
      for (const delta of text.match(/\s*\S+\s*/g) ?? []) {
        wire.say({ type: "text", item, kind, role: "assistant", delta }, child);
        words.output += 1;
        await wait(pace);
      }
      wire.say({ type: "text.done", item, kind, role: "assistant", text }, child);
    },
    async check() {
      await nextTick();
      if (stop.signal.aborted) throw new Cancelled();
    },
    cancelled: () => cancelled,
    answer: (ask) => {
      const at = early.findIndex((one) => one.ask === ask);
      const [ready] = at === -1 ? [] : early.splice(at, 1);
      return ready ? Promise.resolve(ready.answer) : orCancelled(new Promise((resolve) => waiting.set(ask, resolve)));
    },
    anyAnswer: () => {
      const ready = early.shift();
      return ready ? Promise.resolve(ready.answer) : orCancelled(new Promise((resolve) => anyWaiting.push(resolve)));
    },
    after: (work) => {
      later.push(work);
    },
  };
  return {
    turn,
    later,
    side: [],
    cancel: () => stop.abort(),
    answered(ask, answer) {
      const resolve = waiting.get(ask) ?? anyWaiting.shift();
      if (resolve) resolve(answer);
      else early.push({ ask, answer });
    },
  };
}
