import type { TurnEnd } from "../translate/updates.ts";
import { isGone } from "./gaps.ts";

interface Waiting {
  resolve(end: TurnEnd): void;
  reject(error: unknown): void;
  promise: Promise<TurnEnd>;
  /** Settled when its turn begins. */
  begun: PromiseWithResolvers<undefined>;
  /** Settled when the server has answered. */
  sent?: Promise<unknown>;
  isSent?: boolean;
  turn?: string;
}

export interface SentPrompt {
  id: string;
  /** Resolves when the prompt is stored. */
  sent: Promise<void>;
  /** Resolves when the prompt's turn begins, or with the end of a prompt that gets none. */
  begun: Promise<TurnEnd | undefined>;
  end: Promise<TurnEnd>;
}

/** The prompts that this client gave and that have no end yet. Each gets exactly one. */
export class Prompts {
  readonly #waiting = new Map<string, Waiting>();
  readonly #steered = new Set<string>();
  /** The client lets go of the session: prompts from now on are withdrawn before they are sent. */
  isLeaving = false;

  /** Registers a prompt before it is sent, so that no event of it comes too early. */
  add(id: string): Promise<TurnEnd> {
    const { promise, resolve, reject } = Promise.withResolvers<TurnEnd>();
    // The sender of the prompt may fail before it looks at the end.
    promise.catch(() => {});
    this.#waiting.set(id, { promise, resolve, reject, begun: Promise.withResolvers() });
    return promise;
  }

  /** Resolves when the turn of a prompt that was added begins. */
  async begun(id: string): Promise<undefined> {
    await this.#waiting.get(id)?.begun.promise;
  }

  /** Notes that a prompt is on its way. */
  sending(id: string, sent: Promise<unknown>): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    const settled = (): void => {
      waiting.isSent = true;
    };
    waiting.sent = sent.then(settled, settled);
  }

  /** Resolves when no prompt is on its way. Before that the server does not know what to stop. */
  async allSent(): Promise<void> {
    await Promise.all([...this.#waiting.values()].map(({ sent }) => sent));
  }

  /** Notes words for the running turn. Where they join it, they have no end of their own. */
  steered(id: string): void {
    this.#steered.add(id);
  }

  /** Whether this client gave the prompt. */
  isOwn(id: string): boolean {
    const isSteered = this.#steered.delete(id);
    return isSteered || this.#waiting.has(id);
  }

  has(id: string | undefined): boolean {
    return id !== undefined && this.#waiting.has(id);
  }

  drop(id: string): void {
    this.settle(id, { prompt: id, reason: "withdrawn" });
  }

  began(id: string, turn: string): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    waiting.turn = turn;
    waiting.begun.resolve(undefined);
  }

  /** The prompts that the server has. */
  sent(): string[] {
    return [...this.#waiting].filter(([, { isSent }]) => isSent).map(([id]) => id);
  }

  all(): string[] {
    return [...this.#waiting.keys()];
  }

  /** The turn of a prompt; undefined while it waits. */
  turnOf(id: string): string | undefined {
    return this.#waiting.get(id)?.turn;
  }

  /** The ends of all prompts that wait. */
  ends(): Promise<unknown> {
    return Promise.allSettled([...this.#waiting.values()].map(({ promise }) => promise));
  }

  settle(id: string, end: TurnEnd): void {
    this.#waiting.get(id)?.resolve(end);
    this.#waiting.delete(id);
  }

  /** Settles prompts whose end is not in the events; those that are on their way may still have one. */
  settleAll(end: (id: string) => TurnEnd | undefined, unsent = true): void {
    for (const [id, { isSent }] of this.#waiting) {
      const ended = isSent || unsent ? end(id) : undefined;
      if (ended) this.settle(id, ended);
    }
  }

  /** Ends all prompts of a session that cannot be read. What is deleted is cancelled. */
  fail(error: unknown): void {
    if (isGone(error)) return this.settleAll((id) => ({ prompt: id, reason: "deleted" }));
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
