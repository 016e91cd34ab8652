import type { ParleyClient, SessionHandle, StreamEvent } from "../../../client/index.ts";
import type { ParleyEvent } from "../../../core/events/event.ts";
import type { Logger } from "../../../core/logger.ts";
import type { SessionState } from "../../../core/session-state.ts";
import type { AskDesk } from "../asks/desk.ts";
import { Translator } from "../translate/translator.ts";
import type { CallMeta, Update } from "../translate/updates.ts";
import { childIn, type Found, Starts } from "./starts.ts";

export interface ChildOptions {
  client: ParleyClient;
  root: { directory: string; state: SessionState; stoppedTurn: string | undefined };
  asks: AskDesk;
  give(update: Update): Promise<void>;
  logger: Logger;
}

/** The other sub-agents, as one that starts further ones needs them. */
export interface Kin {
  notice(event: ParleyEvent, parent: Translator, isHidden: boolean): void;
  past(found: Found, parent: Translator, isOpen: boolean): Promise<Update[]>;
}

/** One sub-agent's session: its calls are shown in the root, its words as the output of the call that started it. */
export class Child {
  readonly id: string;
  readonly handle: SessionHandle;
  readonly translator: Translator;
  readonly #options: ChildOptions;
  readonly #kin: Kin;
  readonly #meta: Pick<CallMeta, "session" | "parentCall">;
  readonly #waits: { seq: number; resolve(): void }[] = [];
  #parent: Translator | undefined;
  #stop: AbortController | undefined;
  #seq = 0;
  #isBusy = false;
  /** How many turns of it have begun, and how many of these work for a turn that is over for the client. */
  #turns = 0;
  #hidden = -1;
  /** The turn that was over for the client alone when the newest one began here. */
  #begunIn: string | undefined;

  constructor(options: ChildOptions, kin: Kin, id: string) {
    this.id = id;
    this.#options = options;
    this.#kin = kin;
    this.handle = options.client.session(id);
    this.#meta = { session: id };
    this.translator = new Translator({ directory: options.root.directory, meta: this.#meta });
  }

  /** The newest number that was read. */
  get seq(): number {
    return this.#seq;
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Whether its turn is over for the client. */
  get isOver(): boolean {
    return this.#turns <= this.#hidden;
  }

  /** Whether nothing of it is told now. */
  get isHidden(): boolean {
    const { stoppedTurn } = this.#options.root;
    return this.isOver || (stoppedTurn !== undefined && stoppedTurn === this.#begunIn);
  }

  /** The turn that it works for is over for the client: so is its own, which may still have to begin. */
  hide(): void {
    this.#hidden = Math.max(this.#turns, 1);
  }

  /** The call that has started the sub-agent, or has given it more to do. */
  startedBy(item: string, parent: Translator): void {
    this.#meta.parentCall = item;
    this.#parent = parent;
  }

  /** Follows the session from where it was read. */
  follow(): void {
    if (this.#stop) return;
    this.#stop = new AbortController();
    void this.#run(this.#stop);
  }

  /** Reads the past, and returns its calls. The words of a sub-agent whose call is open are that call's output. */
  async past(isOpen: boolean): Promise<Update[]> {
    const told: Update[] = [];
    const starts = new Starts();
    for await (const event of this.handle.events({ after: this.#seq, follow: false })) {
      told.push(...this.#learn(event, isOpen));
      this.#options.asks.note(event, this.translator);
      this.#seq = event.seq;
      if (event.type === "gap") continue;
      starts.take(event);
      const found = childIn(event);
      if (found && event.type === "item.completed") told.push(...(await this.#kin.past(found, this.translator, false)));
    }
    for (const found of starts.open()) told.push(...(await this.#kin.past(found, this.translator, true)));
    return told;
  }

  /** Learns the session as it is, without telling of it. Returns its newest number, and what its open turn started. */
  async meet(): Promise<{ last: number; starts: Starts }> {
    const { turn, turns, last, asks } = await this.handle.get();
    const starts = new Starts();
    if (turn) {
      for await (const event of this.handle.events({ after: turn.seq - 1, follow: false })) {
        if (event.seq > last) break;
        this.translator.take(event);
        if (event.type !== "gap") starts.take(event);
      }
      this.translator.calls.untell();
    }
    this.#seq = last;
    this.#isBusy = turn !== null;
    this.#turns = turns;
    this.#options.asks.learn(this.id, asks, this.translator);
    return { last, starts };
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
    for (const update of this.#learn(event)) if (!this.isHidden) await this.#options.give(update);
    // A call that the client was not told of is told as a whole, if ever.
    if (this.isHidden) this.translator.calls.untell();
    if (event.type !== "gap") this.#kin.notice(event, this.translator, this.isHidden);
    this.#options.asks.take(event, this.translator);
    this.#seq = event.seq;
    for (const wait of this.#waits.filter(({ seq }) => seq <= event.seq)) {
      wait.resolve();
      this.#waits.splice(this.#waits.indexOf(wait), 1);
    }
  }

  /** Learns an event, and returns the updates for the root's client. */
  #learn(event: StreamEvent, hasWords = true): Update[] {
    if (event.type === "turn.started") this.#follows(true, this.#turns + 1);
    if (event.type === "turn.ended") this.#isBusy = false;
    if (event.type === "gap") this.#follows(event.data.snapshot.turn !== null, event.data.snapshot.turns);
    const time = event.type === "gap" ? event.data.snapshot.updated : event.time;
    const updates = this.translator.take(event).filter(({ type }) => hasWords || type === "call");
    return updates.flatMap((update) => this.#shown(update, time));
  }

  #follows(isBusy: boolean, turns: number): void {
    if (turns !== this.#turns) this.#begunIn = this.#options.root.stoppedTurn;
    this.#isBusy = isBusy;
    this.#turns = turns;
  }

  #shown(update: Update, time: number): Update[] {
    // The session waits, or tries again, where its sub-agent does.
    const isState = update.type === "status" && this.#options.root.state.turn !== null;
    if (update.type === "call" || isState) return [update];
    if (update.type !== "text" || update.role === "user" || this.#meta.parentCall === undefined) return [];
    const text = update.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    return this.#parent?.calls.said(this.#meta.parentCall, text, time) ?? [];
  }
}
