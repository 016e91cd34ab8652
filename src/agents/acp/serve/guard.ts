import type { Answer, Signal } from "../../../core/ledger/signals.ts";
import type { Permission } from "../permissions.ts";

/** The program's request was refused; the message is for it. */
export class Refused extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Refused";
  }
}

export interface GuardOptions {
  /** Makes keys of asks that are unique in the session. */
  nextAsk(): string;
  hasRules(): boolean;
  /** Whether a turn is open: outside of one nobody could be asked. */
  inTurn(): boolean;
  /** Whether the turn that is open was stopped. */
  isStopped(): boolean;
  say(signal: Signal): void;
}

/** The program takes its request back. */
export class Withdrawn extends Error {
  constructor() {
    super("the request was cancelled");
    this.name = "Withdrawn";
  }
}

/** More wait for nobody: they are refused. */
const MOST_WAITING = 256;

type Verdict = "go" | "ask" | { refusal: string };

function refusalOf(answer: Answer): Verdict {
  if (answer.kind === "permission" && answer.outcome !== "reject") return "go";
  const why = "feedback" in answer && answer.feedback ? `: ${answer.feedback}` : "";
  return { refusal: `it was refused${why}` };
}

/** Holds what the program has Parley do against the session's rules: files that it reads and writes, commands that it runs. */
export class Guard {
  readonly #options: GuardOptions;
  readonly #waiting = new Map<string, (verdict: Verdict) => void>();
  /** Actions that a person or a rule has just allowed the program: they are not asked about a second time. */
  readonly #allowed = new Map<string, number>();
  /** Actions that were refused in this turn: the program may have asked for them to do them by a request to Parley. */
  readonly #refused = new Set<string>();

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /** Resolves when it may be done, and throws `Refused` otherwise, or why the request was withdrawn. */
  async permit(permission: Permission, withdrawn?: AbortSignal): Promise<void> {
    const { hasRules, inTurn, isStopped } = this.#options;
    if (isStopped() && permission.action !== "read") throw new Refused("the turn is being stopped");
    if (this.#takeAllowed(permission)) return;
    if (keysOf(permission).some((key) => this.#refused.has(key))) throw new Refused("it was refused in this turn");
    if (!hasRules()) return;
    if (!inTurn()) throw new Refused("no turn is open, and this session has rules: nobody could be asked");
    if (this.#waiting.size >= MOST_WAITING) throw new Refused(`${MOST_WAITING} others wait for an answer already`);
    const verdict = await this.#ask({ type: "intent", ask: this.#options.nextAsk(), ...permission }, withdrawn);
    const last =
      verdict === "ask"
        ? await this.#ask({ type: "permission", ask: this.#options.nextAsk(), ...permission }, withdrawn)
        : verdict;
    if (typeof last === "object") throw new Refused(last.refusal);
  }

  /** The program asked for this and may do it, once. */
  allow(permission: Permission): void {
    for (const key of keysOf(permission)) {
      this.#allowed.set(key, (this.#allowed.get(key) ?? 0) + 1);
      this.#refused.delete(key);
    }
  }

  /** The program asked for this and may not do it. */
  refuse(permission: Permission): void {
    for (const key of keysOf(permission)) this.#refused.add(key);
  }

  /** A turn begins: what was refused in the one before may be asked for again. */
  begin(): void {
    this.#refused.clear();
  }

  decide(ask: string, verdict: "go" | "ask"): void {
    this.#waiting.get(ask)?.(verdict);
  }

  /** Whether the ask was the guard's own. */
  answer(ask: string, answer: Answer): boolean {
    const settle = this.#waiting.get(ask);
    settle?.(refusalOf(answer));
    return settle !== undefined;
  }

  /** The turn is being stopped or over: nothing that waits is done any more. */
  stop(): void {
    this.#allowed.clear();
    for (const settle of [...this.#waiting.values()]) settle({ refusal: "the turn is over" });
  }

  #takeAllowed(permission: Permission): boolean {
    const keys = keysOf(permission);
    if (keys.length === 0 || !keys.every((key) => (this.#allowed.get(key) ?? 0) > 0)) return false;
    for (const key of keys) this.#allowed.set(key, (this.#allowed.get(key) ?? 1) - 1);
    return true;
  }

  async #ask(signal: Extract<Signal, { type: "intent" | "permission" }>, withdrawn?: AbortSignal): Promise<Verdict> {
    withdrawn?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Verdict>();
    const { ask, type } = signal;
    const settle = (): void => {
      this.#waiting.delete(ask);
      withdrawn?.removeEventListener("abort", withdraw);
    };
    const withdraw = (): void => {
      settle();
      // Nobody is asked about an intent.
      if (type === "permission") this.#options.say({ type: "ask.withdrawn", ask });
      reject(withdrawn?.reason);
    };
    this.#waiting.set(ask, (verdict) => {
      settle();
      resolve(verdict);
    });
    withdrawn?.addEventListener("abort", withdraw);
    this.#options.say(signal);
    return promise;
  }
}

function keysOf({ action, command, patterns = [] }: Permission): string[] {
  if (command !== undefined) return [`${action} ${command}`];
  return patterns.map((pattern) => `${action} ${pattern}`);
}
