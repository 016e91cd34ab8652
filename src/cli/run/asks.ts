import { setTimeout as delay } from "node:timers/promises";
import { type AskAnswer, ParleyApiError, type ParleyEvent } from "../../client/index.ts";
import { messageOf } from "../../core/errors.ts";
import { safeLine } from "../output/safe-text.ts";
import type { Paint } from "../output/terminal.ts";
import { askPermission, askQuestions } from "./ask-dialog.ts";
import { type AskMode, autoAnswer } from "./ask-policy.ts";
import type { Person } from "./lines.ts";
import type { View } from "./view.ts";

export interface AsksOptions {
  mode: AskMode;
  person: Person;
  view: View;
  paint: Paint;
  answer(ask: string, answer: AskAnswer): Promise<unknown>;
  /** Whether it still waits for an answer. */
  waits(ask: string): Promise<boolean>;
}

type Requested = Extract<ParleyEvent, { type: "permission.requested" | "question.requested" }>;

function subject(event: Requested): string {
  if (event.type === "permission.requested") return `${event.data.action} ${event.data.patterns.join(" ")}`;
  return event.data.questions.map(({ question }) => question).join(" ");
}

interface Refusal {
  reason: string;
  /** Whether it may pass by itself. */
  passes: boolean;
}

const AGAIN_MS = 1_000;
const REASON_SHOWN = 500;

const ELSEWHERE = "it was answered elsewhere, or is no longer asked";

/** Answers asks, one after the other. */
export class Asks {
  readonly #options: AsksOptions;
  readonly #open = new Map<string, AbortController>();
  #last: Promise<void> = Promise.resolve();

  constructor(options: AsksOptions) {
    this.#options = options;
  }

  /** Hears of asks, and of answers that others gave first. */
  take(event: ParleyEvent): void {
    if (event.type === "permission.requested" || event.type === "question.requested") {
      if (event.data.settledBy !== undefined) return;
      const off = new AbortController();
      this.#open.set(event.data.ask, off);
      this.#last = this.#last.then(() => this.#handle(event, off.signal));
    } else if (event.type === "permission.resolved" || event.type === "question.resolved") {
      this.#open.get(event.data.ask)?.abort();
      this.#open.delete(event.data.ask);
    }
  }

  /** Ends all open dialogs. Resolves when the terminal is free. */
  close(): Promise<void> {
    for (const off of this.#open.values()) off.abort();
    this.#open.clear();
    return this.#last;
  }

  async #handle(event: Requested, signal: AbortSignal): Promise<void> {
    const { mode, view, paint, waits } = this.#options;
    // Somebody else may have answered while another dialog was open.
    if (signal.aborted || !(await waits(event.data.ask).catch(() => true)) || signal.aborted) return;
    const kind = event.type === "permission.requested" ? "permission" : "question";
    const offers = event.type === "permission.requested" ? event.data.options.map((option) => option.kind) : undefined;
    const auto = autoAnswer(kind, mode, offers);
    if (auto) {
      view.progress(paint("yellow", `? ${kind}: ${safeLine(subject(event))}: ${auto.note}`));
      return this.#insist(event.data.ask, auto.answer, signal);
    }
    for (;;) {
      view.asking();
      const answer = await this.#dialog(event, signal);
      const note = answer ? "" : signal.aborted ? ELSEWHERE : "rejected: the input has ended";
      if (note) view.progress(paint("yellow", `  ${note}`));
      view.answered();
      if (signal.aborted) return;
      if (!answer) return this.#insist(event.data.ask, kind === "permission" ? "reject" : "rejected", signal);
      const refusal = await this.#send(event.data.ask, answer);
      if (!refusal || signal.aborted) return;
      this.#tell(refusal);
    }
  }

  #dialog(event: Requested, signal: AbortSignal): Promise<AskAnswer | undefined> {
    const { person, paint } = this.#options;
    return event.type === "permission.requested"
      ? askPermission(event.data, person, paint, signal)
      : askQuestions(event.data, person, paint, signal);
  }

  /** Sends an answer that nobody could give a second time, again and again while the server has trouble of its own. */
  async #insist(ask: string, answer: AskAnswer, signal: AbortSignal): Promise<void> {
    for (let told = false; !signal.aborted; told = true) {
      const refusal = await this.#send(ask, answer);
      if (!refusal) return;
      if (!told) this.#tell(refusal);
      if (!refusal.passes) return;
      await delay(AGAIN_MS, undefined, { signal }).catch(() => {});
    }
  }

  #tell({ reason }: Refusal): void {
    const { view, paint } = this.#options;
    view.progress(paint("red", `the answer could not be given: ${safeLine(reason, REASON_SHOWN)}`));
  }

  /** Why the answer was not taken; undefined when it was, or when none is needed any more. */
  async #send(ask: string, answer: AskAnswer): Promise<Refusal | undefined> {
    try {
      await this.#options.answer(ask, answer);
      return undefined;
    } catch (error) {
      if (!(error instanceof ParleyApiError)) return { reason: messageOf(error), passes: true };
      if (["already_answered", "ask_not_found"].includes(error.code)) return undefined;
      return { reason: error.detail || error.message, passes: error.status >= 500 };
    }
  }
}
