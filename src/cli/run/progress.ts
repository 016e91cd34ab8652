import type { StreamEvent } from "../../client/index.ts";
import { countLines } from "../../core/diff/file-totals.ts";
import type { Item } from "../../core/events/items.ts";
import type { FileChange } from "../../core/events/values.ts";
import { safeLine } from "../output/safe-text.ts";
import type { Paint } from "../output/terminal.ts";

type ToolCall = Extract<Item, { kind: "tool_call" }>;

function subject({ title, input }: Pick<ToolCall, "title" | "input">): string {
  if (title) return title;
  return input === undefined ? "" : JSON.stringify(input);
}

/** Makes the lines on stderr about the agent's work. The reply itself is not among them. */
export class Progress {
  readonly #paint: Paint;
  readonly #calls = new Map<string, ToolCall>();
  readonly #told = new Set<string>();
  readonly #changed = new Map<string, string>();

  constructor(paint: Paint) {
    this.#paint = paint;
  }

  /** The lines that an event is worth; most are worth none. */
  take(event: StreamEvent): string[] {
    switch (event.type) {
      case "item.started":
        return event.data.item.kind === "tool_call" ? this.#seen(event.data.item) : [];
      case "item.updated": {
        const call = this.#calls.get(event.data.item);
        if (!call) return [];
        const { item: _, ...changes } = event.data;
        return this.#seen({ ...call, ...changes });
      }
      case "item.completed":
        return this.#completed(event.data.item);
      case "turn.status":
        if (event.data.status === "retrying") {
          const { attempt, message } = event.data;
          return [this.#paint("yellow", safeLine(`~ trying again (attempt ${attempt}): ${message}`))];
        }
        return event.data.status === "compacting" ? [this.#paint("dim", "~ making room in the context")] : [];
      case "session.note":
        return [this.#paint("dim", safeLine(`· ${event.data.text}`))];
      case "session.updated":
        return event.data.resume === "lost"
          ? [this.#paint("yellow", "~ the agent does not know this session any more: it begins anew")]
          : [];
      case "plan.updated": {
        const { entries } = event.data;
        const done = entries.filter(({ status }) => status === "completed").length;
        const now = entries.find(({ status }) => status === "in_progress")?.text ?? "";
        return [this.#paint("dim", safeLine(`· plan ${done}/${entries.length} ${now}`))];
      }
      case "agent.unparsed":
        return [this.#paint("dim", safeLine(`· ${event.data.count} unreadable from the agent: ${event.data.reason}`))];
      default:
        event.type satisfies
          | `session.${"started" | "ended" | "limits"}`
          | `prompt.${"queued" | "withdrawn"}`
          | `turn.${"started" | "ended"}`
          | `step.${"started" | "ended"}`
          | `${"permission" | "question"}.${"requested" | "resolved"}`
          | ("history.cut" | "item.delta" | "usage.updated" | "error" | "gap");
        return [];
    }
  }

  /** A call is told once, as soon as it is known what it is about: before anybody is asked whether it may run. */
  #seen(call: ToolCall): string[] {
    const told = this.#told.has(call.id) || (call.status !== "running" && subject(call) === "");
    this.#calls.set(call.id, call);
    if (told) return [];
    this.#told.add(call.id);
    return [this.#line("cyan", "→", call)];
  }

  #completed(item: Item): string[] {
    if (item.kind === "status") {
      const colour = item.level === "info" ? "dim" : item.level === "warn" ? "yellow" : "red";
      return [this.#paint(colour, safeLine(`· ${item.text}`, item.level === "info" ? undefined : 600))];
    }
    if (item.kind === "tool_result" && item.files?.length) this.#changed.set(item.call, this.#countsOf(item.files));
    if (item.kind !== "tool_call") return [];
    const changed = this.#changed.get(item.call) ?? "";
    this.#changed.delete(item.call);
    this.#calls.delete(item.id);
    this.#told.delete(item.id);
    if (item.background) return [this.#line("dim", "…", item, "goes on in the background")];
    if (item.status === "completed") return [`${this.#line("green", "✓", item)}${changed}`];
    return [this.#line("red", "✗", item, item.error?.message ?? item.status)];
  }

  /** The lines that a call added to files and deleted from them; its result, which comes first, has them. */
  #countsOf(files: readonly FileChange[]): string {
    const counts = files.map(countLines);
    const sum = (of: "additions" | "deletions"): number => counts.reduce((total, count) => total + count[of], 0);
    return ` ${this.#paint("green", `+${sum("additions")}`)} ${this.#paint("red", `-${sum("deletions")}`)}`;
  }

  #line(colour: "cyan" | "green" | "red" | "dim", sign: string, call: ToolCall, why = ""): string {
    const what = safeLine(`${call.name} ${subject(call)}`);
    return `${this.#paint(colour, sign)} ${what}${why ? `: ${safeLine(why)}` : ""}`;
  }
}
