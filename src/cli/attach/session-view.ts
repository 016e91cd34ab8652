import type { StreamEvent } from "../../client/index.ts";
import { endLine, modelIn } from "../output/end-line.ts";
import { safeLines } from "../output/safe-text.ts";
import type { Paint } from "../output/terminal.ts";
import { Progress } from "../run/progress.ts";
import { ReplyText } from "../run/reply-text.ts";
import type { View } from "../run/view.ts";

const PROMPT_SHOWN = 1_000;
const ERROR_SHOWN = 2_000;

/** Shows all turns of a session: the prompts of any client, the work of the agent and its replies. */
export class SessionView {
  readonly #view: View;
  readonly #paint: Paint;
  readonly #progress: Progress;
  readonly #reply = new ReplyText();
  readonly #agent: string;
  #model: string | undefined;

  constructor(view: View, paint: Paint, { agent, model }: { agent: string; model?: string | undefined }) {
    this.#view = view;
    this.#paint = paint;
    this.#progress = new Progress(paint);
    this.#agent = agent;
    this.#model = model;
  }

  take(event: StreamEvent): void {
    for (const line of [...this.#prompt(event), ...this.#progress.take(event)]) this.#view.progress(line);
    this.#view.reply(this.#reply.take(event));
    this.#model = modelIn(event) ?? this.#model;
    if (event.type === "turn.ended") this.#end(event);
    else if (event.type !== "gap" && event.turn !== undefined) this.#view.busy("working");
  }

  #prompt(event: StreamEvent): string[] {
    if (event.type === "gap") return [this.#paint("dim", `· earlier events are no longer kept`)];
    if (event.type === "prompt.queued") return [this.#paint("dim", "· a prompt waits: the session is busy")];
    if (event.type !== "item.completed") return [];
    const { item } = event.data;
    if (item.kind !== "message" || item.role !== "user") return [];
    return [this.#paint("bold", `> ${safeLines(item.text ?? "", PROMPT_SHOWN)}`)];
  }

  #end({ session, data: { reason, usage, error } }: Extract<StreamEvent, { type: "turn.ended" }>): void {
    this.#view.rest();
    if (reason !== "end_turn") {
      const why = error ? `${reason}: ${safeLines(error.message, ERROR_SHOWN)}` : reason;
      this.#view.progress(this.#paint(reason === "cancelled" ? "yellow" : "red", `the turn ended: ${why}`));
    }
    const line = endLine({ agent: this.#agent, model: this.#model, session, usage });
    this.#view.progress(this.#paint("dim", `· ${line}`));
  }
}
