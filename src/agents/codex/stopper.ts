import { type Fields, listIn, textIn } from "../../core/json/fields.ts";
import type { DecodeState, Thread } from "./decode/state.ts";
import type { Rpc } from "./rpc.ts";

/** Stops the turns of a session and of its sub-agents, and the commands that they run. */
export class Stopper {
  readonly #rpc: Rpc;
  readonly #state: () => DecodeState;
  /** A turn was asked for, and has not begun: the program refuses to stop it before that. */
  #expected = false;
  #wanted = false;
  /** Commands that earlier turns left running on purpose. */
  #kept = new Set<string>();

  constructor(rpc: Rpc, state: () => DecodeState) {
    this.#rpc = rpc;
    this.#state = state;
  }

  expect(): void {
    this.#expected = true;
    this.#wanted = false;
  }

  /** The session's turn has begun. */
  begun(): void {
    this.#expected = false;
    if (this.#wanted) void this.stop();
  }

  /** The session's turn is over; `left`: it left commands running. */
  over(left: boolean): void {
    this.#expected = false;
    this.#wanted = false;
    if (left) void this.#keep();
  }

  async stop(): Promise<void> {
    this.#wanted = true;
    const busy = [...this.#state().threads.values()].filter(({ turn }) => turn !== undefined);
    await Promise.all(busy.map((thread) => this.#interrupt(thread)));
    if (busy.length === 0 && !this.#expected) this.#wanted = false;
  }

  async #interrupt({ id, turn }: Thread): Promise<void> {
    await this.#rpc.ask("turn/interrupt", { threadId: id, turnId: turn?.id ?? "" });
    for (const { process, item } of await this.#terminals(id))
      if (!this.#kept.has(item))
        void this.#rpc.ask("thread/backgroundTerminals/terminate", { threadId: id, processId: process });
  }

  /** An interrupt leaves commands running: the program knows them as terminals of the thread. */
  async #terminals(thread: string): Promise<{ process: string; item: string }[]> {
    const { result } = await this.#rpc.ask("thread/backgroundTerminals/list", { threadId: thread });
    const entry = (one: Fields) => ({ process: textIn(one, "processId") ?? "", item: textIn(one, "itemId") ?? "" });
    return listIn(result ?? {}, "data").map(entry);
  }

  async #keep(): Promise<void> {
    const root = this.#state().root;
    if (root === undefined) return;
    this.#kept = new Set((await this.#terminals(root)).map(({ item }) => item));
  }
}
