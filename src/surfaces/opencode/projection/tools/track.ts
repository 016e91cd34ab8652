import type { ToolCallItem, ToolResultItem } from "../../../../core/events/items.ts";
import type { FileChange } from "../../../../core/events/values.ts";
import { present } from "../../../../core/json/fields.ts";
import type { ToolPart, ToolState } from "../../shapes/message.ts";
import { LiveOutput } from "../live-output.ts";
import { attachmentsOf } from "./attachments.ts";
import { describedTask, toolInput } from "./input.ts";
import { toolMetadata } from "./metadata.ts";
import { toolName } from "./names.ts";

interface Place {
  sessionID: string;
  messageID: string;
  directory: string;
}

type Known = Pick<ToolCallItem, "name" | "title" | "input" | "metadata">;

/** One tool call on its way from the first sign of it to its end. */
export class ToolTrack {
  readonly id: string;
  readonly messageID: string;
  readonly call: string;
  /** It is settled. */
  done = false;
  files: readonly FileChange[] = [];
  answers: string[][] | undefined;
  readonly #place: Place;
  readonly #seen: number;
  readonly #live = new LiveOutput();
  #known: Known;
  #tool: string;
  /** Made when it is first asked for: most of what is learned is soon replaced. */
  #made: Record<string, unknown> | undefined;
  /** The session of the sub-agent that it started. */
  #child: string | undefined;
  #started: number | undefined;
  #shown: string | undefined;
  #output = "";
  #content: readonly unknown[] = [];

  constructor(item: ToolCallItem, place: Place, time: number) {
    this.id = item.id;
    this.call = item.call;
    this.messageID = place.messageID;
    this.#place = place;
    this.#seen = time;
    const { name, title, input, metadata } = item;
    this.#known = { name, title, input, metadata };
    this.#tool = toolName(item.name);
    this.#note(item.child);
  }

  #note(child: unknown): void {
    if (typeof child === "string") this.#child = child;
  }

  /** Takes in what is new. */
  learn(news: Partial<Known> & { child?: unknown }): void {
    const { name, title, input, metadata } = news;
    if (name !== undefined) this.#tool = toolName(name);
    this.#known = {
      name: name ?? this.#known.name,
      title: title ?? this.#known.title,
      input: input ?? this.#known.input,
      metadata: metadata ?? this.#known.metadata,
    };
    this.#made = undefined;
    this.#note(news.child);
  }

  get running(): boolean {
    return this.#started !== undefined;
  }

  get input(): Record<string, unknown> {
    this.#made ??= toolInput(this.#tool, this.#known.input, this.#place.directory);
    return this.#made;
  }

  run(time: number): void {
    this.#started ??= time;
    // A command's output is shown from the start, and while it comes.
    if (this.#tool === "bash") this.#shown ??= "";
  }

  /** Whether the output that came is to be shown now. */
  addOutput(delta: string): boolean {
    const show = this.#shown !== undefined && this.#live.add(delta);
    if (show) this.#shown = this.#live.text;
    return show;
  }

  replaceOutput(text: string): boolean {
    this.#live.replace(text);
    const show = this.#shown !== undefined;
    if (show) this.#shown = this.#live.text;
    return show;
  }

  result({ text = "", files = [], content = [] }: ToolResultItem): void {
    this.#output = text;
    this.files = files;
    this.#content = content;
  }

  #part(state: ToolState): ToolPart {
    const { sessionID, messageID } = this.#place;
    return { id: this.id, sessionID, messageID, type: "tool", callID: this.call, tool: this.#tool, state };
  }

  #extras(): Record<string, unknown> {
    const parent = this.#child && this.#place.sessionID;
    return present({ sessionId: this.#child, parentSessionId: parent, answers: this.answers });
  }

  /** The input as clients show it. They show nothing but that work is being delegated of a task without a description. */
  #described(): Record<string, unknown> {
    return this.#tool === "task" ? describedTask(this.input, this.#known.title) : this.input;
  }

  /** The part while the call is under way. */
  open(): ToolPart {
    if (this.#started === undefined) return this.#part({ status: "pending", input: this.input, raw: "" });
    const input = this.#described();
    const { title, metadata } = this.#known;
    const all = { ...present({ output: this.#shown }), ...metadata, ...this.#extras() };
    const shown = Object.keys(all).length === 0 ? undefined : all;
    return this.#part(present({ status: "running", input, title, metadata: shown, time: { start: this.#started } }));
  }

  /** The part for good. */
  close({ status, error, background }: ToolCallItem, end: number): ToolPart {
    this.done = true;
    const { title = "", metadata = {} } = this.#known;
    // Clients show the output of a failed command above its error: an output that is the error would be shown twice.
    const output = this.#output === error?.message ? "" : this.#output;
    const failed = status !== "completed";
    const outcome = { tool: this.#tool, failed, input: this.input, metadata, output, files: this.files };
    const all = { ...toolMetadata({ ...outcome, directory: this.#place.directory }), ...this.#extras() };
    const time = { start: this.#started ?? this.#seen, end };
    const input = this.#described();
    const [text, content] = [this.#output, this.#content];
    // A long turn has many calls, and only their parts have to keep this.
    this.#output = "";
    this.#content = [];
    if (status === "completed") {
      const files = attachmentsOf(content, { id: this.id, ...this.#place });
      const attachments = files.length === 0 ? undefined : files;
      const more = background ? { ...all, background } : all;
      return this.#part(present({ status, input, output: text, title, metadata: more, time, attachments }));
    }
    const aborted = error?.code === "interrupted" || error?.code === "aborted";
    const more = aborted ? { ...all, interrupted: true } : all;
    const message = error?.message ?? "the tool failed";
    const shown = Object.keys(more).length === 0 ? undefined : more;
    return this.#part(present({ status: "error", input, error: message, metadata: shown, time }));
  }
}
