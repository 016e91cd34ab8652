import type {
  AgentInfo,
  GapEvent,
  ParleyClient,
  Receipt,
  SessionDetail,
  SessionHandle,
  StreamEvent,
} from "../../../client/index.ts";
import { messageOf } from "../../../core/errors.ts";
import type { PromptPart } from "../../../core/events/values.ts";
import { idSource } from "../../../core/ids.ts";
import { present } from "../../../core/json/fields.ts";
import type { Logger } from "../../../core/logger.ts";
import { reduceSession, type SessionState } from "../../../core/session-state.ts";
import { AskDesk } from "../asks/desk.ts";
import { currentModel, type Offer } from "../translate/config-options.ts";
import { Translator } from "../translate/translator.ts";
import type { TurnEnd, Update } from "../translate/updates.ts";
import { afterResponses } from "./after-responses.ts";
import { Children } from "./children.ts";
import type { Front } from "./front.ts";
import { endInGap, isGone, turnInGap } from "./gaps.ts";
import { OfferWatch } from "./offer-watch.ts";
import { Prompts, type SentPrompt } from "./prompts.ts";
import { stopTurn, takeBack } from "./take-back.ts";

const newId = idSource(Date.now);

export interface AttachedOptions {
  client: ParleyClient;
  detail: SessionDetail;
  info: AgentInfo;
  front: Front;
  logger: Logger;
  /** Those of the client that are under way. */
  prompts?: Prompts;
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
  readonly #stop = new AbortController();
  readonly #asks: AskDesk;
  readonly children: Children;
  readonly #offers: OfferWatch;
  /** Updates for after the response that opened the session. */
  readonly greetings: Update[] = [];
  #seq: number;
  #isLeaving = false;
  /** The turn that is over for the client, while its end cannot be stored. */
  #stopped: string | undefined;
  #loop: Promise<void> | undefined;

  constructor({ client, detail, info, front, logger, prompts = new Prompts() }: AttachedOptions) {
    this.prompts = prompts;
    this.#noteTurn(detail);
    this.id = detail.id;
    this.directory = detail.directory;
    this.info = info;
    this.state = detail;
    this.handle = client.session(detail.id);
    this.#front = front;
    this.#logger = logger;
    this.#seq = detail.last;
    this.translator = new Translator({ directory: detail.directory }, detail.usage.cost ?? 0);
    this.#asks = new AskDesk(this, front, logger);
    this.#asks.learn(detail.id, detail.asks);
    const give = (update: Update): Promise<void> => this.give(update);
    this.#offers = new OfferWatch({ client, session: this, give, logger });
    // Sub-agents end with the turn.
    const giveOfChild = async (update: Update): Promise<void> => (this.isStopped ? undefined : give(update));
    this.children = new Children({
      client,
      root: this,
      asks: this.#asks,
      give: giveOfChild,
      logger,
    });
  }

  get offer(): Offer {
    return { state: this.state, info: this.info };
  }

  get isOver(): boolean {
    return this.#stop.signal.aborted;
  }

  /** The turn that runs, as the client knows it. */
  get openTurn(): SessionState["turn"] {
    const { turn } = this.state;
    return turn?.id === this.#stopped ? null : turn;
  }

  /** The turn is over for the client, while its end cannot be stored. */
  get isStopped(): boolean {
    return this.#stopped !== undefined;
  }

  /** Begins to follow the session from where its state was read, or from an event after that. */
  follow(after = this.#seq): void {
    this.#seq = after;
    this.#loop ??= this.#run();
  }

  /** Tells what waits for the client: greetings, and the asks that were open before it came. */
  async greet(): Promise<void> {
    for (const update of this.greetings.splice(0)) await this.give(update);
    await this.#asks.showOpen();
  }

  /** Gives words to the running turn. They have no end of their own. */
  async steer(parts: PromptPart[]): Promise<Receipt> {
    const id = newId("message");
    this.prompts.steered(id);
    try {
      return await this.handle.prompt({ id, parts, delivery: "steer" });
    } catch (error) {
      this.prompts.isOwn(id);
      throw error;
    }
  }

  /** Does the last work for the client. A prompt that comes meanwhile is withdrawn before it is sent: nothing would stop it. */
  async leaving(work: () => Promise<void>): Promise<void> {
    this.#isLeaving = true;
    try {
      await work();
    } catch (error) {
      this.#isLeaving = false;
      throw error;
    }
  }

  /** Sends something that becomes a turn. */
  send(send: (id: string) => Promise<Receipt | undefined>): SentPrompt {
    const id = newId("message");
    if (this.#isLeaving) {
      const end = Promise.resolve<TurnEnd>({ prompt: id, reason: "withdrawn" });
      return { id, sent: Promise.resolve(), begun: end, end };
    }
    const ended = this.prompts.add(id);
    const begun = this.prompts.begun(id);
    const sent = send(id).then(
      (receipt) => {
        if (receipt?.turn !== undefined) this.prompts.began(id, receipt.turn);
      },
      (error: unknown) => {
        this.prompts.drop(id);
        throw error;
      },
    );
    this.prompts.sending(id, sent);
    const end = sent.then(() => ended);
    end.catch(() => {});
    // Where the response of the request is lost, an event may tell that the turn has begun.
    const settled = Promise.race([begun, end]);
    settled.catch(() => {});
    return { id, sent, begun: settled, end };
  }

  /** Stops what this client has begun; where it began nothing, what runs. Asks of a turn that goes on are shown again. */
  async cancel(): Promise<void> {
    this.#asks.dropAll();
    try {
      if (!(await this.cancelOwn())) await stopTurn(this);
    } finally {
      await this.#asks.showOpen();
    }
  }

  /** Stops what this client has begun: prompts that wait are taken back, then the turn is stopped. Returns whether there was anything. */
  async cancelOwn(): Promise<boolean> {
    await this.prompts.allSent();
    const own = this.prompts.all();
    await takeBack(this, own);
    return own.length > 0;
  }

  /** Takes back one prompt: before its turn, or by stopping that. */
  async cancelPrompt(id: string): Promise<void> {
    await this.prompts.allSent();
    if (this.prompts.has(id)) await takeBack(this, [id]);
  }

  /** Ends a turn for the client that was stopped while nothing can be stored. What is stored of it later is not told any more. */
  async endUnstored(turn: string): Promise<void> {
    if (this.openTurn?.id !== turn) return;
    this.#stopped = turn;
    this.#asks.dropAll();
    await this.#giveAll(this.translator.stop(turn, Date.now()));
  }

  /** Lets go of the session. Turns and asks of it go on for other clients. */
  detach(): void {
    void this.leave();
    this.prompts.settleAll((id) => ({ prompt: id, reason: "withdrawn" }));
  }

  /** Lets go of the session for another object that takes its prompts over. Resolves when nothing more is told. */
  async leave(): Promise<void> {
    this.#stop.abort();
    this.#asks.dropAll();
    this.children.close();
    await this.#loop;
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
      if (this.isOver) return;
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

  async #take(event: StreamEvent): Promise<void> {
    if (event.seq <= this.#seq) return;
    this.#seq = event.seq;
    if (event.type === "gap") return await this.#skip(event);
    this.state = reduceSession(this.state, event);
    const updates = this.translator.take(event);
    if (event.turn === undefined || event.turn !== this.#stopped) await this.#giveAll(updates);
    else if (event.type === "turn.ended") this.#stopped = undefined;
    this.children.notice(event, this.translator);
    this.#asks.take(event);
    this.#offers.take(event);
  }

  /** Notes whose turn runs: the event of its beginning is not read again. */
  #noteTurn({ turn }: SessionState): void {
    if (turn?.prompt !== undefined) this.prompts.began(turn.prompt, turn.id);
  }

  /** Goes on behind events that are no longer kept: what they ended is over for the client, too. */
  async #skip(gap: GapEvent): Promise<void> {
    const { snapshot } = gap.data;
    const before = this.openTurn;
    const now = snapshot.turn;
    this.state = snapshot;
    if (now?.id !== this.#stopped) this.#stopped = undefined;
    await this.#giveAll(this.translator.take(gap));
    this.#asks.note(gap);
    if (before && before.id !== now?.id) await this.give({ type: "end", end: turnInGap(snapshot, before) });
    if (now && before?.id !== now.id)
      await this.give({ type: "turn", turn: now.id, ...present({ prompt: now.prompt }) });
    this.prompts.settleAll((id) => endInGap(snapshot, id), false);
    this.#asks.take(gap);
  }

  /** A delta tells nothing but its update, which the client may get within the call that stored the delta. */
  #takePiece(piece: StreamEvent): Promise<void> | undefined {
    if (piece.type === "gap" || piece.seq <= this.#seq) return undefined;
    this.#seq = piece.seq;
    const updates = this.translator.take(piece);
    if (this.isStopped && piece.turn === this.#stopped) return undefined;
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
