import { type Agent, type McpServer, MustReopen } from "../../agents/contract.ts";
import { isParleyError, messageOf, ParleyError } from "../../core/errors.ts";
import type { ParleyEvent } from "../../core/events/event.ts";
import type { Failure, PermissionRule, Prompt } from "../../core/events/values.ts";
import { cutTurns } from "../../core/history/copy.ts";
import type { Answer } from "../../core/ledger/signals.ts";
import type { Command } from "../../core/ledger/state.ts";
import { beginsTurn } from "../../core/session-state.ts";
import { within } from "../../core/within.ts";
import { CANCEL_ASK_MS } from "../options.ts";
import { readNewest } from "../read-events.ts";
import type { Prepare } from "../session/inbox.ts";
import type { ServedSession } from "../session/parts.ts";
import { AgentLink } from "./agent-link.ts";
import { choiceIn } from "./choice.ts";
import { Deliveries } from "./deliveries.ts";
import { TurnDriver } from "./turn-driver.ts";

/** How many events of the past an agent without a memory of its own is given. */
const HISTORY_EVENTS = 10_000;

/** How long the look at a project's settings may take before the agent waits for its first prompt. */
const LOOK_MS = 2_000;

interface ServingOptions extends ServedSession {
  /** For a sub-agent's session: the agent of the session it belongs to. */
  rootAgent: ServingAgent | undefined;
}

/** The agent that serves a session. A session whose agent is no longer configured has none. */
export class ServingAgent {
  readonly deliveries = new Deliveries();
  private readonly options: ServingOptions;
  private agent: Agent | undefined;
  private ownLink: AgentLink | undefined;
  private driver: TurnDriver | undefined;

  constructor(options: ServingOptions) {
    this.options = options;
  }

  /** The link that is the session's own; a sub-agent's session has none. */
  get own(): AgentLink | undefined {
    return this.ownLink;
  }

  /** The link to the agent that serves the session: its own, or the root session's. */
  get link(): AgentLink | undefined {
    return this.ownLink ?? this.options.rootAgent?.ownLink;
  }

  get running(): boolean {
    return this.ownLink?.running ?? false;
  }

  /** The agent runs, or is not gone yet. */
  get occupied(): boolean {
    return this.ownLink?.occupied ?? false;
  }

  get quietMs(): number | undefined {
    return this.agent?.quietMs;
  }

  /** This agent is started when one is needed next. */
  change(agent: Agent): void {
    this.agent = agent;
    const { session, directory, trust, ledger, inbox, kin, logger } = this.options;
    if (this.ownLink) return logger.quietly(this.ownLink.serveWith(agent), "an agent could not be ended");
    const history = (): Promise<ParleyEvent[]> => this.past();
    const hasPast = (): boolean => ledger.state.begun;
    const rules = (): readonly PermissionRule[] => ledger.state.facts.permissions ?? [];
    const trusted = (): boolean => trust.covering(directory) !== undefined;
    const mcpServers = (): Promise<readonly McpServer[]> => this.mcpServers();
    const hasServers = (): boolean => (ledger.state.facts.mcpServers ?? []).length > 0;
    const servers = { mcpServers, hasServers };
    const link = new AgentLink({
      agent,
      session,
      directory,
      trusted,
      ...servers,
      history,
      hasPast,
      rules,
      inbox,
      kin,
    });
    this.ownLink = link;
    this.driver = new TurnDriver({ ...this.options, link }, this.deliveries);
  }

  /** An update that puts the model, mode and options in force before it is stored. */
  choosing(command: Extract<Command, { type: "update" }>): Command | Prepare {
    const { model, mode, options } = command.facts;
    if (model === undefined && mode === undefined && options === undefined) return command;
    if (this.options.rootAgent)
      throw new ParleyError("invalid", "a sub-agent has the model, the mode and the options that its agent gives it");
    const link = this.ownLink;
    if (!link || command.agent !== undefined) return command;
    return async ({ facts }) => {
      await link.change({ model, mode, options }).catch((error: unknown) => {
        const isTold = error instanceof MustReopen || isParleyError(error);
        throw isTold ? error : new ParleyError("invalid", messageOf(error));
      });
      return { command, undo: () => link.change(choiceIn(facts)) };
    };
  }

  /** Begins the look at a project that is not trusted, for a prompt that the agent that runs is about to get. */
  lookAhead(): void {
    const { trust, directory } = this.options;
    if (this.ownLink?.readySession && trust.covering(directory) === undefined) this.ownLink.settings.begin();
  }

  /** Starts the agent with the session that it knows already. */
  async adopt(): Promise<void> {
    const { facts } = this.options.ledger.state;
    if (this.ownLink && facts.nativeId !== undefined) await this.ownLink.adopt(choiceIn(facts), facts.nativeId);
  }

  /**
   * Starts the agent, and resolves with true when it is ready; not where the next prompt may ask first whether the project is trusted. A turn that runs or waits
   * starts its agent itself. `begun` is called when it starts.
   */
  async start(begun?: () => void): Promise<boolean> {
    const { ledger, trust, directory } = this.options;
    const link = this.ownLink;
    if (!link) return false;
    if (this.hasWork) return link.whenReady();
    const isTrusted = trust.covering(directory) !== undefined;
    if (!isTrusted && (await within(link.settings.take(), LOOK_MS))?.value.length !== 0) return false;
    if (this.hasWork) return link.whenReady();
    const started = link.ensure(
      () => choiceIn(ledger.state.facts),
      () => ledger.state.facts.nativeId,
    );
    begun?.();
    await started;
    return true;
  }

  private get hasWork(): boolean {
    const { turn, queue } = this.options.ledger.state;
    return turn !== null || queue.some(beginsTurn);
  }

  /** Gives an answer to the agent, or to Parley's own question of trust. */
  async answer(ask: string, answer: Answer): Promise<void> {
    if (!this.driver?.takeAnswer(ask, answer)) await this.link?.session?.answer(ask, answer);
  }

  async deliver(prompt: Prompt, turn: string): Promise<void> {
    if (this.driver) return this.driver.deliver(prompt, turn);
    const { agent } = this.options.ledger.state;
    await this.fail(turn, { code: "agent_not_found", message: `no agent ${agent} is configured any more` });
  }

  /** A sub-agent cannot be ended without its agent: if asking does not help, its turn is given up. */
  async stop(turn: string): Promise<void> {
    if (this.driver) return this.driver.stop(turn);
    await this.link?.cancel();
    if (await within(this.options.waits.ended(turn), CANCEL_ASK_MS)) return;
    await this.fail(turn, { code: "agent_failed", message: "the sub-agent did not stop" });
  }

  /** Ends the agent or the command of a turn while the log takes no writes. Resolves with whether it is gone; a sub-agent is only asked to stop. */
  async stopNow(turn: string): Promise<boolean> {
    if (this.driver) return this.driver.stopNow(turn);
    await this.link?.cancel();
    return false;
  }

  /** Ends the shell command that Parley runs for the session. */
  async halt(): Promise<void> {
    await this.driver?.halt();
  }

  private async fail(turn: string, error: Failure): Promise<void> {
    await this.options.inbox.send({ type: "fail", turn, error }, { must: true });
  }

  /** Servers that are gone are missed: without them the agent would be another one than was asked for. */
  private async mcpServers(): Promise<readonly McpServer[]> {
    const { mcp, session, ledger, trust, directory } = this.options;
    const { mcpServers: shown = [] } = ledger.state.facts;
    if (shown.length === 0) return [];
    const kept = await mcp.read(session);
    if (kept) {
      const begun = kept.filter(({ ofProject }) => !ofProject || trust.covering(directory) !== undefined);
      return begun.map(({ ofProject: _, ...server }) => server);
    }
    const names = shown.map(({ name }) => name).join(", ");
    throw new ParleyError("unavailable", `the MCP servers of this session (${names}) are gone: make a new session`);
  }

  /** The newest events before the open turn. */
  private async past(): Promise<ParleyEvent[]> {
    const { log, session, ledger } = this.options;
    const turn = ledger.state.turn?.id;
    const events = await readNewest(log, session, HISTORY_EVENTS);
    const gone = cutTurns(events);
    return events.filter((event) => event.turn === undefined || (event.turn !== turn && !gone.has(event.turn)));
  }
}
