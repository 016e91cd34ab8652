import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../../core/errors.ts";
import type { Answer, PermissionSignal, Signal } from "../../../core/ledger/signals.ts";
import type { GateCall } from "./gate.ts";
import { asksItself, type Wanted, wantsOf } from "./wants.ts";

export interface GuardOptions {
  directory: string;
  /** Whether a turn of the program's session is open, and not being stopped: a call that is let go then may still be made. */
  isOpen(session: string): boolean;
  /** Whether a sub-agent's session is known, and nothing that it does yet. */
  isComing(session: string): boolean;
  /** The key of a call that was told. */
  keyOf(call: GateCall): string | undefined;
  /** A call is refused: the program will tell of it as one that failed. */
  refused(call: GateCall): void;
  /** Says a signal about one of the program's sessions. */
  say(session: string, signal: Signal): void;
}

interface Waiting {
  readonly id: number;
  readonly call: GateCall;
  readonly wants: readonly Wanted[];
  /** The permission that is looked at now. */
  at: number;
  settle(refused?: string): void;
}

const OVER = "the turn is over";
const DENIED = "a rule of this session denies it";
const MOST_ALLOWED = 1_000;
const KEY_LOOKS = 25;
const COMING_LOOKS = 750;
const LOOK_MS = 20;

/** Holds each call that the program is about to make until the session's rules, or a person, have spoken. */
export class CallGuard {
  readonly #options: GuardOptions;
  readonly #waiting = new Map<number, Waiting>();
  /** Calls that a person allowed, with what was allowed: the program may ask for these once more, by itself. */
  readonly #allowed = new Set<string>();
  #count = 0;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  async hear(call: GateCall): Promise<string | undefined> {
    const wants = readWants(call, this.#options.directory);
    if (typeof wants === "string") return wants;
    if (wants.length === 0) return undefined;
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const id = ++this.#count;
    const settle = (refused?: string): void => {
      this.#waiting.delete(id);
      if (refused !== undefined) this.#options.refused(call);
      resolve(refused);
    };
    const waiting: Waiting = { id, call, wants, at: 0, settle };
    this.#waiting.set(id, waiting);
    await this.#begin(waiting);
    return promise;
  }

  /** Tells of a call. The event that tells of it comes by another way, a moment later. */
  async #begin({ id, call }: Waiting): Promise<void> {
    const { isOpen, isComing, keyOf } = this.#options;
    for (let looks = 0; call.call !== "" && this.#waiting.has(id) && keyOf(call) === undefined; looks++) {
      if (looks >= (isComing(call.session) ? COMING_LOOKS : KEY_LOOKS)) break;
      await delay(LOOK_MS);
    }
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    if (isOpen(call.session)) this.#say(waiting, "intent");
    else waiting.settle(OVER);
  }

  /** A line of shell that the program is about to run by itself, without a call. */
  line(session: string, command: string): Promise<string | undefined> {
    return this.hear({ session, call: "", tool: "bash", input: { command } });
  }

  /** A file that the program is about to read by itself, without a call. */
  file(session: string, filePath: string): Promise<string | undefined> {
    return this.hear({ session, call: "", tool: "read", input: { filePath } });
  }

  /** Whether a person has just allowed that which the program asks for. True once for a call. */
  hasAllowed({ action, command }: PermissionSignal, call: string | undefined): boolean {
    return call !== undefined && this.#allowed.delete(allowance(call, action, command));
  }

  /** No rule denies it: the next permission is looked at, or a person is asked. False for an ask that is none of these. */
  decide(ask: string, verdict: "go" | "ask"): boolean {
    const waiting = this.#find(ask);
    if (!waiting) return false;
    if (verdict === "go" || asksItself(waiting.call)) this.#next(waiting);
    else this.#say(waiting, "permission");
    return true;
  }

  /** An answer to a call: the session that it is for, and whether its turn is to end by it. Undefined for an ask that is none of these. */
  answer(ask: string, answer: Answer): { session: string; isLastWord: boolean } | undefined {
    const waiting = this.#find(ask);
    if (!waiting) return undefined;
    const { session, call } = waiting.call;
    if (answer.outcome === "reject" || answer.outcome === "rejected") {
      const { feedback, stop = false } = answer;
      const isLastWord = stop || !feedback;
      waiting.settle(feedback || DENIED);
      if (isLastWord) this.over(session);
      return { session, isLastWord };
    }
    const wanted = waiting.wants[waiting.at];
    if (this.#allowed.size >= MOST_ALLOWED) this.#allowed.clear();
    if (wanted) this.#allowed.add(allowance(call, wanted.action, wanted.command));
    this.#next(waiting);
    return { session, isLastWord: false };
  }

  /** A turn is over: its calls are not made any more. */
  over(session: string): void {
    for (const waiting of this.#waiting.values()) if (waiting.call.session === session) waiting.settle(OVER);
  }

  /** All turns are over, or being stopped. */
  refuseAll(): void {
    for (const waiting of this.#waiting.values()) waiting.settle(OVER);
  }

  #key({ id, at, call }: Waiting): string {
    return `gate:${call.session}:${id}:${at}`;
  }

  #find(ask: string): Waiting | undefined {
    return [...this.#waiting.values()].find((one) => ask === this.#key(one) || ask === `${this.#key(one)}?`);
  }

  #say(waiting: Waiting, type: "intent" | "permission"): void {
    const wanted = waiting.wants[waiting.at];
    if (!wanted) return;
    const key = this.#options.keyOf(waiting.call);
    const ask = type === "intent" ? this.#key(waiting) : `${this.#key(waiting)}?`;
    this.#options.say(waiting.call.session, { type, ask, ...wanted, ...(key === undefined ? {} : { call: key }) });
  }

  #next(waiting: Waiting): void {
    waiting.at++;
    if (!this.#options.isOpen(waiting.call.session)) waiting.settle(OVER);
    else if (waiting.wants[waiting.at]) this.#say(waiting, "intent");
    else waiting.settle();
  }
}

/** The permissions that a call needs, or the reason why they cannot be told. */
function readWants(call: GateCall, directory: string): readonly Wanted[] | string {
  try {
    return wantsOf(call, directory);
  } catch (error) {
    return messageOf(error);
  }
}

function allowance(call: string, action: string, command: string | undefined): string {
  return JSON.stringify([call, action, command ?? null]);
}
