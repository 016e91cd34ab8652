import { messageOf } from "../../../core/errors.ts";
import type { Fields } from "../../../core/json/fields.ts";
import type { Answer, PermissionSignal, Signal } from "../../../core/ledger/signals.ts";
import type { Said } from "../../program/read-lines.ts";
import { isLastWord, isRefusal } from "../answers.ts";
import { type DecodeState, itemKey, type Thread } from "../decode/state.ts";
import { CallDoor } from "./door.ts";
import { CALLS_VARIABLE, type HookCall } from "./hook.ts";
import { type Described, describeCall } from "./permissions.ts";
import { serverTools } from "./server-tools.ts";

export interface GuardOptions {
  /** The session's. */
  directory: string;
  /** Where the calls are told, in a directory that the program's commands cannot write to from their sandbox. */
  parent: string;
  state(): DecodeState;
  /** The program's list of servers and their tools. */
  servers(): Promise<Fields>;
  say(said: readonly Said[]): void;
  /** Clients are told of a call that the program has not told of. */
  told(thread: string): void;
  /** A verdict could not be told, as on a full disk: its call would wait for ever. */
  failed(why: string): void;
}

/** A call that waits for a verdict. */
interface Waiting {
  id: string;
  call: HookCall;
  thread: Thread;
  key: string;
  described: Described;
  /** The permission that is looked at now. */
  at: number;
  /** Clients have heard of the call. */
  told: boolean;
}

const OVER = "the turn is over";

/** Which tool of a server is meant may not be known for certain. */
function sameAction(one: string, other: string): boolean {
  return one === other || (one.startsWith("mcp__") && other.startsWith("mcp__"));
}

/** Holds each call that the program is about to make until the session's rules, or a person, have spoken. */
export class CallGuard {
  readonly #options: GuardOptions;
  readonly #door: CallDoor;
  readonly #waiting = new Map<string, Waiting>();
  /** Calls of open turns that a person allowed: the program may ask for these once more, by itself. */
  readonly #allowed = new Map<string, Waiting>();
  #closed = false;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#door = CallDoor.open(options.parent, (id, call) => void this.#hear(id, call));
  }

  get environment(): Record<string, string> {
    return { [CALLS_VARIABLE]: this.#door.directory };
  }

  /**
   * Whether a person has just allowed that which the program asks for: the same line, or the same change. A host, words for a terminal, another line
   * and more rights are asked about, and so is a command that wants to leave its sandbox, which says why. True once for a call.
   */
  hasAllowed({ call = "", action, command, metadata = {} }: PermissionSignal): boolean {
    const wants = this.#allowed.get(call)?.described.wants ?? [];
    const same = wants.some((one) => sameAction(one.action, action) && one.command === command);
    const more = metadata.reason !== undefined || metadata.permissions !== undefined;
    return same && !more && this.#allowed.delete(call);
  }

  /** No rule denies it: the next permission is looked at, or a person is asked. False for an ask that is none of these. */
  decide(ask: string, verdict: "go" | "ask"): boolean {
    const waiting = this.#find(ask);
    if (!waiting) return false;
    if (verdict === "go") this.#next(waiting);
    else this.#ask(waiting);
    return true;
  }

  /** An answer to a call. Undefined for an ask that is none of these; `lastWord`: the turn is to end by it. */
  answer(ask: string, answer: Answer): { lastWord: boolean; thread: string } | undefined {
    const waiting = this.#find(ask);
    if (!waiting) return undefined;
    if (isRefusal(answer)) this.#refuse(waiting, "feedback" in answer ? answer.feedback : undefined);
    else {
      this.#allowed.set(waiting.key, waiting);
      this.#next(waiting);
    }
    return { lastWord: isLastWord(answer), thread: waiting.thread.id };
  }

  /** A turn is over: its calls are not made any more. */
  over(thread: string): void {
    for (const waiting of this.#waiting.values()) if (waiting.thread.id === thread) this.#drop(waiting, OVER);
    for (const [key, waiting] of this.#allowed) if (waiting.thread.id === thread) this.#allowed.delete(key);
  }

  /** Files that a hook leaves in this moment are removed at the next start. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#waiting.clear();
    await this.#door.close().catch(() => {});
  }

  async #hear(id: string, call: HookCall): Promise<void> {
    const { state, directory, servers } = this.#options;
    const meant = call.tool.startsWith("mcp__") ? serverTools(call.tool, await servers()) : [];
    if (this.#closed) return;
    const thread = state().threads.get(call.child ?? call.thread);
    const { turn } = thread ?? {};
    if (!thread || !turn) return this.#settle(id, OVER);
    const described = describeCall(call, directory, meant);
    const waiting = { id, call, thread, key: itemKey(turn.id, call.call), described, at: 0, told: false };
    this.#waiting.set(id, waiting);
    this.#intend(waiting);
  }

  #key({ id, at }: Waiting): string {
    return `${this.#options.state().prefix}:call:${id}:${at}`;
  }

  #find(ask: string): Waiting | undefined {
    return [...this.#waiting.values()].find((one) => ask === this.#key(one) || ask === `${this.#key(one)}?`);
  }

  #say({ thread: { child } }: Waiting, ...signals: Signal[]): void {
    this.#options.say(signals.map((signal) => (child ? { signal, child } : { signal })));
  }

  #intend(waiting: Waiting): void {
    const wanted = waiting.described.wants[waiting.at];
    if (wanted) this.#say(waiting, { type: "intent", ask: this.#key(waiting), ...wanted, call: waiting.key });
  }

  #tell(waiting: Waiting): void {
    if (waiting.told) return;
    waiting.told = true;
    this.#options.told(waiting.thread.id);
    this.#say(waiting, { type: "tool.seen", call: waiting.key, ...waiting.described.seen });
  }

  #ask(waiting: Waiting): void {
    const wanted = waiting.described.wants[waiting.at];
    this.#tell(waiting);
    if (wanted) this.#say(waiting, { type: "permission", ask: `${this.#key(waiting)}?`, ...wanted, call: waiting.key });
  }

  #next(waiting: Waiting): void {
    waiting.at++;
    if (waiting.described.wants[waiting.at]) return this.#intend(waiting);
    this.#waiting.delete(waiting.id);
    this.#settle(waiting.id);
    if (waiting.told && !waiting.described.hasItem)
      this.#say(waiting, { type: "tool.done", call: waiting.key, ok: true });
  }

  #refuse(waiting: Waiting, feedback: string | undefined): void {
    const message = feedback || "a rule of this session denies it";
    this.#tell(waiting);
    this.#say(waiting, { type: "tool.done", call: waiting.key, ok: false, error: { code: "rejected", message } });
    this.#drop(waiting, message);
  }

  #settle(id: string, refusal?: string): void {
    this.#door.answer(id, refusal).catch((error: unknown) => this.#options.failed(messageOf(error)));
  }

  #drop({ id }: Waiting, why: string): void {
    this.#waiting.delete(id);
    this.#settle(id, why);
  }
}
