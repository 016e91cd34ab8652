import { MustReopen } from "../../agents/contract.ts";
import { neverBack } from "../../core/clock.ts";
import { ParleyError } from "../../core/errors.ts";
import type { Prompt } from "../../core/events/values.ts";
import { idSource, type MakeId } from "../../core/ids.ts";
import { present } from "../../core/json/fields.ts";
import type { Answer } from "../../core/ledger/signals.ts";
import type { Closing, Create, LedgerState } from "../../core/ledger/state.ts";
import type { Receipt } from "../../core/receipt.ts";
import { beginsTurn, type Facts, type Grant } from "../../core/session-state.ts";
import type { Log } from "../../log/contract.ts";
import { choiceIn } from "../agent/choice.ts";
import { ServingAgent } from "../agent/serving-agent.ts";
import type { GatewayOptions } from "../options.ts";
import { earlierReceipt, firstReceipt } from "../receipt.ts";
import { Act } from "./act.ts";
import { Actor } from "./actor.ts";
import { AskKeeper } from "./ask-keeper.ts";
import { closeSession } from "./close-session.ts";
import { Inbox } from "./inbox.ts";
import type { LiveOptions } from "./live-options.ts";
import { Rest } from "./rest.ts";
import { SessionLogger } from "./session-logger.ts";
import { type CancelRequest, SessionStop } from "./session-stop.ts";
import { SessionStore } from "./session-store.ts";
import { TurnTimers } from "./turn-timers.ts";
import { TurnWaits } from "./turn-waits.ts";

/** The parts of a session in the order of their making: each knows only those before it. */
function partsOf({ id, root, gateway, attachments, kin, rootAgent, idleAgents, metrics, ...options }: LiveOptions) {
  const { log, roots, trust, mcp, processes: host, agents, retainEvents } = gateway;
  const { unattended: policy, askDeadlineMs: deadlineMs, idleCloseMs: waitMs } = gateway;
  const inbox = new Inbox(log);
  const ledger = { state: options.ledger };
  const waits = new TurnWaits(ledger);
  const logger = new SessionLogger(gateway.logger, id, ledger);
  const base = { inbox, ledger, waits, logger, kin };
  const asks = new AskKeeper({ session: id, root, attachments, policy, deadlineMs, inbox, logger });
  const timers = new TurnTimers(inbox, logger);
  const { directory } = options.ledger;
  const world = { session: id, directory, log, roots, trust, mcp, attachments, host };
  const agent = new ServingAgent({ rootAgent, ...world, ...base });
  const stop = new SessionStop({ ...base, agent });
  const rest = new Rest({ ...base, agent, idleAgents, waitMs });
  const store = new SessionStore({ log, session: options.stored });
  const act = new Act({ ...base, agents, retainEvents, store, agent, asks, timers, stop, rest, metrics });
  const clock = clockOf(gateway, options.notBefore);
  const actor = new Actor({ inbox, ledger, agent, store, act, ...clock });
  return { ...base, asks, timers, agent, stop, rest, store, actor, clock };
}

/**
 * The times and ids of a session's events. Where other nodes may have stored the ones before, with other clocks, both go on
 * behind those: an id has the time of the step that makes it, and so of its event, whose time tells the next node where ids stand.
 */
function clockOf(gateway: GatewayOptions, notBefore: number | undefined): { now: () => number; newId: MakeId } {
  if (!gateway.taken) return { now: gateway.now, newId: gateway.id };
  const from = notBefore === undefined ? 0 : notBefore + 1;
  const clock = neverBack(gateway.now, () => performance.now(), from);
  let time = clock();
  const now = (): number => {
    time = clock();
    return time;
  };
  return { now, newId: idSource(() => time, from) };
}

/** A session in memory: puts commands into its inbox, and holds the parts through which they go. */
export class LiveSession {
  readonly id: string;
  readonly parent: string | undefined;
  readonly root: string | undefined;
  readonly inbox: Inbox;
  readonly agent: ServingAgent;
  private readonly log: Log;
  private readonly parts: ReturnType<typeof partsOf>;

  constructor(options: LiveOptions) {
    this.id = options.id;
    this.parent = options.parent;
    this.root = options.root;
    this.log = options.gateway.log;
    this.parts = partsOf(options);
    this.inbox = this.parts.inbox;
    this.agent = this.parts.agent;
    if (options.agent) this.agent.change(options.agent);
  }

  /** Runs the actor. Rejects when this object can store nothing more. */
  run(): Promise<never> {
    return this.parts.actor.run();
  }

  /** This object can store nothing more. */
  get dead(): boolean {
    return this.inbox.isClosed;
  }

  get ledger(): LedgerState {
    return this.parts.ledger.state;
  }

  get turn(): string | undefined {
    return this.ledger.turn?.id;
  }

  /** Whether it is being deleted. */
  get leavingForGood(): boolean {
    return this.ledger.closing === "deleted";
  }

  get agentRunning(): boolean {
    return this.agent.running;
  }

  holdsAsk(id: string): boolean {
    return [...(this.ledger.turn?.asks.values() ?? [])].some((ask) => ask.id === id);
  }

  /** Stores the first events of a new session. */
  async begin(command: Create): Promise<void> {
    const { store, logger } = this.parts;
    await this.inbox.send(command);
    // The copy is stored: a fold that fails leaves more of it than is needed.
    if (command.fork) await store.tidy(0).catch((error) => logger.warn(error, "a fork could not be folded"));
  }

  /** As `begin`, for a sub-agent's session: its creation must be stored, because the agent does not repeat it. */
  beginPatiently(command: Create): void {
    this.parts.logger.quietly(this.inbox.send(command, { must: true }), "a session could not be begun");
  }

  /** Grants of the session that it works for hold for it, too. */
  grant(grants: readonly Grant[]): void {
    this.parts.logger.quietly(this.inbox.send({ type: "grant", grants }, { must: true }), "a grant could not be given");
  }

  /** Closes the turn that was open when the session's last writer died. */
  async recover(): Promise<void> {
    await this.inbox.send({ type: "crashed" });
  }

  /** The id of a prompt that was given none. */
  newPromptId(): string {
    const { now, newId } = this.parts.clock;
    now();
    return newId("message");
  }

  async prompt(prompt: Prompt, agent?: string): Promise<Receipt> {
    const ready = this.agent.own?.readySession;
    // An agent that is still starting cannot be steered: the prompt is queued.
    const steer = prompt.delivery === "steer" && ready !== undefined;
    if (steer && this.turn && !ready.steer) {
      throw new ParleyError(
        "steer_unsupported",
        `agent ${this.ledger.agent} takes no words during a turn; use delivery queue`,
      );
    }
    // The question of trust is for clients that answer; a prompt that waits is looked at when its turn comes.
    if (prompt.attended && !this.turn) this.agent.lookAhead();
    this.parts.rest.stop();
    const known = (): Promise<Receipt | undefined> => earlierReceipt(this.log, this.id, prompt);
    const command = steer ? ({ type: "steer", prompt } as const) : present({ type: "prompt", prompt, agent });
    const stored = await this.parts.rest.orRest(this.inbox.send(command, { known }));
    return stored.known ?? firstReceipt(stored);
  }

  /** Starts the agent for a session that the agent knows already, and waits until the past that it tells is stored. */
  async adopt(): Promise<void> {
    await this.parts.rest.orRest(this.agent.adopt());
    await this.inbox.whenIdle();
    this.inbox.wake();
  }

  /** Starts the agent ahead of a prompt. Resolves with whether it is ready. */
  async start(begun?: () => void): Promise<boolean> {
    const ready = await this.parts.rest.orRest(this.agent.start(begun));
    // The session's facts that it told with its start are stored first, unless nothing can be: the caller reads them next.
    if (ready && !this.turn) await this.inbox.unlessRefused(this.inbox.whenIdle()).catch(() => {});
    this.inbox.wake();
    return ready;
  }

  async withdraw(prompt: string): Promise<void> {
    await this.parts.stop.withdraw(prompt);
  }

  /** Changes facts of the session. A model or mode is put in force before it is stored, so the mode shown is the mode in force. */
  async update(facts: Facts, agent?: string): Promise<void> {
    const command = present({ type: "update", facts, agent });
    try {
      await this.inbox.send(this.agent.choosing(command));
      if (Object.keys(choiceIn(facts)).length > 0) await this.settled();
    } catch (error) {
      if (!(error instanceof MustReopen)) throw error;
      if (this.turn) throw new ParleyError("busy", `${error.message}: stop the turn first`);
      await this.close("closed");
      await this.inbox.send(command);
    }
  }

  /** Resolves when the changes that the agent made together with a choice are stored: they came behind it. The choice is stored in any case. */
  private async settled(): Promise<void> {
    await this.inbox.send({ type: "update", facts: {} }).catch(() => {});
  }

  /** Changes facts of the session after work that needs it idle; nothing begins meanwhile. */
  async whileIdle(work: () => Promise<{ facts: Facts; undo(): Promise<void> }>): Promise<void> {
    await this.inbox.send(async ({ turn, queue, closing }) => {
      if (turn || queue.some(beginsTurn)) throw new ParleyError("busy", "the session is busy; stop it first");
      if (closing && closing !== "closed") throw new ParleyError("shutting_down", "the session is being closed");
      const { facts, undo } = await work();
      return { command: { type: "update", facts }, undo };
    });
  }

  /** Makes a revert final without waiting for the next prompt. */
  async commitRevert(): Promise<void> {
    await this.inbox.send({ type: "commit" });
  }

  async answer(ask: string, answer: Answer, by: string): Promise<void> {
    await this.inbox.send({ type: "answer", ask, answer, by });
  }

  /** Prompts that waited through a restart go on. */
  async next(): Promise<void> {
    await this.inbox.send({ type: "next" });
  }

  /** Stops the turn and answers when it is over. The agent is stopped even while nothing can be stored. */
  cancel(request: CancelRequest): Promise<string | undefined> {
    return this.parts.stop.cancel(request);
  }

  /** Resolves when a turn is over, at once when it is already. */
  ended(turn: string): Promise<void> {
    return this.parts.waits.ended(turn);
  }

  /** Ends the agent, and with it any open turn. */
  async close(reason: Closing): Promise<void> {
    this.parts.rest.stop();
    await this.parts.rest.orRest(closeSession(reason, this.parts));
  }

  /** Resolves when all that was said is stored, however long that takes. */
  whenStored(): Promise<void> {
    return this.inbox.whenIdle();
  }

  /** Deletes the stored events of the session. */
  erase(): Promise<void> {
    return this.parts.store.remove();
  }

  /** The log's files are gone: stops the agent, because its words could not be stored. */
  abandon(error: ParleyError): void {
    this.parts.stop.abandon(error);
  }

  /** The right to the session is lost: nothing more is stored from here, and the agent is ended at once. */
  fence(error: ParleyError): void {
    this.inbox.fence(error);
    this.agent.own?.seal();
    this.parts.logger.quietly(this.agent.own?.kill(0), "an agent could not be ended");
  }

  /** The session leaves memory: its timers end, and its hold is released. */
  dispose(): void {
    this.parts.rest.stop();
    this.parts.timers.clear();
    this.parts.asks.close();
    this.parts.logger.quietly(this.parts.store.release(), "a session could not be given back");
  }

  /** A turn is open, or something is still to be stored that may open one. */
  get working(): boolean {
    return this.turn !== undefined || this.inbox.busy;
  }

  /** Nothing is open, nothing waits, no agent runs. */
  get resting(): boolean {
    return this.parts.rest.idle && !this.agent.occupied && !this.inbox.busy;
  }
}
