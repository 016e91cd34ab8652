import type { ChildRef } from "../agents/contract.ts";
import { ParleyError } from "../core/errors.ts";
import { messageKey, promptKey } from "../core/event-keys.ts";
import type { Draft } from "../core/events/event.ts";
import type { PermissionRule, Prompt } from "../core/events/values.ts";
import type { Answer, Signal } from "../core/ledger/signals.ts";
import type { Closing, Effect, Facts } from "../core/ledger/state.ts";
import { beginsTurn } from "../core/session-state.ts";
import { within } from "../core/within.ts";
import { AskKeeper } from "./ask-keeper.ts";
import type { LiveOptions } from "./live-options.ts";
import { firstReceipt, type Receipt, repeatedReceipt } from "./receipt.ts";
import { ServingAgent } from "./serving-agent.ts";
import { PARLEY, SessionWriter } from "./session-writer.ts";
import { tidyLog } from "./tidy-log.ts";
import { TurnWaits } from "./turn-waits.ts";

/** How long an agent that is let go waits for the log to hear of it first. */
const CLOSING_MS = 1_000;

/** A session in memory: it takes commands, hears the agent and does what the ledger wants. */
export class LiveSession {
  readonly id: string;
  readonly root: string | undefined;
  private readonly options: LiveOptions;
  private readonly writer: SessionWriter;
  readonly agent: ServingAgent;
  private readonly asks: AskKeeper;
  private readonly waits = new TurnWaits();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private idleTimer: NodeJS.Timeout | undefined;

  constructor(options: LiveOptions) {
    const { id, root, agent, gateway, ledger, create } = options;
    this.id = id;
    this.root = root;
    this.options = options;
    this.asks = new AskKeeper({
      session: id,
      root,
      attachments: options.attachments,
      policy: gateway.unattended,
      deadlineMs: gateway.askDeadlineMs,
      answer: (ask, answer, by) =>
        this.quietly(this.writer.send({ type: "answer", ask, answer, by, own: true }), "an ask could not be answered"),
    });
    this.writer = new SessionWriter({
      id,
      ledger,
      last: options.last,
      ...(create ? { create: { entry: { draft: create.draft }, session: create.session } } : {}),
      log: gateway.log,
      now: gateway.now,
      newId: gateway.id,
      quietMs: () => this.agent.quietMs,
      perform: (effects, said) => this.perform(effects, said),
      concerns: (...told) => this.agent.deliveries.concerns(...told),
      waits: (...told) => this.agent.deliveries.waits(...told),
      hold: () => this.agent.link?.hold(),
      release: () => this.agent.link?.release(),
      onQuiet: () => this.rest(),
      onStuck: (error) => this.warn(error, "the log takes no writes; the agent is held until it does"),
      onDead: (error) => this.onDead(error),
    });
    this.agent = new ServingAgent({
      session: id,
      directory: ledger.directory,
      lender: options.lender,
      log: gateway.log,
      host: gateway.processes,
      trust: gateway.trust,
      attachments: options.attachments,
      writer: this.writer,
      hear: (...told) => this.hear(...told),
      ended: (turn) => this.ended(turn),
    });
    if (agent) this.agent.change(agent);
  }

  get turn(): string | undefined {
    return this.writer.ledger.turn?.id;
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
    if (this.root !== undefined)
      throw new ParleyError("busy", "a sub-agent's session takes no prompts; send them to the session it belongs to");
    const ready = this.agent.own?.readySession;
    // An agent that is still starting cannot be spoken to: its next words are a prompt of their own.
    const steer = prompt.delivery === "steer" && ready !== undefined;
    if (steer && this.turn && !ready.steer) {
      throw new ParleyError(
        "steer_unsupported",
        `agent ${this.writer.ledger.agent} takes no words during a turn; use delivery queue`,
      );
    }
    clearTimeout(this.idleTimer);
    const known = async (): Promise<Receipt | undefined> => {
      const { log } = this.options.gateway;
      const keys = [promptKey(prompt.id), messageKey(prompt.id)] as const;
      const event = (await log.find(this.id, keys[0])) ?? (await log.find(this.id, keys[1]));
      return event && repeatedReceipt(event, prompt);
    };
    const served = agent === undefined ? {} : { agent };
    const stored = await this.writer.send(steer ? { type: "steer", prompt } : { type: "prompt", prompt, ...served }, {
      known,
    });
    return stored.known ?? firstReceipt(stored);
  }

  async withdraw(prompt: string): Promise<void> {
    await this.writer.send({ type: "withdraw", prompt });
  }

  async update(facts: Facts, agent?: string): Promise<void> {
    await this.writer.send({ type: "update", facts, ...(agent === undefined ? {} : { agent }) });
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

  /** Stops the turn and answers when it is over. The agent is asked to stop even while nothing can be stored. */
  async cancel(request: { queue: "clear" | "keep"; turn?: string }): Promise<string | undefined> {
    const { said } = await this.writer.send({ type: "cancel", ...request }).catch(async (error: unknown) => {
      await Promise.all([this.agent.own?.cancel(), this.agent.halt()]);
      throw error;
    });
    // What was open before may have ended by itself, or only begun, when the command's turn came.
    const { turn: open } = this.writer.ledger;
    const turn = said.find((draft) => draft.type === "turn.ended")?.turn ?? (open?.cancelled ? open.id : undefined);
    if (turn) await this.ended(turn);
    return turn;
  }

  /** Resolves when a turn is over, at once when it is already. */
  ended(turn: string): Promise<void> {
    return this.turn === turn ? this.waits.wait(turn) : Promise.resolve();
  }

  /** Ends the agent, and with it any open turn. The agent goes even while nothing can be stored. */
  async close(reason: Closing): Promise<void> {
    clearTimeout(this.idleTimer);
    if (reason !== "closed") this.agent.own?.seal();
    // A deletion is refused while the log takes no writes; otherwise its place in the mailbox is enough.
    const told = this.writer.send({ type: "closing", reason }, { must: reason !== "deleted" });
    if (reason === "deleted") await told;
    else await within(told, CLOSING_MS);
    if (this.turn) await this.agent.own?.cancel();
    if (reason !== "closed") await this.agent.halt();
    await this.agent.own?.close();
    // What has no process to exit is told all the same: a turn that was just starting, a session without an agent.
    if (reason !== "closed")
      this.writer.take({ type: "exited", code: null, signal: null, stderr: [] }, undefined, PARLEY);
    await this.writer.whenIdle();
  }

  /** It is forgotten: nothing may hold on to it. */
  dispose(): void {
    clearTimeout(this.idleTimer);
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.asks.close();
  }

  private perform(effects: readonly Effect[], said: readonly Draft[]): void {
    const settled = new Set<string>();
    for (const draft of said) {
      this.options.metrics.saw(draft);
      if (draft.type === "history.cut") this.agent.own?.renew();
      if (draft.type === "session.updated" && draft.data.agent !== undefined) {
        const agent = this.options.gateway.agents.get(draft.data.agent);
        if (agent) this.agent.change(agent);
      }
      if (draft.type === "permission.resolved" || draft.type === "question.resolved") settled.add(draft.data.ask);
      if (draft.type === "turn.ended" && draft.data.reason !== "end_turn")
        this.options.onCutShort(draft.data.reason === "cancelled" ? "cancelled" : "interrupted");
    }
    for (const ask of settled) this.asks.resolved(ask);
    for (const effect of effects) {
      if (effect.type !== "asked" || !settled.has(effect.ask)) this.performOne(effect);
    }
  }

  private performOne(effect: Effect): void {
    switch (effect.type) {
      case "deliver":
        return this.quietly(this.agent.deliver(effect.prompt, effect.turn), "a prompt could not be delivered");
      case "steer":
        return this.quietly(this.agent.own?.readySession?.steer?.(effect.prompt), "a prompt could not be steered");
      case "cancel":
        return this.quietly(this.agent.stop(effect.turn), "a turn could not be stopped");
      case "answer":
        return this.quietly(this.agent.answer(effect.ask, effect.answer), "an answer could not be given");
      case "asked":
        return this.asks.asked(effect.ask, effect.kind);
      case "timer":
        return this.arm(effect);
      case "ended":
        return this.onEnded(effect.turn);
    }
  }

  private arm({ name, turn, ms }: Extract<Effect, { type: "timer" }>): void {
    clearTimeout(this.timers.get(name));
    const fire = (): void =>
      this.quietly(this.writer.send({ type: "timer", name, turn }, { must: true }), "a timer failed");
    this.timers.set(name, setTimeout(fire, ms));
  }

  private onEnded(turn: string): void {
    this.waits.over(turn);
    const { log, retainEvents } = this.options.gateway;
    const { last, ledger } = this.writer;
    // A prompt that waits is known by its event, so what holds one is not pruned.
    const keep = ledger.queue.length === 0 ? retainEvents : 0;
    this.quietly(tidyLog(log, this.id, last, keep), "old events could not be folded");
  }

  /** Whatever the agent says from now on cannot be kept, so it must not go on. */
  private onDead(error: unknown): void {
    this.options.gateway.logger.error({ session: this.id, err: error }, "the session's log takes no more events");
    this.agent.own?.seal();
    this.quietly(this.agent.own?.kill(0), "an agent could not be ended");
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
    clearTimeout(this.idleTimer);
    if (!this.idle || this.writer.ledger.closing) return;
    if (!this.agentRunning) return this.options.onRest();
    const leave = (): void => this.quietly(this.close("closed"), "an idle agent could not be closed");
    this.idleTimer = setTimeout(leave, this.options.gateway.idleCloseMs).unref();
  }

  /** For work that nobody waits for: its failure is logged, not thrown away. */
  private quietly(work: Promise<unknown> | undefined, message: string): void {
    work?.catch((error: unknown) => this.warn(error, message));
  }

  private warn(error: unknown, message: string): void {
    this.options.gateway.logger.warn({ session: this.id, turn: this.turn, err: error }, message);
  }
}
