import { RequestError } from "@agentclientprotocol/sdk/unstable";
import { type Ask, type AskAnswer, ParleyApiError } from "../../../client/index.ts";
import type { ParleyEvent } from "../../../core/events/event.ts";
import type { Logger } from "../../../core/logger.ts";
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
  readonly #over = new Set<string>();

  constructor(session: AttachedSession, front: Front, logger: Logger) {
    this.#session = session;
    this.#front = front;
    this.#logger = logger;
  }

  take(event: ParleyEvent, translator: Translator): void {
    switch (event.type) {
      case "permission.requested":
        if (event.data.settledBy !== undefined) return;
        this.open({ ...askOf(event), kind: "permission", request: event.data }, translator);
        return;
      case "question.requested":
        if (event.data.settledBy !== undefined) return;
        this.open({ ...askOf(event), kind: "question", request: event.data }, translator);
        return;
      case "permission.resolved":
      case "question.resolved":
        this.#settled(event.data.ask);
        return;
      default:
    }
  }

  /** Shows an ask to the client. Showing it again does nothing. */
  open(ask: Ask, translator: Translator = this.#session.translator): void {
    if (this.#open.has(ask.id) || this.#over.has(ask.id)) return;
    const stop = new AbortController();
    this.#open.set(ask.id, stop);
    void this.#answer(ask, translator, stop.signal).finally(() => {
      if (this.#open.get(ask.id) === stop) this.#open.delete(ask.id);
    });
  }

  /** Takes all asks from the client. One that stays open can be shown again. */
  dropAll(): void {
    for (const stop of this.#open.values()) stop.abort();
    this.#open.clear();
  }

  #settled(id: string): void {
    this.#over.add(id);
    this.#open.get(id)?.abort();
    this.#open.delete(id);
  }

  async #answer(ask: Ask, translator: Translator, signal: AbortSignal): Promise<void> {
    try {
      const answer = await this.#ask(ask, translator, signal);
      if (signal.aborted) return;
      await insist(() => this.#session.handle.answer(ask.id, answer));
    } catch (error) {
      // An ask that another client has answered, or that nobody can be asked any more, is no failure.
      if (signal.aborted || (error instanceof ParleyApiError && [404, 409].includes(error.status))) return;
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
