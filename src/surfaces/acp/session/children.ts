import type { SessionHandle } from "../../../client/index.ts";
import type { ParleyEvent } from "../../../core/events/event.ts";
import type { Translator } from "../translate/translator.ts";
import type { Update } from "../translate/updates.ts";
import { Child, type ChildOptions } from "./child.ts";
import { childIn, type Found, Starts } from "./starts.ts";

/** A session whose sub-agents are met. */
interface Parent {
  handle: SessionHandle;
  translator: Translator;
  /** The newest number that was read. */
  last: number;
  starts: Starts;
}

/** The sub-agents of a session, at any depth. */
export class Children {
  readonly #options: ChildOptions;
  readonly #known = new Map<string, Child>();
  /** Those whose calls were open when they were read. */
  readonly #called = new Set<string>();
  #isClosed = false;

  constructor(options: ChildOptions) {
    this.#options = options;
  }

  /** Follows the session that an event's call started. Where the call is hidden from the client, so is what it started. */
  notice(event: ParleyEvent, parent: Translator, isHidden: boolean): void {
    const found = childIn(event);
    // The last event of a session that is let go of may come after that.
    if (!found || this.#isClosed) return;
    // The end of a call may come when another one has given the sub-agent more to do.
    const known = this.#known.get(found.child);
    const child = known && event.type === "item.completed" ? known : this.#child(found, parent);
    if (!known && isHidden) child.hide();
    child.follow();
  }

  /** The calls of a sub-agent up to now. A session that is gone has none. */
  async past(found: Found, parent: Translator, isOpen: boolean): Promise<Update[]> {
    if (isOpen) this.#called.add(found.child);
    try {
      return await this.#child(found, parent).past(isOpen);
    } catch (error) {
      this.#unreadable(error, found.child);
      return [];
    }
  }

  /** Learns the sub-agents of a session as they are, without telling of them. */
  async meetBelow({ handle, translator, last, starts }: Parent): Promise<void> {
    for (const { child } of starts.open()) this.#called.add(child);
    for (const { id, isBusy } of await this.#below(handle.id)) {
      // A sub-agent that no stored call has started began after that: the stream tells of it.
      if (isBusy && !starts.has(id) && (await starts.readAll(handle, last)) && !starts.has(id)) continue;
      await this.#meet(starts.found(id), translator);
    }
  }

  /** Learns a sub-agent that no call has told of, and follows it. */
  async meet(id: string): Promise<void> {
    if (this.#known.has(id) || this.#isClosed) return;
    await this.#meet({ child: id });
    if (!this.#isClosed) this.#known.get(id)?.follow();
  }

  /** Follows, from where they were read, the sub-agents that work and those of open calls. */
  followBusy(): void {
    for (const child of this.#known.values()) if (child.isBusy || this.#called.has(child.id)) child.follow();
  }

  async catchUp(): Promise<void> {
    await Promise.all([...this.#known.values()].map((child) => child.catchUp()));
  }

  /** The calls that are open, as they are after the agent was stopped. What comes later of these sub-agents' turns is not told, whenever it is read. */
  stop(): Update[] {
    return [...this.#known.values()].flatMap((child) => {
      const { calls } = child.translator;
      const failed = child.isOver ? [] : calls.fail();
      calls.clear();
      child.hide();
      return failed;
    });
  }

  /** Whether nothing is told now of the sub-agent that has a session. */
  hides(session: string): boolean {
    return this.#known.get(session)?.isHidden ?? false;
  }

  close(): void {
    this.#isClosed = true;
    for (const child of this.#known.values()) child.close();
  }

  async #meet(found: Found, parent?: Translator): Promise<void> {
    try {
      const known = this.#known.get(found.child);
      const child = known ?? this.#child(found, parent);
      const { last, starts } = known ? { last: child.seq, starts: new Starts() } : await child.meet();
      await this.meetBelow({ handle: child.handle, translator: child.translator, last, starts });
    } catch (error) {
      this.#unreadable(error, found.child);
    }
  }

  /** The sub-agents' sessions of a session. */
  async #below(parent: string): Promise<{ id: string; isBusy: boolean }[]> {
    const below: { id: string; isBusy: boolean }[] = [];
    let after: string | null | undefined;
    do {
      const page = await this.#options.client.sessions.list({ parent, ...(after ? { after } : {}) });
      below.push(...page.sessions.map(({ id, turn }) => ({ id, isBusy: turn !== null })));
      after = page.next;
    } while (after);
    return below;
  }

  #child({ child: id, item }: Found, parent: Translator | undefined): Child {
    const child = this.#known.get(id) ?? new Child(this.#options, this, id);
    this.#known.set(id, child);
    if (item !== undefined && parent) child.startedBy(item, parent);
    return child;
  }

  #unreadable(error: unknown, session: string): void {
    this.#options.logger.debug({ err: error, session }, "a sub-agent's session could not be read");
  }
}
