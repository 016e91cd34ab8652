import { realpath } from "node:fs/promises";
import type { AgentChoice, Discovery, NativeSession } from "../agents/contract.ts";
import { isParleyError, ParleyError } from "../core/errors.ts";
import { answerKey, askKey } from "../core/events/keys.ts";
import type { Prompt } from "../core/events/values.ts";
import { isId } from "../core/ids.ts";
import { present } from "../core/json/fields.ts";
import type { Answer } from "../core/ledger/signals.ts";
import type { Receipt } from "../core/receipt.ts";
import type { SessionState } from "../core/session-state.ts";
import type { UsageAnswer, UsageQuery } from "../core/spending/report.ts";
import type { Roots } from "../host/files/roots.ts";
import type { Log, SessionHead, SessionQuery } from "../log/contract.ts";
import type { Attachments } from "./attachments.ts";
import { assertChoice, assertPromptable, existingDirectory } from "./checks.ts";
import { Discoveries, type Look } from "./discoveries.ts";
import { type Door, enter, enterDirectory, enterKeeper, onlyHere } from "./door.ts";
import type { ImportRequest } from "./import-session.ts";
import { assertServers } from "./mcp-servers.ts";
import { NewSessions } from "./new-sessions.ts";
import type { GatewayOptions } from "./options.ts";
import { pendingAsks } from "./pending-asks.ts";
import { assertFilesInside } from "./prompt-files.ts";
import { digestOf } from "./receipt.ts";
import type { NewSessionRequest, PendingAsk, PromptRequest, SessionChange } from "./requests.ts";
import type { LiveSession } from "./session/live-session.ts";
import { LiveSessions } from "./session/live-sessions.ts";
import { Removal } from "./session/removal.ts";
import { SessionWork } from "./session-work.ts";
import { Tenure } from "./tenure.ts";
import { ProjectTrust } from "./trust/project-trust.ts";
import { usageOf } from "./usage.ts";

/** Takes the commands of surfaces, checks them and gives them to sessions. It decides nothing that the ledger can decide. */
export class Gateway {
  private readonly options: GatewayOptions;
  private readonly sessions: LiveSessions;
  private readonly removal: Removal;
  private readonly discoveries: Discoveries;
  private readonly made: NewSessions;
  /** Shell turns, compactions, slash commands, reverts and forks. */
  readonly work: SessionWork;
  /** The user's trust in directories. */
  readonly trust: ProjectTrust;
  /** The sessions that this process holds, and those that other processes left. */
  readonly tenure: Tenure;
  private leaving = false;

  constructor(options: GatewayOptions) {
    this.options = options;
    this.sessions = new LiveSessions(options);
    this.removal = new Removal(options, this.sessions);
    this.tenure = new Tenure(options, this.sessions, () => this.assertOpen());
    this.trust = new ProjectTrust(options);
    this.discoveries = new Discoveries(options);
    const { sessions, removal, discoveries } = this;
    this.made = new NewSessions({ ...options, sessions, removal, discoveries });
    this.work = new SessionWork({
      ...options,
      agent: (name) => this.sessions.agent(name),
      agents: () => this.agents(),
      own: (id) => this.own(id),
      discover: (name, directory) => this.discover(name, directory),
      create: async (command, servers) => this.get(await this.made.begin(command, servers)),
      prompt: (id, prompt) => this.prompt(id, prompt),
      startAgent: (id) =>
        this.sessions.use(id, (session) => {
          this.assertOpen();
          return session.start();
        }),
      whileIdle: (id, work) => this.sessions.use(id, (session) => session.whileIdle(work)),
      commitRevert: (id) => this.sessions.use(id, (session) => session.commitRevert()),
    });
  }

  /** The log, for readers. Only the gateway writes to it. */
  get log(): Log {
    return this.options.log;
  }

  /** The clients that watch. */
  get attachments(): Attachments {
    return this.sessions.attachments;
  }

  /** Refuses work in a directory that only other nodes have, with the address of one of them. Without one: work in any of this node's place. */
  async enterDirectory(directory: string | undefined): Promise<void> {
    await enterDirectory(this.door, directory);
  }

  /** Refuses a request about what another node keeps for the place of a directory, for a named place, or for this node's own. */
  async enterKeeper(directory: string | undefined, place?: string): Promise<void> {
    await enterKeeper(this.door, directory, place);
  }

  /** The real path of a directory, on a node that has it; `unnamed` says that it is this process's own. */
  directory(given: string, unnamed: boolean): Promise<string> {
    return existingDirectory(given, this.options, { unnamed });
  }

  /** As `directory`, on the node that keeps what its place has once. */
  async keptDirectory(given: string, unnamed: boolean, place?: string): Promise<string> {
    await this.enterKeeper(unnamed ? undefined : given, place);
    return existingDirectory(given, { roots: this.options.roots });
  }

  /** Refuses a command of a session that another node owns, before anything is done for it. */
  async enterSession(id: string): Promise<void> {
    if (isId("session", id)) await enter(this.door, id);
  }

  /** The place of this node, where there are several. */
  get place(): string | undefined {
    return this.door.place;
  }

  private get door(): Door {
    return this.options.door ?? onlyHere;
  }

  /** Where sessions may work. */
  get roots(): Roots {
    return this.options.roots;
  }

  get defaultAgent(): string {
    return this.options.defaultAgent;
  }

  async create(request: NewSessionRequest): Promise<SessionState> {
    this.assertOpen();
    return this.get(await this.made.create(request));
  }

  /** Stores a session that was exported, with those of its sub-agents. Returns its id here. */
  async importSession(request: ImportRequest): Promise<string> {
    this.assertOpen();
    const { importSession } = await import("./import-session.ts");
    const directory = request.directory && (await existingDirectory(request.directory, this.options));
    return importSession({ ...this.options, sessions: this.sessions }, { ...request, ...present({ directory }) });
  }

  async get(id: string): Promise<SessionState> {
    return (await this.head(id)).state;
  }

  /** As `get`, for a command: every command of a session begins with it, so that only the session's owner takes one. */
  private async own(id: string): Promise<SessionState> {
    const { state } = await this.head(id);
    await enter(this.door, id);
    return state;
  }

  async head(id: string): Promise<SessionHead> {
    const head = isId("session", id) ? await this.log.head(id) : undefined;
    if (!head) throw new ParleyError("session_not_found", `no session ${id}; GET /v1/sessions lists them`);
    return head;
  }

  async list(query: SessionQuery): Promise<SessionState[]> {
    const { directory } = query;
    if (directory === undefined) return this.log.list(query);
    return this.log.list({ ...query, directory: await realpath(directory).catch(() => directory) });
  }

  async update(id: string, { agent, ...facts }: SessionChange): Promise<SessionState> {
    const state = await this.own(id);
    const { model, mode, options } = facts;
    // A session outlives its agent's configuration: facts that do not concern the agent can still be changed.
    if ([agent, model, mode, options].some((one) => one !== undefined)) await this.assertChoice(state, facts, agent);
    await this.sessions.use(id, (session) => session.update(facts, agent));
    return this.get(id);
  }

  /** Ends the agent and deletes the session. Its last event says that it was deleted. */
  async remove(id: string): Promise<void> {
    const { root } = await this.own(id);
    if (root !== undefined) {
      throw new ParleyError("busy", `a sub-agent's session is deleted with the one it belongs to, ${root}`);
    }
    await this.removal.remove(id);
  }

  /** The log's files are gone: stops all agents, because their words could not be stored. */
  storageLost(error: ParleyError): void {
    for (const session of this.sessions.all()) session.abandon(error);
  }

  async prompt(id: string, request: PromptRequest): Promise<Receipt> {
    this.assertOpen();
    const { agent, extras, ...asked } = request;
    const state = await this.own(id);
    assertPromptable(state, request.id);
    this.options.roots.assert(state.directory);
    await this.assertChoice(state, asked, agent);
    await assertFilesInside(asked.parts, state.directory);
    const digest = asked.digest ?? digestOf(request);
    return this.sessions.use(id, (session) => {
      // The shutdown may have begun while the session was loaded.
      this.assertOpen();
      const prompt: Prompt = { ...extras, ...asked, id: request.id ?? session.newPromptId(), digest };
      return session.prompt(prompt, agent);
    });
  }

  async withdraw(id: string, prompt: string): Promise<void> {
    await this.own(id);
    await this.sessions.use(id, (session) => session.withdraw(prompt));
  }

  /**
   * Cancels the open turn, and resolves with its id when it has ended. Where no turn is open, sub-agents may still work in the background: their
   * turns are cancelled, and it resolves with the first of them. Undefined when nobody works.
   */
  async cancel(id: string, request: { queue: "clear" | "keep"; turn?: string }): Promise<string | undefined> {
    await this.own(id);
    const turn = await this.sessions.use(id, (session) => session.cancel(request));
    if (turn !== undefined || request.turn !== undefined) return turn;
    const working = this.sessions.family(id).filter((session) => session.id !== id && session.turn !== undefined);
    const turns = await Promise.all(working.map((session) => session.cancel({ queue: "clear" })));
    return turns.find((one) => one !== undefined);
  }

  /** Resolves when a turn of a session is over. */
  async ended(id: string, turn: string): Promise<void> {
    await this.sessions.find(id)?.ended(turn);
  }

  /** Open asks of a session and its sub-agents, or of all sessions, oldest first. */
  async asks(id?: string): Promise<PendingAsk[]> {
    if (id !== undefined) await this.head(id);
    return pendingAsks(this.log, id);
  }

  /** The first answer wins; a later one is refused with it. */
  async answer(id: string, ask: string, answer: Answer, by: string): Promise<void> {
    await this.own(id);
    const holder = this.sessions.family(id).find((session) => session.holdsAsk(ask));
    try {
      if (holder) return await holder.answer(ask, answer, by);
    } catch (error) {
      if (!isParleyError(error) || error.code !== "ask_not_found") throw error;
    }
    const owner = await this.log.locate(askKey(ask));
    const won = owner && (await this.log.find(owner, answerKey(ask)));
    if (won) throw new ParleyError("already_answered", `ask ${ask} is resolved already`, { resolution: won.data });
    throw new ParleyError(
      "ask_not_found",
      `no ask ${ask} in session ${id}; GET /v1/sessions/${id}/asks lists the open ones`,
    );
  }

  /** The spending of turns, added up. */
  async usage(query: UsageQuery): Promise<UsageAnswer> {
    const { priceTable } = this.options;
    if (priceTable) return usageOf(this.log, priceTable, query);
    const { publicPrices } = await import("../core/spending/public-prices.ts");
    return usageOf(this.log, publicPrices(), query);
  }

  agents(): readonly string[] {
    return [...this.options.agents.keys()];
  }

  /** Whether the facts of an agent differ by directory. */
  readonly discoversProjects = (name: string): boolean => this.sessions.agent(name).discoversProjects ?? false;

  /** The facts of an agent here, in general or for the projects of a directory. */
  async discover(name: string, directory?: string, look?: Look): Promise<Discovery> {
    const agent = this.sessions.agent(name);
    const { roots } = this.options;
    const existing = directory === undefined ? undefined : await existingDirectory(directory, { roots });
    return this.discoveries.of(agent, existing, look);
  }

  /** The sessions that an agent keeps for a directory, also those that Parley did not make. */
  async nativeSessions(name: string, given: string): Promise<NativeSession[]> {
    const agent = this.sessions.agent(name);
    return this.discoveries.sessions(agent, await existingDirectory(given, this.options));
  }

  /** Takes no more work, lets every agent go, and closes their turns as interrupted. */
  async shutdown(): Promise<void> {
    this.leaving = true;
    this.sessions.leave();
    // Sessions of sub-agents are closed after the session they belong to.
    const order = (session: LiveSession): number => (session.root === undefined ? 0 : 1);
    for (const wave of [0, 1]) {
      const busy = this.sessions.all().filter((session) => order(session) === wave && !session.resting);
      const results = await Promise.allSettled(busy.map((session) => session.close("shutdown")));
      for (const result of results) {
        if (result.status === "rejected") this.options.logger.error({ err: result.reason }, "a session did not close");
      }
    }
  }

  /** A sub-agent is served by its parent's agent, and may have a name that no agent of Parley has. */
  private async assertChoice(state: SessionState, choice: AgentChoice, agent = state.agent): Promise<void> {
    const { agent: own, parent, directory, mcpServers = [] } = state;
    if (parent === undefined) {
      const serving = agent === own ? this.sessions.agent(agent) : this.sessions.beginning(agent);
      const discover = (): Promise<Discovery> => this.discoveries.of(serving, directory);
      if (agent !== own) await assertServers(serving, mcpServers, discover);
      return assertChoice(serving, choice, discover, agent === own ? state : undefined);
    }
    if (agent !== own) throw new ParleyError("invalid", "a sub-agent's session is served by the agent it belongs to");
  }

  private assertOpen(): void {
    if (this.leaving) throw new ParleyError("shutting_down", "Parley is shutting down; try again when it is back");
  }
}
