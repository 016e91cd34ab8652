import { messageOf } from "../../core/errors.ts";
import { FewAtOnce } from "../../core/few-at-once.ts";
import type { AskDesk } from "./ask-desk.ts";
import type { Heard } from "./read-line.ts";
import type { RequestId, Rpc } from "./rpc.ts";
import { Files } from "./serve/files.ts";
import { Withdrawn } from "./serve/guard.ts";
import { Terminals, type TerminalsOptions } from "./serve/terminals.ts";
import { serve, servedBy, tooLong, unknownMethod } from "./served.ts";

/** Requests with large answers: a program that does not read them has only so many of them kept. */
const LARGE: ReadonlySet<string> = new Set(["fs/read_text_file", "terminal/output"]);
const MOST_LARGE = 32;

interface RequestsOptions extends TerminalsOptions {
  rpc: Rpc;
  asks: AskDesk;
  isGone(): boolean;
}

/** The program's requests: files and terminals that Parley serves, and what is asked of a person. Each gets one answer. */
export class Requests {
  readonly #options: RequestsOptions;
  readonly #terminals: Terminals;
  readonly #served: ReturnType<typeof servedBy>;
  readonly #few = new FewAtOnce(MOST_LARGE);
  /** Those that Parley serves and has not answered. */
  readonly #open = new Map<RequestId, AbortController>();

  constructor(options: RequestsOptions) {
    this.#options = options;
    this.#terminals = new Terminals(options);
    this.#served = servedBy(new Files(options), this.#terminals);
  }

  /** `isCut`: a part of a long line was left out. Half of a file must not be written in place of the whole, nor half of a command run. */
  take(request: Extract<Heard, { what: "request" }>, isCut: boolean): void {
    const { rpc, asks, isGone } = this.#options;
    const { id, method, params } = request;
    const work = this.#served.get(method);
    if (work && isCut) void rpc.reply(id, tooLong(method));
    else if (work) {
      const withdrawn = new AbortController();
      this.#open.set(id, withdrawn);
      const done = async (): Promise<void> => {
        if (isGone()) return;
        const reply = await serve(work, params, withdrawn.signal);
        if (this.#open.get(id) === withdrawn) this.#open.delete(id);
        await rpc.reply(id, reply);
      };
      void (LARGE.has(method) ? this.#few.do(done) : done());
    } else if (method === "session/request_permission") this.#asked(id, () => asks.permission(request));
    else if (method === "elicitation/create") this.#asked(id, () => asks.form(request));
    else void rpc.reply(id, unknownMethod(method));
  }

  /** Something odd in a request is its own failure, and the request has its answer. */
  #asked(id: RequestId, ask: () => void): void {
    try {
      ask();
    } catch (error) {
      void this.#options.rpc.reply(id, { error: { code: -32603, message: messageOf(error) } });
    }
  }

  /** The program takes one of its requests back: it is answered as cancelled, and a person who was asked for it no longer is. */
  withdraw(id: RequestId): void {
    this.#open.get(id)?.abort(new Withdrawn());
    this.#options.asks.withdraw(id);
  }

  /** The output so far of a terminal; undefined for one that is not Parley's. */
  terminalText(id: string): string | undefined {
    return this.#terminals.textOf(id);
  }

  /** Ends all terminals. None is started from now on. */
  close(graceMs: number): Promise<void> {
    return this.#terminals.close(graceMs);
  }
}
