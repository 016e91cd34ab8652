import { setTimeout as delay } from "node:timers/promises";
import { type AskAnswer, type EventOf, ParleyApiError, type ParleyEvent } from "../../client/index.ts";
import { messageOf } from "../../core/errors.ts";
import { safeLine } from "../output/safe-text.ts";
import type { Paint } from "../output/terminal.ts";
import { askPermission, askQuestions, type PermissionRequest, type QuestionRequest } from "./ask-dialog.ts";
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
  /** Asks that this person does not answer are left to other clients instead of being rejected. */
  leave?: boolean;
}

/** An ask as the person is shown it. */
export type Asked = { kind: "permission"; request: PermissionRequest } | { kind: "question"; request: QuestionRequest };

function subject({ kind, request }: Asked): string {
  if (kind === "permission") return `${request.action} ${request.command ?? request.patterns.join(" ")}`;
  return request.questions.map(({ question }) => question).join(" ");
}

/** The command that answers an ask from another terminal. */
function howToAnswer({ kind, request }: Asked): string {
  return `parley answer ${request.ask}${kind === "permission" ? " allow|always|deny" : ""}`;
}

type Resolution = Pick<EventOf<"permission.resolved" | "question.resolved">["data"], "outcome" | "by">;

interface Refusal {
  reason: string;
  /** Whether it may pass by itself. */
  passes: boolean;
}

const AGAIN_MS = 1_000;
const REASON_SHOWN = 500;

/** Says which answer was first. */
export function elsewhere({ outcome, by }: Resolution): string {
  return outcome === "cancelled" ? "it is no longer asked" : `answered elsewhere: ${outcome}, by ${safeLine(by)}`;
}

/** The answer that was first, in the refusal of a later one. */
export function resolutionIn({ code, problem }: ParleyApiError): Resolution | undefined {
  return code === "already_answered" && problem.resolution ? (problem.resolution as Resolution) : undefined;
}

/** Answers asks, one after the other. */
export class Asks {
  readonly #options: AsksOptions;
  readonly #open = new Map<string, AbortController>();
  #last: Promise<void> = Promise.resolve();
  /** Whether a permission was rejected because there is no terminal to ask at. */
  refusedUnasked = false;

  constructor(options: AsksOptions) {
    this.#options = options;
  }

  /** Hears of asks, and of answers that others gave first. */
  take(event: ParleyEvent): void {
    if (event.type === "permission.requested") this.put({ kind: "permission", request: event.data });
    else if (event.type === "question.requested") this.put({ kind: "question", request: event.data });
    else if (event.type === "permission.resolved" || event.type === "question.resolved") {
      this.#open.get(event.data.ask)?.abort(elsewhere(event.data));
      this.#open.delete(event.data.ask);
    }
  }

  /** Puts an ask after those that are open. A repeat changes nothing, and an ask that a rule answers is put before nobody. */
  put(asked: Asked): void {
    const { ask, settledBy } = asked.request;
    if (this.#open.has(ask) || settledBy !== undefined) return;
    const off = new AbortController();
    this.#open.set(ask, off);
    this.#last = this.#last.then(() => this.#handle(asked, off.signal));
  }

  /** Ends all open dialogs. Resolves when the terminal is free. */
  close(): Promise<void> {
    for (const off of this.#open.values()) off.abort("it is no longer asked here");
    this.#open.clear();
    return this.#last;
  }

  async #handle(asked: Asked, signal: AbortSignal): Promise<void> {
    const { mode, view, paint, waits, leave } = this.#options;
    const { kind, request } = asked;
    const { ask } = request;
    // Somebody else may have answered while another dialog was open.
    if (signal.aborted || !(await waits(ask).catch(() => true)) || signal.aborted) return;
    const line = (note: string): void =>
      view.progress(paint("yellow", `? ${kind}: ${safeLine(subject(asked))}: ${note}`));
    if (leave && mode === "none") return line(`it waits: ${howToAnswer(asked)}`);
    const auto = autoAnswer(kind, mode, kind === "permission" ? request.options.map((option) => option.kind) : []);
    if (auto) {
      line(auto.note);
      const taken = await this.#insist(ask, auto.answer, signal);
      if (taken && kind === "permission" && mode === "none") this.refusedUnasked = true;
      return;
    }
    for (;;) {
      view.asking();
      const answer = await this.#dialog(asked, signal);
      const unanswered = leave ? `left to others: ${howToAnswer(asked)}` : "rejected: the input has ended";
      const note = answer ? "" : signal.aborted ? String(signal.reason) : unanswered;
      if (note) view.progress(paint("yellow", `  ${note}`));
      view.answered();
      if (signal.aborted || (!answer && leave)) return;
      if (!answer) {
        await this.#insist(ask, kind === "permission" ? "reject" : "rejected", signal);
        return;
      }
      const said = await this.#send(ask, answer);
      if (typeof said === "string" || signal.aborted) return;
      this.#tell(said);
    }
  }

  #dialog({ kind, request }: Asked, signal: AbortSignal): Promise<AskAnswer | undefined> {
    const { person, paint } = this.#options;
    return kind === "permission"
      ? askPermission(request, person, paint, signal)
      : askQuestions(request, person, paint, signal);
  }

  /**
   * Sends an answer that nobody could give a second time, again and again while the server has trouble of its own.
   * Resolves with whether no other answer was first.
   */
  async #insist(ask: string, answer: AskAnswer, signal: AbortSignal): Promise<boolean> {
    for (let told = false; !signal.aborted; told = true) {
      const said = await this.#send(ask, answer);
      if (typeof said === "string") return said === "taken";
      if (!told) this.#tell(said);
      if (!said.passes) return false;
      await delay(AGAIN_MS, undefined, { signal }).catch(() => {});
    }
    return false;
  }

  #tell({ reason }: Refusal): void {
    const { view, paint } = this.#options;
    view.progress(paint("red", `the answer could not be given: ${safeLine(reason, REASON_SHOWN)}`));
  }

  /** `late`: no answer is needed any more. */
  async #send(ask: string, answer: AskAnswer): Promise<Refusal | "taken" | "late"> {
    try {
      await this.#options.answer(ask, answer);
      return "taken";
    } catch (error) {
      if (!(error instanceof ParleyApiError)) return { reason: messageOf(error), passes: true };
      const won = resolutionIn(error);
      if (won) this.#options.view.progress(this.#options.paint("yellow", `  ${elsewhere(won)}`));
      if (["already_answered", "ask_not_found"].includes(error.code)) return "late";
      return { reason: error.detail || error.message, passes: error.status >= 500 };
    }
  }
}
