import {
  type Agent,
  type AgentCapabilities,
  type AgentSession,
  type ChildRef,
  type McpServer,
  MustReopen,
  ResumeLost,
} from "../../agents/contract.ts";
import type { Signal } from "../../core/ledger/signals.ts";
import { isRuled } from "../../core/permissions/is-ruled.ts";
import { within } from "../../core/within.ts";
import type { Inbox } from "../session/inbox.ts";
import { type Choice, noteSaid } from "./choice.ts";
import type { LinkOptions } from "./link-options.ts";
import { putInForce } from "./put-in-force.ts";
import { SettingsLook } from "./settings-look.ts";

/** How long an agent may take to accept a cancel. An agent that does not read its input never does. */
const HEAR_MS = 3_000;

/** A choice with the MCP servers of the session, for a start of the agent. */
type Wanted = Choice & { servers: readonly McpServer[] };

interface Start {
  agent: AgentSession;
  generation: number;
  ready: Promise<void>;
  isReady: boolean;
  /** As it was opened, as it was told since, or as it says itself. Absent: not known. */
  readonly inForce: Choice;
  readonly trusted: boolean;
  readonly ruled: boolean;
}

export interface Opened {
  agent: AgentSession;
  generation: number;
  /** The agent no longer knows the session that it was to resume. */
  lost: boolean;
}

/** The agent behind a session: started when it is first needed, one at a time, started anew after it has gone. */
export class AgentLink {
  private readonly options: LinkOptions;
  private agent: Agent;
  private current: Start | null = null;
  private generation = 0;
  /** Starts up to this one are of agents that serve the session no more. */
  private leftUpTo = 0;
  private leaving: Promise<void> | null = null;
  private look: SettingsLook;
  private sealed = false;
  private stale = false;
  /** The inbox of its last signal. */
  private spokenTo: Inbox | undefined;
  /** The inboxes that hold the agent, because too much waits in them. It goes on when there is none. */
  private readonly crowded = new Set<Inbox>();

  constructor(options: LinkOptions) {
    this.options = options;
    this.agent = options.agent;
    this.look = new SettingsLook(options.agent, options.directory);
  }

  /** Another agent is started when one is needed next. The one that was started ahead is let go: it has no part in the session. */
  async serveWith(agent: Agent): Promise<void> {
    this.agent = agent;
    this.leftUpTo = this.generation;
    this.look = new SettingsLook(agent, this.options.directory);
    const { current } = this;
    this.current = null;
    if (current) await this.untilGone(current.isReady ? current.agent.close() : current.agent.kill(0));
  }

  /** Whether what this start says is not the session's any more. The first start is 1: what is not of a start is never left. */
  isLeft(generation: number): boolean {
    return generation > 0 && generation <= this.leftUpTo;
  }

  /** How the agent is told to shorten the conversation. */
  get compacts(): AgentCapabilities["compact"] {
    return this.agent.capabilities?.compact;
  }

  get takesInstructions(): boolean {
    return this.agent.takesInstructions ?? false;
  }

  /** An agent is there, or one that leaves is not gone yet. */
  get occupied(): boolean {
    return this.running || this.leaving !== null;
  }

  get running(): boolean {
    return this.current !== null;
  }

  /** The agent that runs was started without the project's settings. */
  get untrusted(): boolean {
    return this.current?.trusted === false;
  }

  /** The settings that the agent leaves out where the directory is not trusted. */
  get settings(): SettingsLook {
    return this.look;
  }

  /** Whether this start of the agent is the one that runs. */
  runs(generation: number): boolean {
    return this.current?.generation === generation;
  }

  /** The agent, once it can take prompts. */
  get readySession(): AgentSession | undefined {
    return this.current?.isReady ? this.current.agent : undefined;
  }

  get session(): AgentSession | undefined {
    return this.current?.agent;
  }

  /** A running agent with this model and mode, as they are when it is ready. Where another one is chosen while it starts, that is started. */
  async ensure(choice: () => Choice, resume: () => string | undefined): Promise<Opened> {
    const { agent } = this;
    try {
      return await this.ensureOf(choice, resume);
    } catch (error) {
      if (agent === this.agent) throw error;
      return this.ensure(choice, resume);
    }
  }

  private async ensureOf(choice: () => Choice, resume: () => string | undefined): Promise<Opened> {
    // Read first: from the look at the running agent to the start of another nothing is waited for.
    const servers = this.options.hasServers() ? await this.options.mcpServers() : [];
    while (this.leaving) await this.leaving;
    if (this.stale || (this.current && this.isOtherwise(this.current))) {
      this.stale = false;
      await this.close();
    }
    const running = this.current;
    if (running) {
      await running.ready;
      if (!this.runs(running.generation) || this.leaving) return this.ensure(choice, resume);
      const isChosen = await this.choseOrLeft(running, choice());
      if (!isChosen || this.isLeft(running.generation)) return this.ensure(choice, resume);
      return { agent: running.agent, generation: running.generation, lost: false };
    }
    const { opened, lost } = await this.openOrForget({ ...choice(), servers }, resume());
    // Another choice may have been made while it started.
    const isChosen = await this.choseOrLeft(opened, choice());
    if (isChosen && !this.isLeft(opened.generation))
      return { agent: opened.agent, generation: opened.generation, lost };
    return { ...(await this.ensure(choice, resume)), lost };
  }

  /** An agent is started with the project's settings or without them, and may be started with rules or without; it keeps to that until it is started anew. */
  private isOtherwise({ trusted, ruled }: Start): boolean {
    if (trusted !== this.options.trusted()) return true;
    return ruled !== (this.agent.ruledAtStart?.(this.options.rules()) ?? false);
  }

  /** An agent for a session of its own that Parley did not make. Rejects when the agent does not know it. */
  async adopt(choice: Choice, resume: string): Promise<void> {
    const servers = await this.options.mcpServers();
    await this.open({ ...choice, servers }, resume);
  }

  private async openOrForget(choice: Wanted, resume: string | undefined): Promise<{ opened: Start; lost: boolean }> {
    try {
      return { opened: await this.open(choice, resume), lost: false };
    } catch (error) {
      if (!(error instanceof ResumeLost)) throw error;
      return { opened: await this.open(choice, undefined), lost: true };
    }
  }

  /** Puts a choice in force. False when the agent was closed, because only a new start can have the choice. */
  private async choseOrLeft(running: Start, choice: Choice): Promise<boolean> {
    try {
      await this.choose(running, choice);
      return true;
    } catch (error) {
      if (!(error instanceof MustReopen)) throw error;
      await this.close();
      return false;
    }
  }

  private choose(running: Start, choice: Choice): Promise<void> {
    return putInForce(running, choice, (before) => {
      if (!this.isLeft(running.generation)) this.options.inbox.signal({ type: "session", ...before });
    });
  }

  /** Puts a choice in force at once, if an agent is there to take it; one that starts gets it when it is ready. */
  async change(choice: Choice): Promise<void> {
    const { current } = this;
    if (current?.isReady && !this.leaving) await this.choose(current, choice);
  }

  private assertOpen(): void {
    if (this.sealed) throw new Error("the session is closed: no agent is started for it any more");
  }

  private async open({ servers, ...choice }: Wanted, resume: string | undefined): Promise<Start> {
    this.assertOpen();
    const { session, directory, history, hasPast, rules } = this.options;
    const [trusted, hasRules] = [this.options.trusted(), () => isRuled(rules())];
    const generation = ++this.generation;
    let discarded = false;
    const inForce: Choice = { ...choice };
    const agent = this.agent.open({
      session,
      directory,
      trusted,
      ...choice,
      ...(servers.length === 0 ? {} : { mcpServers: servers }),
      ...(resume === undefined ? {} : { resume, tellPast: !hasPast() }),
      history,
      hasRules,
      rules,
      emit: (signal, native, child) => {
        if (!child) noteSaid(inForce, signal);
        if (signal.type === "exited" && this.current?.generation === generation) this.current = null;
        if (!discarded && !this.isLeft(generation)) this.say(signal, native, child, generation);
      },
    });
    const opened: Start = {
      agent,
      generation,
      ready: agent.ready(),
      isReady: false,
      inForce,
      trusted,
      ruled: this.agent.ruledAtStart?.(rules()) ?? false,
    };
    this.current = opened;
    if (this.crowded.size > 0) agent.pause();
    try {
      await opened.ready;
      this.assertOpen();
      if (this.isLeft(generation)) throw new Error("another agent serves the session by now");
      opened.isReady = true;
      return opened;
    } catch (error) {
      // An agent that never became ready has served no turn: its failure is told by the error, not by its exit.
      discarded = true;
      if (this.current === opened) this.current = null;
      await agent.kill(0);
      throw error;
    }
  }

  /** Asks the agent to stop its turn. An agent that is not ready yet is killed: it has done nothing. */
  async cancel(): Promise<void> {
    const { current } = this;
    if (!current) return;
    if (current.isReady) await within(current.agent.cancel(), HEAR_MS);
    else await current.agent.kill(0);
  }

  /** Ends the agent without asking. A prompt that comes meanwhile gets a new one. */
  async kill(graceMs: number): Promise<void> {
    await this.untilGone(this.current?.agent.kill(graceMs));
  }

  /** Lets the agent go. A prompt that comes meanwhile gets a new one. */
  async close(): Promise<void> {
    await this.untilGone(this.current?.agent.close());
  }

  /** Resolves when an agent is gone, and those that leave already. Only its own failure is told. */
  private async untilGone(going: Promise<void> | undefined): Promise<void> {
    if (!going) return void (await this.leaving);
    const leaving = Promise.allSettled([this.leaving, going]).then(() => {
      if (this.leaving !== leaving) return;
      this.leaving = null;
      // A session without an agent may rest.
      this.options.inbox.wake();
    });
    this.leaving = leaving;
    await leaving;
    await going;
  }

  /** The agent that runs, once it can take prompts. Rejects where it cannot. */
  async whenReady(): Promise<boolean> {
    await this.current?.ready;
    return this.readySession !== undefined;
  }

  /** The memory of the agent is out of date: the next prompt goes to one that is opened anew, unless it corrects its memory itself. */
  renew(): void {
    this.stale = this.current !== null && this.agent.capabilities?.rewind !== "native";
  }

  /** No agent is started from now on. */
  seal(): void {
    this.sealed = true;
  }

  /** Backpressure: the agent is held while an inbox, of the session or of a sub-agent's, takes no more. */
  hold(inbox: Inbox): void {
    this.crowded.add(inbox);
    if (this.crowded.size === 1) this.current?.agent.pause();
  }

  release(inbox: Inbox): void {
    if (this.crowded.delete(inbox) && this.crowded.size === 0) this.current?.agent.resume();
  }

  private say(signal: Signal, native: string | undefined, child: ChildRef | undefined, generation: number): void {
    const { inbox, kin } = this.options;
    // Sub-agents die with the agent.
    if (signal.type === "exited" && !child) kin.tell(signal);
    const to = child ? kin.inboxOf(child) : inbox;
    // What the agent said to another session before is stored before it.
    const isNext = this.spokenTo === undefined || this.spokenTo === to || !this.spokenTo.busy;
    this.spokenTo = to;
    to.signal(signal, native, child ? 0 : generation, isNext);
    if (to.crowded) this.hold(to);
  }
}
