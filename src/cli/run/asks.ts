import { type AskAnswer, ParleyApiError, type ParleyEvent } from "../../client/index.ts";
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

const ELSEWHERE = "it was answered elsewhere, or is no longer asked";

/** Answers what is asked, one thing after the other. */
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
      const off = new AbortController();
      this.#open.set(event.data.ask, off);
      this.#last = this.#last.then(() => this.#handle(event, off.signal));
    } else if (event.type === "permission.resolved" || event.type === "question.resolved") {
      this.#open.get(event.data.ask)?.abort();
      this.#open.delete(event.data.ask);
    }
  }

  /** Nobody is asked any more. Resolves when the terminal is free. */
  close(): Promise<void> {
    for (const off of this.#open.values()) off.abort();
    this.#open.clear();
    return this.#last;
  }

  async #handle(event: Requested, signal: AbortSignal): Promise<void> {
    const { mode, view, paint, waits } = this.#options;
    // A rule, or an earlier always, answers an ask in the moment it is made: the log has it, but nobody is asked.
    if (signal.aborted || !(await waits(event.data.ask).catch(() => true)) || signal.aborted) return;
    const kind = event.type === "permission.requested" ? "permission" : "question";
    const offers = event.type === "permission.requested" ? event.data.options.map((option) => option.kind) : undefined;
    const auto = autoAnswer(kind, mode, offers);
    if (auto) {
      view.progress(paint("yellow", `? ${kind}: ${safeLine(subject(event))}: ${auto.note}`));
      return this.#send(event.data.ask, auto.answer);
    }
    view.asking();
    const answer = await this.#dialog(event, signal);
    const note = answer ? "" : signal.aborted ? ELSEWHERE : "rejected: the input has ended";
    if (note) view.progress(paint("yellow", `  ${note}`));
    view.answered();
    if (answer) return this.#send(event.data.ask, answer);
    if (signal.aborted) return;
    await this.#send(event.data.ask, kind === "permission" ? "reject" : "rejected");
  }

  #dialog(event: Requested, signal: AbortSignal): Promise<AskAnswer | undefined> {
    const { person, paint } = this.#options;
    return event.type === "permission.requested"
      ? askPermission(event.data, person, paint, signal)
      : askQuestions(event.data, person, paint, signal);
  }

  async #send(ask: string, answer: AskAnswer): Promise<void> {
    const { view, paint, answer: send } = this.#options;
    try {
      await send(ask, answer);
    } catch (error) {
      const late = error instanceof ParleyApiError && ["already_answered", "ask_not_found"].includes(error.code);
      if (!late) view.progress(paint("red", `the answer could not be given: ${safeLine(String(error))}`));
    }
  }
}
