import type { GapEvent, StreamEvent } from "../../../client/index.ts";
import type { EventOf } from "../../../core/events/event.ts";
import type { Item } from "../../../core/events/items.ts";
import { present } from "../../../core/json/fields.ts";
import { type CallPlace, Calls } from "./calls.ts";
import { messageBlocks, textBlock } from "./message-content.ts";
import { Texts } from "./texts.ts";
import type { Summary, Update } from "./updates.ts";

const LEVELS = { info: "info", warn: "warning", error: "error" } as const;

/** Types that no update tells: asks are requests, an error is told with its turn's end, and the protocol has no word for the rest. */
type LeftOut =
  | "session.started"
  | "session.ended"
  | "session.limits"
  | "history.cut"
  | "step.ended"
  | "permission.requested"
  | "permission.resolved"
  | "question.requested"
  | "question.resolved"
  | "error"
  | "agent.unparsed";

/** Notes by which an agent tells how a compaction ended, where it was not completed. */
const COMPACTION_ENDS: ReadonlyMap<string | undefined, "failed" | "cancelled"> = new Map([
  ["compaction_failed", "failed"],
  ["compaction_stopped", "cancelled"],
]);

/** A text as a notice: its first line is the title. */
function noticeOf(level: (typeof LEVELS)[keyof typeof LEVELS], text: string): Update {
  const [title = "", ...rest] = text.trim().split("\n");
  const description = rest.join("\n").trim();
  return { type: "notice", level, title, ...(description === "" ? {} : { description }) };
}

/** A note of the session. The words of an agent that spoke while no turn ran are a message, which every client can show. */
function noteOf({ id, data: { text, code, call } }: EventOf<"session.note">): Update[] {
  if (text === "" || call !== undefined) return [];
  if (code === "outside_turn") return [{ type: "text", role: "agent", message: id, content: [textBlock(text)] }];
  return [noticeOf("info", text)];
}

/** Makes updates of one session's events. It has no I/O: the same events give the same updates. */
export class Translator {
  readonly #directory: string;
  readonly #texts = new Texts();
  readonly calls: Calls;
  #turn: { id: string; prompt?: string; isCompaction: boolean } | undefined;
  #compaction: string | undefined;
  #summarySteps = new Set<number>();
  #cost = 0;

  constructor(place: CallPlace, cost = 0) {
    this.#directory = place.directory;
    this.#cost = cost;
    this.calls = new Calls(place);
  }

  take(event: StreamEvent): Update[] {
    switch (event.type) {
      case "session.updated":
        return this.#facts(event);
      case "turn.started":
        return this.#begin(event);
      case "turn.status":
        return this.#status(event);
      case "turn.ended":
        return this.#end(event);
      case "gap":
        return this.#skip(event);
      case "prompt.queued":
        return [{ type: "waits", prompt: event.data.prompt.id, position: event.data.position }];
      case "prompt.withdrawn":
        return [
          {
            type: "end",
            end: { prompt: event.data.prompt, reason: event.data.reason === "deleted" ? "deleted" : "withdrawn" },
          },
        ];
      case "step.started":
        if (!event.data.summary) return [];
        this.#summarySteps.add(event.data.step);
        return this.#compact(event.turn ?? "", event.seq);
      case "item.started":
        return this.#itemStarted(event.data.item, event.turn);
      case "item.updated":
        return this.calls.updated(event.data);
      case "item.delta":
        return event.data.kind === "tool_result"
          ? this.calls.grew(event.data, event.time)
          : this.#texts.grew(event.data);
      case "item.completed":
        return this.#itemCompleted(event.data.item);
      case "plan.updated":
        return [{ type: "plan", entries: event.data.entries }];
      case "usage.updated":
        return this.#usage(event.data.context, this.#cost + (event.data.cost ?? 0), event.data.cost !== undefined);
      case "session.note":
        return noteOf(event);
      default:
        event.type satisfies LeftOut;
        return [];
    }
  }

  /** As `take`, of a past, which is collapsed: a text has its place there from its beginning on, though its words are kept with its end. */
  past(event: StreamEvent): Update[] {
    const updates = this.take(event);
    return event.type === "item.started" ? [...updates, ...this.#texts.placeOf(event.data.item)] : updates;
  }

  #facts({ data, time }: EventOf<"session.updated">): Update[] {
    const { title, model, mode, options, offers, agent } = data;
    const chosen = [model, mode, options, offers, agent].some((value) => value !== undefined);
    return [
      ...(title === undefined ? [] : [{ type: "info" as const, title, updated: time }]),
      ...(chosen ? [{ type: "choice" as const }] : []),
    ];
  }

  #begin({ turn = "", seq, data }: EventOf<"turn.started">): Update[] {
    const isCompaction = data.prompt?.task?.type === "compact";
    const prompt = data.prompt?.id;
    this.#turn = { id: turn, isCompaction, ...present({ prompt }) };
    return [{ type: "turn", turn, ...present({ prompt }) }, ...(isCompaction ? this.#compact(turn, seq) : [])];
  }

  /** A turn may have several: each is named after the event that began it, so that a replay names it the same. */
  #compact(turn: string, seq: number): Update[] {
    if (this.#compaction !== undefined) return [];
    const id = `${turn}:${seq}`;
    this.#compaction = id;
    return [{ type: "compaction", id, status: "in_progress" }];
  }

  #compacted(status: "completed" | "failed" | "cancelled", error?: string): Update[] {
    const id = this.#compaction;
    this.#compaction = undefined;
    return id === undefined ? [] : [{ type: "compaction", id, status, ...present({ error }) }];
  }

  #status({ turn = "", seq, data }: EventOf<"turn.status">): Update[] {
    const over = data.status === "running" && !this.#turn?.isCompaction ? this.#compacted("completed") : [];
    const begun = data.status === "compacting" ? this.#compact(turn, seq) : [];
    return [...over, ...begun, { type: "status", status: data }];
  }

  #end({ turn = "", time, data }: EventOf<"turn.ended">): Update[] {
    this.#cost += data.usage?.cost ?? 0;
    return this.#ended(turn, time, data);
  }

  /** The end of a turn that was stopped and has no event of it yet. */
  stop(turn: string, time: number): Update[] {
    return this.#ended(turn, time, { reason: "cancelled" });
  }

  /** The end of a turn that nobody can tell of any more. */
  interrupt(turn: string, time: number): Update[] {
    return this.#ended(turn, time, { reason: "interrupted" });
  }

  #ended(turn: string, time: number, { reason, usage, error }: EventOf<"turn.ended">["data"]): Update[] {
    const prompt = this.#turn?.prompt;
    const failed = reason === "error" || reason === "interrupted";
    const said = [
      ...this.#compacted(failed ? "failed" : reason === "cancelled" ? "cancelled" : "completed", error?.message),
      ...this.#usage(usage?.context, this.#cost, usage?.cost !== undefined),
      // The end of a call may be among events that are no longer kept.
      ...this.calls.fail(),
    ];
    this.#clear();
    return [
      ...said,
      { type: "info", updated: time },
      { type: "end", end: { turn, reason, ...present({ prompt, usage, error }) } },
    ];
  }

  /** Events are no longer kept. What was open stays so while its turn does. */
  #skip({ data: { snapshot } }: GapEvent): Update[] {
    const { turn, usage } = snapshot;
    this.#cost = usage.cost ?? 0;
    if (this.#turn && this.#turn.id === turn?.id) return [];
    const said = [...this.#compacted("failed"), ...this.calls.fail()];
    this.#clear();
    if (turn) this.#turn = { id: turn.id, isCompaction: false, ...present({ prompt: turn.prompt }) };
    return said;
  }

  #clear(): void {
    this.#turn = undefined;
    this.#summarySteps.clear();
    this.#texts.clear();
    this.calls.clear();
  }

  #usage(context: { used: number; size?: number | undefined } | undefined, cost: number, isPriced: boolean): Update[] {
    if (!context) return [];
    const shown = isPriced || this.#cost > 0 ? cost : undefined;
    return [{ type: "usage", used: context.used, ...present({ size: context.size, cost: shown }) }];
  }

  #itemStarted(item: Item, turn: string | undefined): Update[] {
    if (item.kind === "tool_call") return this.calls.began(item);
    if (item.kind === "tool_result") this.calls.resultBegan(item);
    else this.#texts.began(item, this.#summaryOf(item, turn));
    return [];
  }

  #summaryOf({ step }: Item, id: string | undefined): Summary | undefined {
    if (id === undefined || step === undefined || !this.#summarySteps.has(step)) return undefined;
    return { id: this.#compaction ?? id, isAsked: this.#turn?.isCompaction ?? false };
  }

  #itemCompleted(item: Item): Update[] {
    switch (item.kind) {
      case "tool_call":
        return this.calls.completed(item);
      case "tool_result":
        this.calls.resultCompleted(item);
        return [];
      case "status": {
        const end = COMPACTION_ENDS.get(item.code);
        const ended = end ? this.#compacted(end, end === "failed" ? item.text : undefined) : [];
        return [...ended, noticeOf(LEVELS[item.level], item.text)];
      }
      case "message": {
        if (item.role !== "user") return this.#texts.completed(item);
        const content = messageBlocks(this.#directory, item);
        return content.length === 0 ? [] : [{ type: "text", role: "user", message: item.id, content }];
      }
      case "reasoning":
        return this.#texts.completed(item);
    }
  }
}
