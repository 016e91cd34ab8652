import type {
  AgentInfo,
  GapEvent,
  ParleyClient,
  SessionDetail,
  SessionHandle,
  StreamEvent,
} from "../../../client/index.ts";
import { messageOf } from "../../../core/errors.ts";
import { present } from "../../../core/json/fields.ts";
import type { Logger } from "../../../core/logger.ts";
import { reduceSession, type SessionState } from "../../../core/session-state.ts";
import { within } from "../../../core/within.ts";
import { AskDesk } from "../asks/desk.ts";
import { currentModel, type Offer } from "../translate/config-options.ts";
import { Translator } from "../translate/translator.ts";
import type { Update } from "../translate/updates.ts";
import { afterResponses } from "./after-responses.ts";
import { Children } from "./children.ts";
import type { Front } from "./front.ts";
import { endInGap, isGone, turnInGap } from "./gaps.ts";
import { OfferWatch } from "./offer-watch.ts";
import { Prompts } from "./prompts.ts";
import { Sender } from "./sender.ts";
import { ShownTurn } from "./shown-turn.ts";

export interface AttachedOptions {
  client: ParleyClient;
  detail: SessionDetail;
  info: AgentInfo;
  front: Front;
  logger: Logger;
  /** The object that had the session before: its prompts go on here, and what is over for the client stays so. */
  left?: AttachedSession | undefined;
  /** Whether the client goes, or its server. */
  isLeft?: () => boolean;
}

/** A session that this client has open: follows its events, and gives them to the client in order. */
export class AttachedSession {
  readonly id: string;
  readonly directory: string;
  readonly handle: SessionHandle;
  readonly prompts: Prompts;
  translator: Translator;
  info: AgentInfo;
  state: SessionState;
  readonly #front: Front;
  readonly #logger: Logger;
  readonly #isLeft: () => boolean;
  readonly #stop = new AbortController();
  readonly asks: AskDesk;
  readonly sender: Sender;
  readonly children: Children;
  readonly #offers: OfferWatch;
  /** Updates for after the response that opened the session. */
  readonly greetings: Update[] = [];
  #seq: number;
  readonly #shown: ShownTurn;
  readonly #heir = Promise.withResolvers<AttachedSession | undefined>();
  /** Events, and the end of a turn that was stopped, are told one after the other. */
  #order: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #loop: Promise<void> | undefined;
  #ended: PromiseWithResolvers<void> | undefined;

  constructor(options: AttachedOptions) {
    const { client, detail, info, front, logger, left } = options;
    this.prompts = left?.prompts ?? new Prompts();
    this.#shown = left ? left.#shown : new ShownTurn();
    this.#shown.skip(detail);
    this.#noteTurn(detail);
    this.id = detail.id;
    this.directory = detail.directory;
    this.info = info;
    this.state = detail;
    this.handle = client.session(detail.id);
    this.sender = new Sender(this.handle, this.prompts);
    this.#front = front;
    this.#logger = logger;
    this.#isLeft = options.isLeft ?? (() => false);
    this.#seq = detail.last;
    this.translator = new Translator({ directory: detail.directory }, detail.usage.cost ?? 0);
    this.asks = new AskDesk(this, front, logger);
    this.asks.learn(detail.id, detail.asks);
    const give = (update: Update): Promise<void> => this.give(update);
    this.#offers = new OfferWatch({ client, session: this, give, logger });
    this.children = new Children({ client, root: this, asks: this.asks, give, logger });
  }

  get offer(): Offer {
    return { state: this.state, info: this.info };
  }

  get isOver(): boolean {
    return this.#stop.signal.aborted;
  }

  /** The client goes, or its server. */
  get isLeft(): boolean {
    return this.#isLeft();
  }

  /** The turn that runs, as the client knows it. */
  get openTurn(): SessionState["turn"] {
    return this.#shown.open(this.state);
  }

  /** The turn that is over for the client, while its end cannot be stored. */
  get stoppedTurn(): string | undefined {
    return this.#shown.stopped;
  }

  /** Begins to follow the session from where its state was read, or from an event after that. */
  follow(after = this.#seq): void {
    this.#seq = after;
    this.#loop ??= this.#run();
  }

  /** Tells what waits for the client: greetings, and the asks that were open before it came. */
  async greet(): Promise<void> {
    for (const update of this.greetings.splice(0)) await this.give(update);
    await this.asks.showOpen();
  }

  /** Ends a turn for the client that was stopped while nothing can be stored. What is stored of it later is not told any more. */
  async endUnstored(turn: string): Promise<void> {
    // The client may have loaded the session while its agent was being stopped.
    if (this.isOver) return await (await this.#heir.promise)?.endUnstored(turn);
    await this.#inOrder(async () => {
      if (this.#shown.stop(turn, this.state)) await this.#endStopped(turn);
    });
  }

  /** Ends a turn for the client that was stopped before its beginning was read, which the state tells by now. */
  endAwaited(): Promise<void> {
    return this.#inOrder(() => this.#endAwaited());
  }

  /** Ends the turn of a server that is gone. Its own end, which may be on its way, is given some time. */
  async endLost(ms: number): Promise<void> {
    if (this.isOver) return;
    this.#ended = Promise.withResolvers();
    if (this.openTurn) await within(this.#ended.promise, ms);
    await this.#inOrder(async () => {
      const turn = this.openTurn?.id;
      if (turn === undefined || !this.#shown.stop(turn, this.state)) return;
      this.asks.dropAll();
      const calls = this.children.stop();
      // Nobody can be asked any more what its sub-agents said.
      this.children.close();
      await this.#giveAll([...calls, ...this.translator.interrupt(turn, Date.now())]);
    });
  }

  /** A prompt was taken back while nothing can be stored. */
  endUnbegun(prompt: string): void {
    this.#shown.takeBack(prompt);
    this.prompts.settle(prompt, { prompt, reason: "withdrawn" });
  }

  /** The end of a turn that was stopped, after that of its calls. */
  stopped(turn: string): Update[] {
    return [...this.children.stop(), ...this.translator.stop(turn, Date.now())];
  }

  async #endStopped(turn: string): Promise<void> {
    this.asks.dropAll();
    await this.#giveAll(this.stopped(turn));
  }

  /** Lets go of the session. Turns and asks of it go on for other clients. */
  detach(): void {
    void this.leave();
    this.handOver(undefined);
    this.prompts.settleAll((id) => ({ prompt: id, reason: "withdrawn" }));
  }

  /** Lets go of the session for another object that takes its prompts over. Resolves when nothing more is told. */
  async leave(): Promise<void> {
    this.#stop.abort();
    this.asks.dropAll();
    this.children.close();
    await this.#loop;
    await this.#order;
  }

  /** Tells which object has the session after this one, if any. */
  handOver(heir: AttachedSession | undefined): void {
    this.#heir.resolve(heir);
  }

  async #run(): Promise<void> {
    try {
      await this.handle.hear(
        { after: this.#seq, signal: this.#stop.signal },
        (event) => this.#take(event),
        (piece) => this.#takePiece(piece),
      );
      if (!this.isOver) this.#deleted();
    } catch (error) {
      // A client that goes is told how its turns end, and its prompts are taken back.
      if (this.isOver || this.#isLeft()) return;
      this.#logger.warn({ err: error, session: this.id }, "the stream of a session failed");
      await this.#lose(error);
    }
  }

  /** Nothing more can be read of the session: its turn is over for this client. */
  async #lose(error: unknown): Promise<void> {
    const turn = this.openTurn;
    this.prompts.fail(error);
    this.detach();
    if (!turn) return;
    const failure = { code: "lost", message: messageOf(error) };
    const end = { turn: turn.id, reason: isGone(error) ? "deleted" : "lost", error: failure } as const;
    await this.#front.update(this, { type: "end", end }, false).catch(() => {});
  }

  /** The session is gone, and with it everything that waits for it. */
  #deleted(): void {
    this.prompts.settleAll((id) => ({ prompt: id, reason: "deleted" }));
    this.detach();
  }

  #take(event: StreamEvent): Promise<void> {
    return this.#inOrder(() => this.#tell(event));
  }

  async #tell(event: StreamEvent): Promise<void> {
    if (event.seq <= this.#seq) return;
    this.#seq = event.seq;
    if (event.type === "gap") return await this.#skip(event);
    if (event.type === "turn.ended" && !this.#shown.hides(event.turn)) await this.#offers.beforeEnd();
    this.state = reduceSession(this.state, event);
    const updates = this.translator.take(event);
    if (event.type === "turn.started") this.#shown.begin(event.turn, event.data.prompt?.id);
    const stopped = this.stoppedTurn;
    if (!this.#shown.hides(event.turn)) await this.#giveAll(updates.filter((update) => this.#isWhole(update)));
    await this.#endAwaited();
    if (stopped !== undefined && this.stoppedTurn === undefined) this.asks.showRead();
    if (!this.openTurn) this.#ended?.resolve();
    this.children.notice(event, this.translator, this.stoppedTurn !== undefined);
    this.asks.take(event);
    this.#offers.take(event);
  }

  /** The choices of another agent are told with what it offers, which is looked up first. */
  #isWhole({ type }: Update): boolean {
    return type !== "choice" || this.state.agent === this.info.name;
  }

  /** Tells the end of a turn that was stopped before its beginning was read. */
  async #endAwaited(): Promise<void> {
    const turn = this.#shown.follow(this.state);
    if (turn !== undefined) await this.#endStopped(turn);
  }

  /** Runs work when all before it is done. */
  async #inOrder(work: () => Promise<void>): Promise<void> {
    this.#waiting += 1;
    const done = this.#order.then(work).finally(() => {
      this.#waiting -= 1;
    });
    this.#order = done.catch(() => {});
    await done;
  }

  /** Notes whose turn runs: the event of its beginning is not read again. */
  #noteTurn({ turn }: SessionState): void {
    if (turn?.prompt !== undefined) this.prompts.began(turn.prompt, turn.id);
  }

  /** Goes on behind events that are no longer kept: what they ended is over for the client, too. */
  async #skip(gap: GapEvent): Promise<void> {
    const { snapshot } = gap.data;
    const before = this.openTurn;
    const isHidden = this.stoppedTurn !== undefined;
    this.state = snapshot;
    this.#shown.skip(snapshot);
    const now = this.openTurn;
    const updates = this.translator.take(gap);
    if (!isHidden) await this.#giveAll(updates);
    this.asks.note(gap);
    if (before && before.id !== now?.id) await this.give({ type: "end", end: turnInGap(snapshot, before) });
    if (now && before?.id !== now.id)
      await this.give({ type: "turn", turn: now.id, ...present({ prompt: now.prompt }) });
    await this.#endAwaited();
    this.prompts.settleAll((id) => endInGap(snapshot, id), false);
    this.asks.take(gap);
  }

  /** A delta tells nothing but its update, which the client may get within the call that stored the delta. */
  #takePiece(piece: StreamEvent): Promise<void> | undefined {
    if (this.#waiting > 0) return this.#take(piece);
    if (piece.type === "gap" || piece.seq <= this.#seq) return undefined;
    this.#seq = piece.seq;
    const updates = this.translator.take(piece);
    if (this.#shown.hides(piece.turn)) return undefined;
    const late = updates.findIndex((update) => !this.#front.piece?.(this, update));
    return late < 0 ? undefined : this.#giveAll(updates.slice(late));
  }

  async #giveAll(updates: readonly Update[]): Promise<void> {
    for (const update of updates) await this.give(update);
  }

  /** Gives an update to the client. A turn's end waits for what its sub-agents said, and settles its prompt. */
  async give(update: Update, own = this.#isOwn(update)): Promise<void> {
    if (update.type === "end" && update.end.turn !== undefined) await this.children.catchUp();
    await this.#front.update(this, this.#sized(update), own);
    if (update.type === "turn" && update.prompt !== undefined) this.prompts.began(update.prompt, update.turn);
    if (update.type !== "end" || update.end.prompt === undefined) return;
    this.prompts.settle(update.end.prompt, update.end);
    await afterResponses();
  }

  /** An agent may leave out how large its model's context is. */
  #sized(update: Update): Update {
    if (update.type !== "usage" || update.size !== undefined) return update;
    const model = this.info.models.find(({ id }) => id === currentModel(this.offer));
    return { ...update, ...present({ size: model?.context }) };
  }

  #isOwn(update: Update): boolean {
    if (update.type === "text" && update.role === "user") return this.prompts.isOwn(update.message);
    if (update.type === "waits") return this.prompts.has(update.prompt);
    return this.prompts.has(update.type === "end" ? update.end.prompt : this.openTurn?.prompt);
  }
}
