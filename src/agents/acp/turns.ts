import type { Fields } from "../../core/json/fields.ts";
import type { Signal } from "../../core/ledger/signals.ts";
import type { AskDesk } from "./ask-desk.ts";
import { type Decoder, errorWords } from "./decode/decoder.ts";
import type { Peer } from "./handshake.ts";
import { AUTH_REQUIRED, type Response, type Rpc } from "./rpc.ts";
import type { Guard } from "./serve/guard.ts";
import type { Chooser } from "./set-choice.ts";
import { Turn } from "./turn.ts";

interface TurnsOptions {
  /** The agent's name, for people. */
  title: string;
  rpc: Rpc;
  decoder: Decoder;
  chooser: Pick<Chooser, "session">;
  asks: AskDesk;
  guard: Guard;
  /** The words for a person whose agent wants a login. */
  loginWords(why: string): string;
  hasRules(): boolean;
  isGone(): boolean;
  say(signals: readonly Signal[]): void;
}

/** The session's turns, one after the other. The answer to a turn's last prompt is its end, and nothing else is. */
export class Turns {
  readonly #options: TurnsOptions;
  #current: Turn | undefined;
  #toldRules = false;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  get current(): Turn | undefined {
    return this.#current;
  }

  begin(): Turn {
    this.#options.guard.begin();
    this.#current = new Turn();
    return this.#current;
  }

  /** Gives the program a turn's prompt. Its answer is the turn's end. */
  give(turn: Turn, prompt: Fields[]): void {
    const { rpc, decoder, chooser, say, isGone } = this.#options;
    if (turn !== this.#current || isGone()) return;
    if (turn.isStopped) return this.#finish(turn, { result: { stopReason: "cancelled" } });
    if (!turn.isGiven) say(decoder.begin());
    turn.isGiven = true;
    this.#tellRules();
    void rpc.call("session/prompt", { sessionId: chooser.session, prompt }, (response) =>
      this.#answered(turn, response),
    );
  }

  /** Ends a turn whose prompt the program does not get. */
  fail(turn: Turn, message: string): void {
    this.#finish(turn, { result: {}, error: { code: 0, message, data: {} } });
  }

  /** Words for the running turn. Where the program takes none, they follow as a further prompt of the turn. */
  add(turn: Turn, prompt: Fields[], { canSteer }: Pick<Peer, "canSteer">): void {
    const { rpc, chooser } = this.#options;
    turn.later(prompt);
    if (!canSteer || !turn.isGiven) return;
    const params = { sessionId: chooser.session, prompt, _meta: { steering: { idleBehavior: "promptRequired" } } };
    void rpc.call("_session/steering", params, ({ result, error }) => {
      if (!error && result.outcome === "injected") turn.taken(prompt);
    });
  }

  async stop(): Promise<void> {
    const turn = this.#current;
    if (!turn) return;
    turn.stop();
    this.#cancelAsks();
    if (turn.isGiven) await this.#cancel();
  }

  /** The protocol has no words for a refusal: the model is told them by a further prompt, if it does not go on by itself. */
  async refused(feedback: string | undefined, stop: boolean): Promise<void> {
    const turn = this.#current;
    if (!turn) return;
    turn.refuse(stop ? undefined : feedback);
    if (stop && turn.isGiven) await this.#cancel();
  }

  #answered(turn: Turn, response: Response): void {
    const { decoder, say, isGone } = this.#options;
    if (turn !== this.#current || isGone()) return;
    const next = response.error ? undefined : turn.next();
    if (!next) return this.#finish(turn, response);
    this.#cancelAsks();
    say(decoder.goOn(response));
    this.give(turn, next);
  }

  #finish(turn: Turn, response: Response): void {
    const { decoder, say } = this.#options;
    this.#current = undefined;
    this.#cancelAsks();
    say(decoder.end(this.#explained(response), { stopped: turn.isStopped, refused: turn.isRefused }));
  }

  /** A login may run out in the middle of a session. */
  #explained({ result, error }: Response): Response {
    if (error?.code !== AUTH_REQUIRED) return { result, ...(error ? { error } : {}) };
    return { result, error: { ...error, message: this.#options.loginWords(errorWords(error)), data: {} } };
  }

  #cancel(): Promise<void> {
    const { rpc, chooser } = this.#options;
    return rpc.tell("session/cancel", { sessionId: chooser.session });
  }

  #cancelAsks(): void {
    this.#options.asks.cancelAll();
    this.#options.guard.stop();
  }

  /** Rules hold what the program asks and what it has Parley do; the rest it does by itself. */
  #tellRules(): void {
    const { title, hasRules, say } = this.#options;
    if (this.#toldRules || !hasRules()) return;
    this.#toldRules = true;
    const text = `the rules of this session hold for what ${title} asks, and for files and commands that it leaves to Parley; what it does without asking they cannot hold`;
    say([{ type: "note", level: "warn", code: "rules_in_part", text }]);
  }
}
