import type { LanguageModelUsage, ProviderMetadata, TextStreamPart, ToolSet } from "ai";
import { messageOf } from "../../../core/errors.ts";
import type { Signal } from "../../../core/ledger/signals.ts";
import { CutStream } from "../model/retry.ts";
import { type AssistantPart, callPart, inputObject } from "../past/conversation.ts";

const UNNAMED = "unnamed";

/** A call that the model has completed. */
export interface ModelCall {
  call: string;
  name: string;
  input: unknown;
  /** Why its input cannot be used. */
  problem?: string;
}

export interface StreamEvents {
  emit(signal: Signal): void;
  /** A new key for a text. */
  item(): string;
  /** A key for the model's id of a call, which it may have used before. */
  call(id: string): string;
  seen(call: string): void;
  called(call: ModelCall): void;
}

interface Words {
  type: "text" | "reasoning";
  item: string;
  text: string;
  ended: boolean;
  told: boolean;
  metadata?: ProviderMetadata;
}

interface Call {
  type: "call";
  part: AssistantPart;
}

/** Translates one model call's stream into signals, and keeps what the conversation needs of it. */
export class StepStream {
  readonly #events: StreamEvents;
  /** By the model's id, which some use again for the next text. */
  readonly #words = new Map<string, Words>();
  readonly #calls = new Map<string, string>();
  readonly #complete = new Set<string>();
  #content: (Words | Call)[] = [];
  #committed = false;
  finish: string | undefined;
  /** The model stopped because its context is full. */
  full = false;
  usage: LanguageModelUsage | undefined;

  constructor(events: StreamEvents) {
    this.#events = events;
  }

  /** Whether a tool was started: then what was said stands, and the model is not asked for it again. */
  get committed(): boolean {
    return this.#committed;
  }

  get content(): AssistantPart[] {
    return this.#content.flatMap((part) => (part.type === "call" ? [part.part] : partOf(part)));
  }

  take(part: TextStreamPart<ToolSet>): void {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        return this.#start(part.type === "text-start" ? "text" : "reasoning", part);
      case "text-delta":
      case "reasoning-delta":
        return this.#add(part.type === "text-delta" ? "text" : "reasoning", part);
      case "text-end":
      case "reasoning-end":
        return this.#end(part.type === "text-end" ? "text" : "reasoning", part);
      case "tool-input-start":
        return this.#seen(part.id, part.toolName);
      case "tool-input-delta":
        return this.#events.emit({ type: "tool.seen", call: this.#key(part.id), inputDelta: part.delta });
      case "tool-call":
        return this.#called(part);
      case "finish-step":
        this.finish = part.finishReason;
        this.full = part.rawFinishReason === "model_context_window_exceeded";
        this.usage = part.usage;
        return;
      case "error":
        throw part.error;
      default:
        return;
    }
  }

  /** The stream is over. It must have said so: a connection that broke ends, too. */
  close(): void {
    if (this.finish === undefined || this.finish === "interrupted") throw new CutStream();
    if (this.finish === "error") throw new CutStream("the model stopped with an error");
    for (const words of this.#said()) words.ended = true;
    this.#commit();
  }

  /** The stream failed: what was said is taken back, but for what came before a tool that has run. */
  retract(): void {
    for (const { item } of this.#said().filter(({ told }) => !told))
      this.#events.emit({ type: "text.retracted", item });
    this.#content = this.#content.filter((part) => part.type === "call" || part.told);
  }

  #said(): Words[] {
    return this.#content.filter((part) => part.type !== "call");
  }

  /** Reasoning that is not shown has nothing but what comes with its start. */
  #start(type: Words["type"], part: { id: string; providerMetadata?: ProviderMetadata }): void {
    const words = this.#open(type, part.id);
    words.metadata = part.providerMetadata ?? words.metadata;
  }

  #open(type: Words["type"], id: string): Words {
    const key = `${type} ${id}`;
    const known = this.#words.get(key);
    if (known && !known.ended) return known;
    const words: Words = { type, item: this.#events.item(), text: "", ended: false, told: false };
    this.#words.set(key, words);
    this.#content.push(words);
    return words;
  }

  #add(type: Words["type"], part: { id: string; text: string; providerMetadata?: ProviderMetadata }): void {
    const words = this.#open(type, part.id);
    words.text += part.text;
    words.metadata = part.providerMetadata ?? words.metadata;
    if (part.text !== "") this.#events.emit({ type: "text", item: words.item, ...speaker(words), delta: part.text });
  }

  #end(type: Words["type"], part: { id: string; providerMetadata?: ProviderMetadata }): void {
    const words = this.#open(type, part.id);
    words.ended = true;
    words.metadata = part.providerMetadata ?? words.metadata;
    if (this.#committed) this.#commit();
  }

  #key(id: string): string {
    const key = this.#calls.get(id) ?? this.#events.call(id);
    this.#calls.set(id, key);
    return key;
  }

  /** An id that comes again after its call was complete names another call. */
  #keyOfNext(id: string): string {
    if (this.#complete.has(this.#calls.get(id) ?? "")) this.#calls.delete(id);
    return this.#key(id);
  }

  #seen(id: string, name: string): void {
    const call = this.#keyOfNext(id);
    this.#events.seen(call);
    this.#events.emit({ type: "tool.seen", call, name: name || UNNAMED });
  }

  #called(part: Extract<TextStreamPart<ToolSet>, { type: "tool-call" }>): void {
    const { providerMetadata } = part;
    const name = part.toolName || UNNAMED;
    const call = this.#keyOfNext(part.toolCallId);
    this.#complete.add(call);
    const input = inputObject(part.input);
    const options = providerMetadata ? { providerOptions: providerMetadata } : {};
    this.#content.push({ type: "call", part: { ...callPart(call, name, input), ...options } });
    this.#events.seen(call);
    this.#commit();
    const problem = part.invalid ? { problem: messageOf(part.error) } : {};
    this.#events.called({ call, name, input, ...problem });
  }

  /** Texts are completed late, so that a stream that breaks can still take them back. */
  #commit(): void {
    this.#committed = true;
    for (const words of this.#said()) {
      if (!words.ended || words.told) continue;
      words.told = true;
      if (words.text !== "")
        this.#events.emit({ type: "text.done", item: words.item, ...speaker(words), text: words.text });
    }
  }
}

function speaker({ type }: Words): { kind: "message" | "reasoning"; role: "assistant" } {
  return { kind: type === "text" ? "message" : "reasoning", role: "assistant" };
}

/** Reasoning is only good whole, with its signature. */
function partOf({ type, text, ended, metadata }: Words): AssistantPart[] {
  if (type === "reasoning" ? !ended || !metadata : text.trim() === "") return [];
  return [{ type, text, ...(metadata ? { providerOptions: metadata } : {}) }];
}
