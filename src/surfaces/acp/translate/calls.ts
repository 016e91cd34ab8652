import type { EventOf } from "../../../core/events/event.ts";
import type { ToolCallItem, ToolResultItem } from "../../../core/events/items.ts";
import type { FileChange } from "../../../core/events/values.ts";
import { type Fields, fieldsIn, listIn, present } from "../../../core/json/fields.ts";
import { resultContent } from "./call-content.ts";
import { isDue, shownTail } from "./live-output.ts";
import { locationsOf } from "./locations.ts";
import { toolKind } from "./tool-kind.ts";
import type { Call, CallContent, CallMeta, CallStatus, Update } from "./updates.ts";

/** A call of the turn, with what was told of it. */
interface OpenCall {
  id: string;
  name: string;
  title?: string;
  status: CallStatus;
  input?: unknown;
  metadata: Fields;
  child?: string;
  background?: boolean;
  files: readonly FileChange[];
  content: CallContent[];
  output: string;
  rawOutput?: unknown;
  told: Call | undefined;
  toldAt: number;
  toldLength: number;
}

const STATUS: Readonly<Record<string, CallStatus>> = {
  pending: "pending",
  running: "in_progress",
  completed: "completed",
  failed: "failed",
  interrupted: "failed",
  retracted: "failed",
};

/** The place of calls: their session's directory, and for a sub-agent's calls the sub-agent. */
export interface CallPlace {
  directory: string;
  meta?: Pick<CallMeta, "session" | "parentCall">;
}

/** The calls of a session: each state that events tell, as what is new of it. */
export class Calls {
  readonly #place: CallPlace;
  readonly #open = new Map<string, OpenCall>();
  /** Ids of the calls' items by the agent's own ids of the calls, the newest one. */
  readonly #items = new Map<string, string>();
  readonly #results = new Map<string, string>();

  constructor(place: CallPlace) {
    this.#place = place;
  }

  /** The id under which clients know a call. */
  idOf(call: string): string | undefined {
    return this.#items.get(call);
  }

  /** The call as it is, by its item's id. */
  shown(id: string): Call | undefined {
    const open = this.#open.get(id);
    return open && this.#shape(open);
  }

  began(item: ToolCallItem): Update[] {
    const open: OpenCall = {
      id: item.id,
      name: item.name,
      status: STATUS[item.status] ?? "pending",
      metadata: item.metadata ?? {},
      files: [],
      content: [],
      output: "",
      told: undefined,
      toldAt: 0,
      toldLength: 0,
      ...present({ title: item.title, input: item.input, child: item.child }),
    };
    this.#open.set(item.id, open);
    this.#items.set(item.call, item.id);
    return this.#tell(open);
  }

  resultBegan({ id, call }: ToolResultItem): void {
    const item = this.#items.get(call);
    if (item !== undefined) this.#results.set(id, item);
  }

  updated({ item, status, name, title, input, metadata, child }: EventOf<"item.updated">["data"]): Update[] {
    const open = this.#open.get(item);
    if (!open) return [];
    Object.assign(open, present({ name, title, input, metadata, child }));
    if (status) open.status = STATUS[status] ?? open.status;
    return this.#tell(open);
  }

  /** More output of a call that runs. It is told from time to time, because each telling holds all of it. */
  grew({ item, delta, replace }: EventOf<"item.delta">["data"], time: number): Update[] {
    const open = this.#open.get(this.#results.get(item) ?? "");
    return open ? this.#output(open, replace ?? open.output + (delta ?? ""), time) : [];
  }

  /** Words of the sub-agent that a call started: they are the call's output until it has its own. */
  said(id: string, text: string, time: number): Update[] {
    const open = this.#open.get(id);
    return open ? this.#output(open, open.output + text, time) : [];
  }

  resultCompleted(item: ToolResultItem): void {
    const open = this.#open.get(this.#items.get(item.call) ?? "");
    if (!open) return;
    open.files = item.files ?? [];
    open.output = item.text ?? "";
    open.content = resultContent(this.#place.directory, item);
    open.rawOutput = present({ output: item.text || undefined });
  }

  completed(item: ToolCallItem): Update[] {
    const open = this.#open.get(item.id);
    if (!open) return [];
    const { name, title, input, metadata, child, background, error } = item;
    Object.assign(open, present({ name, title, input, metadata, child, background }));
    open.status = STATUS[item.status] ?? "completed";
    open.rawOutput = rawOutputOf(open.rawOutput, metadata, error?.message);
    if (error && !isShown(error.message, open)) open.content = [...open.content, { type: "text", text: error.message }];
    return this.#tell(open);
  }

  /** Has each call be told as a whole with its next news. */
  untell(): void {
    for (const open of this.#open.values()) open.told = undefined;
  }

  /** Ends the calls that are open, although no event tells how they ended. */
  fail(): Update[] {
    const open = [...this.#open.values()].filter(({ status }) => status === "pending" || status === "in_progress");
    return open.flatMap((call) => {
      call.status = "failed";
      return this.#tell(call);
    });
  }

  /** Forgets the calls of a turn that is over. */
  clear(): void {
    this.#open.clear();
    this.#results.clear();
  }

  #output(open: OpenCall, output: string, time: number): Update[] {
    open.output = output;
    if (!isDue({ length: output.length, told: open.toldLength, ms: time - open.toldAt })) return [];
    open.toldAt = time;
    open.toldLength = output.length;
    open.content = [{ type: "text", text: shownTail(output) }];
    return this.#tell(open);
  }

  #shape(open: OpenCall): Call {
    const { name, title, status, input, content, child, background } = open;
    const meta = { ...this.#place.meta, ...present({ child, background }) };
    return {
      title: title || name,
      name,
      kind: toolKind(name, open.metadata),
      status,
      content,
      locations: locationsOf(this.#place.directory, input, open.files, listIn(open.metadata, "locations")),
      ...present({ rawInput: input, rawOutput: open.rawOutput }),
      ...(Object.keys(meta).length === 0 ? {} : { meta }),
    };
  }

  #tell(open: OpenCall): Update[] {
    const call = this.#shape(open);
    const before = open.told;
    open.told = call;
    if (!before) return [{ type: "call", id: open.id, created: true, news: call, call }];
    const news = Object.fromEntries(
      Object.entries(call).filter(([field, value]) => !isSame(value, before[field as keyof Call])),
    );
    return Object.keys(news).length === 0 ? [] : [{ type: "call", id: open.id, created: false, news, call }];
  }
}

/** Whether the words of an error can be read in what a call shows: the agent may show its output in words of its own. */
function isShown(message: string, { content, output }: OpenCall): boolean {
  return content.some((part) => part.type === "text" && (message === output || part.text.includes(message)));
}

/** A call's output, with what the agent told beside it. */
function rawOutputOf(output: unknown, metadata: Fields | undefined, error: string | undefined): object | undefined {
  const { rawOutput: _, kind: __, locations: ___, ...rest } = metadata ?? {};
  const own = fieldsIn(metadata ?? {}, "rawOutput");
  const raw = {
    ...(output as object | undefined),
    ...(Object.keys(rest).length === 0 ? {} : { metadata: rest }),
    ...(error === undefined || error === fieldsIn({ output }, "output").output ? {} : { error }),
    ...own,
  };
  return Object.keys(raw).length === 0 ? undefined : raw;
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
