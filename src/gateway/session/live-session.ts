import { type ChildRef, MustReopen } from "../../agents/contract.ts";
import { isParleyError, ParleyError } from "../../core/errors.ts";
import type { PermissionRule, Prompt } from "../../core/events/values.ts";
import type { Answer, Signal } from "../../core/ledger/signals.ts";
import type { Closing, Create, Facts, LedgerState } from "../../core/ledger/state.ts";
import { beginsTurn } from "../../core/session-state.ts";
import { isLasting } from "../../core/storage-refusal.ts";
import { ServingAgent } from "../agent/serving-agent.ts";
import { IdleWait } from "../idle/idle-wait.ts";
import { earlierReceipt, firstReceipt, type Receipt } from "../receipt.ts";
import { AskKeeper } from "./ask-keeper.ts";
import { closeSession } from "./close-session.ts";
import { Effects } from "./effects.ts";
import type { LiveOptions } from "./live-options.ts";
import { type CancelRequest, SessionStop } from "./session-stop.ts";
import { SessionStore } from "./session-store.ts";
import { SessionWriter } from "./session-writer.ts";
import { TurnTimers } from "./turn-timers.ts";
import { TurnWaits } from "./turn-waits.ts";

/** A session in memory: it takes commands, hears the agent and does what the ledger wants. */
export class LiveSession {
  readonly id: string;
  readonly parent: string | undefined;
  readonly root: string | undefined;
  private readonly options: LiveOptions;
  private readonly store: SessionStore;
  private readonly writer: SessionWriter;
  readonly agent: ServingAgent;
  private readonly asks: AskKeeper;
  private readonly stop: SessionStop;
  private readonly waits = new TurnWaits();
  private readonly timers: TurnTimers;
  private readonly effects: Effects;
  private readonly idleWait: IdleWait;

  constructor(options: LiveOptions) {
    const { id, parent, root, agent, gateway, ledger, create } = options;
    this.id = id;
    this.parent = parent;
    this.root = root;
    this.options = options;
    this.store = new SessionStore({ log: gateway.log, id, last: options.last, create });
    this.asks = new AskKeeper({
      session: id,
      root,
      attachments: options.attachments,
      policy: gateway.unattended,
      deadlineMs: gateway.askDeadlineMs,
      answer: (ask, answer, by) =>
        // Nobody is there to try again.
        this.quietly(
          this.writer.send({ type: "answer", ask, answer, by, own: true }, { must: true }),
          "an ask could not be answered",
        ),
    });
    this.writer = new SessionWriter({
      id,
      ledger,
      store: this.store,
      log: gateway.log,
      now: gateway.now,
      newId: gateway.id,
      quietMs: () => this.agent.quietMs,
      perform: (effects, said) => this.effects.perform(effects, said),
      concerns: (...told) => this.agent.deliveries.concerns(...told),
      heard: (...told) => this.agent.deliveries.heard(...told),
      waits: (...told) => this.agent.deliveries.waits(...told),
      hold: () => this.agent.link?.hold(),
      release: () => this.agent.link?.release(),
      onQuiet: () => this.rest(),
      onStuck: (error) => this.onStuck(error),
      onDead: (error) => this.onDead(error),
    });
    this.agent = new ServingAgent({
      session: id,
      directory: ledger.directory,
      lender: options.lender,
      log: gateway.log,
      host: gateway.processes,
      roots: gateway.roots,
      trust: gateway.trust,
      attachments: options.attachments,
      mcp: gateway.mcp,
      writer: this.writer,
      hear: (...told) => this.hear(...told),
      ended: (turn) => this.ended(turn),
    });
    this.stop = new SessionStop({
      writer: this.writer,
      agent: this.agent,
      ended: (turn) => this.ended(turn),
      quietly: (work, message) => this.quietly(work, message),
    });
    this.timers = new TurnTimers((timer) =>
      this.quietly(this.writer.send({ type: "timer", ...timer }, { must: true }), "a timer failed"),
    );
    this.effects = new Effects({
      agent: this.agent,
      asks: this.asks,
      timers: this.timers,
      live: options,
      onEnded: (turn) => this.onEnded(turn),
      quietly: (work, message) => this.quietly(work, message),
    });
    this.idleWait = new IdleWait({
      agents: options.idleAgents,
      waitMs: gateway.idleCloseMs,
      letGo: () => this.letGo(),
    });
    if (agent) this.agent.change(agent);
  }

  get ledger(): LedgerState {
    return this.writer.ledger;
  }

  get turn(): string | undefined {
    return this.writer.ledger.turn?.id;
  }

  /** Whether it is being deleted. */
  get leavingForGood(): boolean {
    return this.writer.ledger.closing === "deleted";
  }

  get permissions(): readonly PermissionRule[] | undefined {
    return this.writer.ledger.facts.permissions;
  }

  get agentRunning(): boolean {
    return this.agent.running;
  }

  holdsAsk(id: string): boolean {
    return [...(this.writer.ledger.turn?.asks.values() ?? [])].some((ask) => ask.id === id);
  }

  /** What the agent says, in order. */
  hear(signal: Signal, native: string | undefined, child: ChildRef | undefined, generation: number): void {
    if (child) return this.options.toChild(signal, native, child);
    if (signal.type === "exited") this.options.onExit(signal);
    this.writer.take(signal, native, generation);
  }

  async prompt(prompt: Prompt, agent?: string): Promise<Receipt> {
    const ready = this.agent.own?.readySession;
    // An agent that is still starting cannot be spoken to: its next words are a prompt of their own.
    const steer = prompt.delivery === "steer" && ready !== undefined;
    if (steer && this.turn && !ready.steer) {
      throw new ParleyError(
        "steer_unsupported",
        `agent ${this.writer.ledger.agent} takes no words during a turn; use delivery queue`,
      );
    }
    this.idleWait.stop();
    const known = (): Promise<Receipt | undefined> => earlierReceipt(this.options.gateway.log, this.id, prompt);
    const served = agent === undefined ? {} : { agent };
    const command = steer ? ({ type: "steer", prompt } as const) : ({ type: "prompt", prompt, ...served } as const);
    const stored = await this.orRest(this.writer.send(command, { known }));
    return stored.known ?? firstReceipt(stored);
  }

  /** Stores the first events of a new session. */
  async begin(command: Create): Promise<void> {
    await this.writer.send(command);
    if (command.fork) await this.store.tidy(0);
  }

  /** As `begin`, for a session that begins by an agent's word: that cannot be asked for again. */
  beginPatiently(command: Create): void {
    this.quietly(this.writer.send(command, { must: true }), "a session could not be begun");
  }

  /** Closes the turn that a dead writer of the session left open. */
  async recover(): Promise<void> {
    await this.writer.send({ type: "crashed" });
  }

  /** Forgets all that is stored of it. */
  erase(): Promise<void> {
    return this.store.remove();
  }

  /** Starts the agent for a session that the agent knows already, and waits until all that it told of the past is stored. */
  async adopt(): Promise<void> {
    await this.agent.adopt();
    await this.writer.whenIdle();
    this.rest();
  }

  async withdraw(prompt: string): Promise<void> {
    await this.writer.send({ type: "withdraw", prompt });
  }

  /** A model or mode is put in force before it is said: what is shown is what the agent has. */
  async update(facts: Facts, agent?: string): Promise<void> {
    const command = { type: "update", facts, ...(agent === undefined ? {} : { agent }) } as const;
    try {
      await this.writer.send(this.agent.choosing(command));
    } catch (error) {
      if (!(error instanceof MustReopen)) throw error;
      if (this.turn) throw new ParleyError("busy", `${error.message}: stop the turn first`);
      await this.close("closed");
      await this.writer.send(command);
    }
  }

  /** Changes what is kept with the session after work that needs it idle; nothing begins meanwhile. */
  async whileIdle(work: () => Promise<{ facts: Facts; undo(): Promise<void> }>): Promise<void> {
    await this.writer.send(async ({ turn, queue, closing }) => {
      if (turn || queue.some(beginsTurn)) throw new ParleyError("busy", "the session is busy; stop it first");
      if (closing && closing !== "closed") throw new ParleyError("shutting_down", "the session is being closed");
      const { facts, undo } = await work();
      return { command: { type: "update", facts }, undo };
    });
  }

  async answer(ask: string, answer: Answer, by: string): Promise<void> {
    await this.writer.send({ type: "answer", ask, answer, by });
  }

  /** Prompts that waited through a restart go on. */
  async next(): Promise<void> {
    await this.writer.send({ type: "next" });
  }

  /** Stops the turn and answers when it is over. What runs is stopped even while nothing can be stored. */
  cancel(request: CancelRequest): Promise<string | undefined> {
    return this.stop.cancel(request);
  }

  /** Resolves when a turn is over, at once when it is already. */
  ended(turn: string): Promise<void> {
    return this.turn === turn ? this.waits.wait(turn) : Promise.resolve();
  }

  /** Ends the agent, and with it any open turn. */
  async close(reason: Closing): Promise<void> {
    this.idleWait.stop();
    const { writer, agent } = this;
    await this.orRest(closeSession(reason, { writer, agent, warn: (...told) => this.warn(...told) }));
  }

  /** Resolves when all that was said is stored, however long that takes. */
  whenStored(): Promise<void> {
    return this.writer.whenIdle();
  }

  /** Nothing that is said now will be kept. */
  abandon(error: ParleyError): void {
    this.stop.abandon(error);
  }

  /** It is forgotten: nothing may hold on to it. */
  dispose(): void {
    this.idleWait.stop();
    this.timers.clear();
    this.asks.close();
  }

  private onEnded(turn: string): void {
    this.waits.over(turn);
    // A prompt that waits is known by its event, which must not be pruned.
    const keep = this.writer.ledger.queue.length === 0 ? this.options.gateway.retainEvents : 0;
    this.quietly(this.store.tidy(keep), "old events could not be folded");
  }

  /** Room may come soon, so the agent is held for it; for files that are gone nobody should pay it to speak. */
  private onStuck(error: ParleyError): void {
    // The server tells of files that are gone once, for all sessions.
    if (error.code !== "storage_lost") this.warn(error, "the log takes no writes; the agent is held until it does");
    if (isLasting(error)) this.abandon(error);
  }

  /** Whatever the agent says from now on cannot be kept, so it must not go on. */
  private onDead(error: unknown): void {
    if (isParleyError(error) && error.code === "shutting_down") return;
    this.options.gateway.logger.error({ session: this.id, err: error }, "the session's log takes no more events");
    this.agent.own?.seal();
    this.quietly(this.agent.own?.kill(0), "an agent could not be ended");
  }

  /** A turn is open, or something is still to be stored that may open one. */
  get working(): boolean {
    return this.turn !== undefined || this.writer.busy;
  }

  /** Nothing is open, nothing waits, no agent runs. */
  get resting(): boolean {
    return this.idle && !this.agentRunning && !this.writer.busy;
  }

  private get idle(): boolean {
    const { turn, queue } = this.writer.ledger;
    return !turn && !queue.some(beginsTurn) && !this.options.childrenBusy();
  }

  /** Looks whether the agent has work left; without any it is let go after a while. */
  rest(): void {
    this.idleWait.stop();
    if (!this.idle || this.writer.ledger.closing) return;
    if (!this.agentRunning) return this.options.onRest();
    // Work in the background ends with the process: it is not ended for the sake of memory.
    this.idleWait.start({ counts: this.writer.ledger.background.size === 0 });
  }

  /** Lets the agent go, unless there is work for it again. */
  private letGo(): void {
    if (!this.idle || this.writer.busy) return;
    this.quietly(this.close("closed"), "an idle agent could not be closed");
  }

  /** A command that is refused before it gets into the mailbox leaves the agent as idle as it was. */
  private async orRest<T>(command: Promise<T>): Promise<T> {
    try {
      return await command;
    } catch (error) {
      if (!this.writer.busy) this.rest();
      throw error;
    }
  }

  /** For work that nobody waits for: its failure is logged, not thrown away. */
  private quietly(work: Promise<unknown> | undefined, message: string): void {
    work?.catch((error: unknown) => this.warn(error, message));
  }

  private warn(error: unknown, message: string): void {
    this.options.gateway.logger.warn({ session: this.id, turn: this.turn, err: error }, message);
  }
}
