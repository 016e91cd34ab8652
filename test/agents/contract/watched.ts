import assert from "node:assert/strict";
import type { Agent, AgentSession, ChildRef, OpenOptions } from "../../../src/agents/contract.ts";
import type { Prompt } from "../../../src/core/events/values.ts";
import type { Signal } from "../../../src/core/ledger/signals.ts";
import { deadline, PATIENCE_MS, staysSo } from "../../support/time.ts";

type Holding<S, T> = S extends { type: infer Types } ? (T extends Types ? S : never) : never;
type SignalOf<T extends Signal["type"]> = Holding<Signal, T>;

/** The agent that an adapter's tests bring, and how its processes are found. */
export interface ContractRig {
  agent: Agent;
  directory: string;
  /** Pids of all processes that the agent's sessions run now. */
  processes(): number[];
  /** The same adapter when its program cannot be started, never becomes ready, or does not know the session to resume. */
  unstartable?: Agent;
  silent?: Agent;
  forgetful?: Agent;
  /** The prompt for one of the words that the checks use; the word itself unless told. */
  say?(word: string): string;
  /** How long a promise or a signal may take, by its name. */
  patienceMs?(what: string): number;
}

/** One start of an agent and all signals that it emitted. */
export class Watched {
  readonly session: AgentSession;
  readonly signals: Signal[] = [];
  readonly children: { child: ChildRef; signal: Signal }[] = [];
  /** Called with each signal, while it is emitted. */
  onSignal: (signal: Signal) => void = () => {};
  readonly #rig: ContractRig;
  readonly #waiting = new Set<() => void>();

  constructor(rig: ContractRig, options: Partial<OpenOptions> = {}, agent: Agent = rig.agent) {
    this.#rig = rig;
    this.session = agent.open({
      session: "ses_contract",
      directory: rig.directory,
      trusted: false,
      emit: (signal, _native, child) => {
        if (child) this.children.push({ child, signal });
        else this.signals.push(signal);
        this.onSignal(signal);
        for (const look of this.#waiting) look();
      },
      ...options,
    });
  }

  /** Fails when a promise of the agent takes too long. */
  async soon<T>(what: string, promise: Promise<T>): Promise<T> {
    return soon(this.#rig, what, promise, () => this.types().slice(-12).join(", "));
  }

  until(what: string, fits: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => {
      if (!fits()) return;
      this.#waiting.delete(look);
      resolve();
    };
    this.#waiting.add(look);
    look();
    return this.soon(what, promise);
  }

  async ready(): Promise<this> {
    await this.soon("ready", this.session.ready());
    return this;
  }

  prompt(word: string): Promise<void> {
    return this.soon(`prompt("${word}")`, this.session.prompt(promptOf(this.#rig, word)));
  }

  steer(word: string): Promise<void> {
    return this.soon(`steer("${word}")`, this.session.steer?.(promptOf(this.#rig, word)) ?? Promise.resolve());
  }

  /** Gives a prompt and resolves with the end of its turn. */
  async turn(word: string): Promise<SignalOf<"turn.finished">> {
    const before = this.all("turn.finished").length;
    await this.prompt(word);
    await this.until(`the end of the turn "${word}"`, () => this.all("turn.finished").length > before);
    return this.all("turn.finished").at(-1) as SignalOf<"turn.finished">;
  }

  all<T extends Signal["type"]>(type: T): SignalOf<T>[] {
    return this.signals.filter((signal) => signal.type === type) as SignalOf<T>[];
  }

  types(): string[] {
    return this.signals.map((signal) =>
      signal.type === "turn.finished" ? `turn.finished (${signal.error?.message ?? signal.reason})` : signal.type,
    );
  }

  /** The numbers that were said, in the order in which they came. */
  counted(): number[] {
    const texts = new Map<string, string>();
    for (const { item, delta } of this.all("text")) texts.set(item, (texts.get(item) ?? "") + delta);
    // An agent may tell the whole of a text in place of pieces that were held back.
    for (const { item, text, role } of this.all("text.done"))
      if (text !== undefined && role !== "user") texts.set(item, text);
    return [...[...texts.values()].join(" ").matchAll(/\d+/g)].map(([number]) => Number(number));
  }

  /** Fails when a signal comes in the next moment. */
  async staysQuiet(when: string, before = this.signals.length): Promise<void> {
    await staysSo(`no signal ${when}`, () => this.signals.length === before);
  }

  /** The start is over: one `exited`, and nothing behind it. */
  async assertEnded(when: string): Promise<void> {
    assert.equal(this.all("exited").length, 1, `expected one exited ${when}, got ${this.types().join(", ")}`);
    assert.equal(this.signals.at(-1)?.type, "exited", `expected exited to be the last signal ${when}`);
    await this.staysQuiet(`after exited ${when}`);
  }
}

export function promptOf(rig: ContractRig, word: string): Prompt {
  return { id: `msg_${word}`, parts: [{ type: "text", text: rig.say?.(word) ?? word }] };
}

export async function soon<T>(rig: ContractRig, what: string, promise: Promise<T>, came = () => ""): Promise<T> {
  const ms = rig.patienceMs?.(what) ?? PATIENCE_MS;
  const { promise: late, reject } = Promise.withResolvers<never>();
  using _ = deadline(() => reject(new Error(`${what} took more than ${ms} ms; signals: ${came()}`)), ms);
  return await Promise.race([promise, late]);
}

export const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);
