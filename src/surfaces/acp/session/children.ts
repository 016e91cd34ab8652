import type { ParleyClient, SessionHandle, StreamEvent } from "../../../client/index.ts";
import type { ParleyEvent } from "../../../core/events/event.ts";
import type { Logger } from "../../../core/logger.ts";
import type { SessionState } from "../../../core/session-state.ts";
import type { AskDesk } from "../asks/desk.ts";
import { Translator } from "../translate/translator.ts";
import type { Update } from "../translate/updates.ts";

interface Found {
  child: string;
  /** The item of the call that started it. */
  item: string;
}

/** The session that a call of an event started. */
export function childIn(event: ParleyEvent): Found | undefined {
  if (event.type === "item.updated") {
    const { child, item } = event.data;
    return child === undefined ? undefined : { child, item };
  }
  if (event.type !== "item.started" && event.type !== "item.completed") return undefined;
  const { item } = event.data;
  return item.kind === "tool_call" && item.child !== undefined ? { child: item.child, item: item.id } : undefined;
}

interface ChildrenOptions {
  client: ParleyClient;
  root: { directory: string; state: SessionState };
  asks: AskDesk;
  give(update: Update): Promise<void>;
  logger: Logger;
}

/** One sub-agent's session: its calls are shown in the root, its words as the output of the call that started it. */
class Child {
  readonly id: string;
  readonly handle: SessionHandle;
  readonly #options: ChildrenOptions;
  readonly #children: Children;
  readonly #parent: Translator;
  readonly #translator: Translator;
  readonly #item: string;
  readonly #waits: { seq: number; resolve(): void }[] = [];
  #stop: AbortController | undefined;
  #seq = 0;
  #isBusy = false;

  constructor(options: ChildrenOptions, children: Children, parent: Translator, id: string, item: string) {
    this.id = id;
    this.#options = options;
    this.#children = children;
    this.#parent = parent;
    this.#item = item;
    this.handle = options.client.session(id);
    const { directory } = options.root;
    this.#translator = new Translator({ directory, meta: { session: id, parentCall: item } });
  }

  follow(): void {
    if (this.#stop) return;
    this.#stop = new AbortController();
    void this.#run(this.#stop);
  }

  /** The calls of the past. */
  async past(): Promise<Update[]> {
    const told: Update[] = [];
    for await (const event of this.handle.events({ after: this.#seq, follow: false })) {
      this.#seq = event.seq;
      if (event.type === "gap") continue;
      told.push(...this.#translator.take(event).filter(({ type }) => type === "call"));
      const found = childIn(event);
      if (found && event.type === "item.completed") told.push(...(await this.#children.past(found, this.#translator)));
    }
    return told;
  }

  /** Waits until all that the sub-agent has said up to now is given, then stops where it is idle. */
  async catchUp(): Promise<void> {
    if (!this.#stop) return;
    try {
      const { last } = await this.handle.get();
      if (this.#seq < last && this.#stop) {
        await new Promise<void>((resolve) => this.#waits.push({ seq: last, resolve }));
      }
    } catch (error) {
      this.#options.logger.debug({ err: error, session: this.id }, "a sub-agent's session could not be read");
    }
    if (!this.#isBusy) this.close();
  }

  close(): void {
    this.#stop?.abort();
    this.#stop = undefined;
    for (const { resolve } of this.#waits.splice(0)) resolve();
  }

  async #run(stop: AbortController): Promise<void> {
    try {
      for await (const event of this.handle.events({ after: this.#seq, signal: stop.signal })) await this.#take(event);
    } catch (error) {
      this.#options.logger.warn({ err: error, session: this.id }, "the stream of a sub-agent's session failed");
    } finally {
      if (this.#stop === stop) this.close();
    }
  }

  async #take(event: StreamEvent): Promise<void> {
    if (event.type !== "gap") {
      for (const update of this.#translator.take(event)) await this.#show(update, event.time);
      this.#children.notice(event, this.#translator);
      this.#options.asks.take(event, this.#translator);
      if (event.type === "turn.started") this.#isBusy = true;
      if (event.type === "turn.ended") this.#isBusy = false;
    }
    this.#seq = event.seq;
    for (const wait of this.#waits.filter(({ seq }) => seq <= event.seq)) {
      wait.resolve();
      this.#waits.splice(this.#waits.indexOf(wait), 1);
    }
  }

  async #show(update: Update, time: number): Promise<void> {
    // The session waits, or tries again, where its sub-agent does.
    const isState = update.type === "status" && this.#options.root.state.turn !== null;
    if (update.type === "call" || isState) return await this.#options.give(update);
    if (update.type !== "text" || update.role === "user") return;
    const text = update.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    for (const said of this.#parent.calls.said(this.#item, text, time)) await this.#options.give(said);
  }
}

/** The sub-agents of a session, at any depth. */
export class Children {
  readonly #options: ChildrenOptions;
  readonly #known = new Map<string, Child>();

  constructor(options: ChildrenOptions) {
    this.#options = options;
  }

  /** Follows the session that an event's call started. */
  notice(event: ParleyEvent, parent: Translator): void {
    const found = childIn(event);
    if (found) this.#child(found, parent).follow();
  }

  /** The calls of a sub-agent that is done. A session that is gone has none. */
  async past(found: Found, parent: Translator): Promise<Update[]> {
    try {
      return await this.#child(found, parent).past();
    } catch (error) {
      this.#options.logger.debug({ err: error, session: found.child }, "a sub-agent's past could not be read");
      return [];
    }
  }

  async catchUp(): Promise<void> {
    await Promise.all([...this.#known.values()].map((child) => child.catchUp()));
  }

  #child({ child: id, item }: Found, parent: Translator): Child {
    const child = this.#known.get(id) ?? new Child(this.#options, this, parent, id, item);
    this.#known.set(id, child);
    return child;
  }

  close(): void {
    for (const child of this.#known.values()) child.close();
  }
}
