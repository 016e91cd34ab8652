import assert from "node:assert/strict";
import type { ParleyEvent } from "../../src/core/events/event.ts";
import { deadline } from "./time.ts";

/** The fields of one block of an event stream; a comment has the name "". */
export interface Block {
  id?: string;
  event?: string;
  data?: string;
  retry?: string;
  comment?: string;
}

function parseBlock(text: string): Block {
  const block: Block = {};
  for (const line of text.split("\n")) {
    const colon = line.indexOf(":");
    const name = colon === 0 ? "comment" : (line.slice(0, colon) as keyof Block);
    const value = line.slice(colon + 1).replace(/^ /, "");
    block[name] = block[name] === undefined ? value : `${block[name]}\n${value}`;
  }
  return block;
}

/** Reads an event stream block by block, and remembers how it ended. */
export class SseReader {
  readonly headers: Headers;
  readonly blocks: Block[] = [];
  /** The universal events among them. */
  readonly events: ParleyEvent[] = [];
  /** Their ids, in the same order. */
  readonly ids: string[] = [];
  /** How the stream ended: `ended` is a clean end, `cut` a connection that broke. */
  readonly over: Promise<"ended" | "cut" | "left">;
  private readonly controller: AbortController;
  private readonly waiting = new Set<() => void>();
  private left = false;

  constructor(response: Response, controller: AbortController) {
    this.headers = response.headers;
    this.controller = controller;
    assert.ok(response.body);
    this.over = this.read(response.body);
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<"ended" | "cut" | "left"> {
    const decoder = new TextDecoder();
    let pieces: string[] = [];
    try {
      for await (const chunk of body) {
        const text = decoder.decode(chunk, { stream: true });
        pieces.push(text);
        if (!text.includes("\n")) continue;
        const blocks = pieces.join("").split("\n\n");
        pieces = [blocks.pop() ?? ""];
        for (const block of blocks) this.take(parseBlock(block));
        for (const look of this.waiting) look();
      }
      return "ended";
    } catch {
      return this.left ? "left" : "cut";
    }
  }

  private take(block: Block): void {
    this.blocks.push(block);
    if (block.data === undefined || block.event !== undefined) return;
    this.events.push(JSON.parse(block.data) as ParleyEvent);
    this.ids.push(block.id ?? "");
  }

  /** Resolves when the condition holds, which is looked at after each read; rejects when the stream ends before. */
  when<T>(look: (reader: SseReader) => T | undefined | false, what: string): Promise<T> {
    return new Promise((resolve, reject) => {
      const fail = (why: string): void => {
        done();
        const last = this.blocks.slice(-5).map((block) => JSON.stringify(block).slice(0, 300));
        reject(new Error(`${why}: ${what}; ${this.blocks.length} blocks, the last:\n${last.join("\n")}`));
      };
      const late = deadline(() => fail("not in time"));
      const check = (): void => {
        const found = look(this);
        if (found === undefined || found === false) return;
        done();
        resolve(found);
      };
      const done = (): void => {
        late[Symbol.dispose]();
        this.waiting.delete(check);
      };
      this.waiting.add(check);
      check();
      void this.over.then((how) => this.waiting.has(check) && fail(`the stream was ${how} before`));
    });
  }

  /** The first event that fits, past or to come. */
  event(fits: (event: ParleyEvent) => boolean, what: string): Promise<ParleyEvent> {
    let looked = 0;
    return this.when(({ events }) => {
      for (; looked < events.length; looked++) {
        const event = events[looked];
        if (event && fits(event)) return event;
      }
      return undefined;
    }, what);
  }

  /** The first event of a type. */
  first(type: ParleyEvent["type"]): Promise<ParleyEvent> {
    return this.event((event) => event.type === type, type);
  }

  count(type: ParleyEvent["type"]): number {
    return this.events.filter((event) => event.type === type).length;
  }

  /** Leaves, as a client does. */
  async close(): Promise<void> {
    this.left = true;
    this.controller.abort();
    await this.over;
  }
}

export async function openStream(url: string, headers: Record<string, string> = {}): Promise<SseReader> {
  const controller = new AbortController();
  const response = await fetch(url, { headers, signal: controller.signal });
  if (response.status !== 200) throw new Error(`expected a stream at ${url}, got ${await response.text()}`);
  return new SseReader(response, controller);
}
