import { RequestError } from "@agentclientprotocol/sdk/unstable";
import { type Ask, type AskAnswer, ParleyApiError, type StreamEvent } from "../../../client/index.ts";
import type { ParleyEvent } from "../../../core/events/event.ts";
import type { Logger } from "../../../core/logger.ts";
import type { OpenAsk } from "../../../core/session-state.ts";
import { afterResponses } from "../session/after-responses.ts";
import type { AttachedSession } from "../session/attached.ts";
import type { Front } from "../session/front.ts";
import { insist } from "../session/insist.ts";
import type { Translator } from "../translate/translator.ts";
import { answerPermission } from "./permission.ts";
import { answerQuestions } from "./questions.ts";

export type Question = Extract<Ask, { kind: "question" }>;
export type Permission = Extract<Ask, { kind: "permission" }>;

/** The asks that a client is shown. The first answer wins, whoever gives it; an ask that is over is taken from the client. */
export class AskDesk {
  readonly #session: AttachedSession;
  readonly #front: Front;
  readonly #logger: Logger;
  readonly #open = new Map<string, AbortController>();
  /** The asks that were read and are not over, with the translator of a sub-agent's. */
  readonly #known = new Map<string, { ask: Ask; translator: Translator | undefined }>();
  readonly #over = new Set<string>();

  constructor(session: AttachedSession, front: Front, logger: Logger) {
    this.#session = session;
    this.#front = front;
    this.#logger = logger;
  }

  /** Shows the ask of an event, or takes one from the client that is over. */
  take(event: StreamEvent, translator?: Translator): void {
    this.note(event, translator);
    if (event.type === "permission.requested" || event.type === "question.requested") this.#show(event.data.ask);
    if (event.type !== "gap") return;
    this.showOpen().catch((error: unknown) => {
      this.#logger.warn({ err: error, session: event.session }, "the open asks could not be read");
    });
  }

  /** Shows the asks that were read while the client could be shown none. */
  showRead(): void {
    for (const id of this.#known.keys()) this.#show(id);
  }

  /** Shows the asks that are open now and were read: those that were not come with their events. */
  async showOpen(): Promise<void> {
    for (const { id, session } of await this.#session.handle.asks()) {
      // Asks of a later turn are shown when the turn that was stopped is over in the log, too.
      if (this.#session.isOver || this.#session.stoppedTurn !== undefined) return;
      if (session !== this.#session.id) await this.#session.children.meet(session);
      this.#show(id);
    }
  }

  /** Learns from an event which asks are open, and shows none. */
  note(event: StreamEvent, translator?: Translator): void {
    switch (event.type) {
      case "permission.requested":
        if (event.data.settledBy !== undefined) return;
        this.#read({ ...askOf(event), kind: "permission", request: event.data }, translator);
        return;
      case "question.requested":
        if (event.data.settledBy !== undefined) return;
        this.#read({ ...askOf(event), kind: "question", request: event.data }, translator);
        return;
      case "permission.resolved":
      case "question.resolved":
        this.#settled(event.data.ask);
        return;
      case "gap":
        this.learn(event.session, event.data.snapshot.asks, translator);
        return;
      default:
    }
  }

  /** Learns the open asks of a session as it is now: others of it are over. */
  learn(session: string, asks: readonly OpenAsk[], translator?: Translator): void {
    for (const { ask } of [...this.#known.values()])
      if (ask.session === session && !asks.some(({ id }) => id === ask.id)) this.#settled(ask.id);
    for (const ask of asks) this.#read({ ...ask, session }, translator);
  }

  /** Shows an ask that was read and is not over. Showing it again does nothing. */
  #show(id: string): void {
    const known = this.#known.get(id);
    if (!known || this.#open.has(id) || this.#isHidden(known.ask.session)) return;
    const stop = new AbortController();
    this.#open.set(id, stop);
    void this.#answer(known.ask, known.translator ?? this.#session.translator, stop.signal).finally(() => {
      if (this.#open.get(id) === stop) this.#open.delete(id);
    });
  }

  /** Whether the client is shown nothing of a session now. */
  #isHidden(session: string): boolean {
    const { id, isOver, stoppedTurn, children } = this.#session;
    if (isOver) return true;
    return session === id ? stoppedTurn !== undefined : children.hides(session);
  }

  /** Takes all asks from the client. One that stays open can be shown again. */
  dropAll(): void {
    for (const stop of this.#open.values()) stop.abort();
    this.#open.clear();
  }

  #read(ask: Ask, translator: Translator | undefined): void {
    if (!this.#over.has(ask.id)) this.#known.set(ask.id, { ask, translator });
  }

  #settled(id: string): void {
    this.#over.add(id);
    this.#known.delete(id);
    this.#open.get(id)?.abort();
    this.#open.delete(id);
  }

  async #answer(ask: Ask, translator: Translator, signal: AbortSignal): Promise<void> {
    try {
      const answer = await this.#ask(ask, translator, signal);
      if (signal.aborted) return;
      await insist(() => this.#session.handle.answer(ask.id, answer));
    } catch (error) {
      // Requests to a client that goes fail before its sessions are let go.
      await afterResponses();
      const { isOver, isLeft } = this.#session;
      // An ask that another client has answered, or that this one cannot be asked any more, is no failure.
      const isElsewhere = error instanceof ParleyApiError && [404, 409].includes(error.status);
      if (signal.aborted || isOver || isLeft || isElsewhere) return;
      this.#logger.warn({ err: error, ask: ask.id, session: ask.session }, "an ask could not be answered");
    }
  }

  /** The client's answer. A client that says that it cannot ask refuses: nobody else may be there to answer. */
  async #ask(ask: Ask, translator: Translator, signal: AbortSignal): Promise<AskAnswer> {
    const showing = { session: this.#session, front: this.#front, calls: translator.calls, signal };
    try {
      return ask.kind === "permission" ? await answerPermission(ask, showing) : await answerQuestions(ask, showing);
    } catch (error) {
      if (signal.aborted || !(error instanceof RequestError)) throw error;
      const feedback = `the client could not ask: ${error.message}`;
      return { outcome: ask.kind === "permission" ? "reject" : "rejected", feedback };
    }
  }
}

function askOf({ data, session, time, turn }: ParleyEvent & { data: { ask: string } }) {
  return { id: data.ask, session, time, ...(turn === undefined ? {} : { turn }) };
}
