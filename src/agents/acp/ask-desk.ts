import { fieldsIn, textIn } from "../../core/json/fields.ts";
import type { Signal } from "../../core/ledger/signals.ts";
import { type Asked, askForm, askPermission, CANCELLED, DECLINED, type OpenAsk } from "./asks.ts";
import type { Decoder } from "./decode/decoder.ts";
import type { Heard } from "./read-line.ts";
import { type RequestId, type Rpc, WITHDRAWN } from "./rpc.ts";
import type { Turn } from "./turn.ts";

type Request = Extract<Heard, { what: "request" }>;

/** More are refused: nobody answers them. */
const MOST_ASKS = 256;

interface DeskOptions {
  /** The agent's name, for people. */
  title: string;
  directory: string;
  decoder: Decoder;
  rpc: Rpc;
  nextAsk(): string;
  turn(): Turn | undefined;
  say(signals: readonly Signal[]): void;
}

/** The asks of a program that wait for an answer. Each of its requests is answered once. */
export class AskDesk {
  readonly #options: DeskOptions;
  readonly #open = new Map<string, OpenAsk>();

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  /** An open ask, which its taker answers. */
  take(key: string): OpenAsk | undefined {
    const ask = this.#open.get(key);
    this.#open.delete(key);
    return ask;
  }

  /** The program no longer waits for the answer to a request. */
  withdraw(request: RequestId): void {
    for (const [key, { id }] of this.#open) {
      if (id !== request) continue;
      this.#open.delete(key);
      this.#options.say([{ type: "ask.withdrawn", ask: key }]);
      void this.#options.rpc.reply(id, WITHDRAWN);
      return;
    }
  }

  /** The turn is stopped or over. */
  cancelAll(): void {
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const { id, cancelled } of open) void this.#options.rpc.reply(id, cancelled);
  }

  permission(request: Request): void {
    if (this.#open.size < MOST_ASKS) this.#ask(this.#permissionOf(request));
    else void this.#options.rpc.reply(request.id, CANCELLED);
  }

  form({ id, params }: Request): void {
    const { title, decoder, rpc, nextAsk } = this.#options;
    const call = decoder.call(textIn(params, "toolCallId"))?.key;
    const isFull = this.#open.size >= MOST_ASKS;
    const asked = isFull ? undefined : askForm(id, params, title, { ask: nextAsk(), call });
    if (asked) return this.#ask(asked);
    void rpc.reply(id, DECLINED);
    const url = textIn(params, "url");
    const words = textIn(params, "message") ?? "";
    this.#tell(
      url === undefined
        ? `${title} asked for something that is not given by an answer, since answers are kept in the log: ${words}`
        : `${title} wants a page opened, which Parley does not do for it: ${words} ${url}`,
    );
  }

  /** Some programs tell of a call only by asking for it, and some use a call's id once more. */
  #permissionOf({ id, params }: Request): Asked {
    const { decoder, directory, nextAsk, turn, say } = this.#options;
    const toolCall = fieldsIn(params, "toolCall");
    const of = textIn(toolCall, "toolCallId");
    if (turn()?.isGiven && !decoder.isOpen(of))
      say(decoder.update({ ...toolCall, sessionUpdate: "tool_call", status: "pending" }));
    return askPermission(id, params, decoder.call(of), { ask: nextAsk(), directory });
  }

  /** Nobody waits for what is asked outside of a turn: a turn that it began would have no end. */
  #ask({ ask, signal }: Asked): void {
    const { title, rpc, say } = this.#options;
    const turn = this.#options.turn();
    if (turn?.isGiven && !turn.isStopped && "ask" in signal) {
      this.#open.set(signal.ask, ask);
      return say([signal]);
    }
    void rpc.reply(ask.id, ask.cancelled);
    if (!turn) this.#tell(`${title} asked for something outside of a turn, and was refused`);
  }

  #tell(text: string): void {
    this.#options.say([{ type: "note", level: "warn", code: "ask_declined", text }]);
  }
}
