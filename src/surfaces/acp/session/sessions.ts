import type { AgentInfo, ParleyClient, SessionDetail } from "../../../client/index.ts";
import { ParleyApiError } from "../../../client/index.ts";
import { isFields, textIn } from "../../../core/json/fields.ts";
import type { Logger } from "../../../core/logger.ts";
import { authRequired, invalidParams } from "../errors.ts";
import { assertId } from "../requests.ts";
import type { AcpOptions } from "../surface.ts";
import type { Update } from "../translate/updates.ts";
import { AttachedSession } from "./attached.ts";
import type { Front } from "./front.ts";
import { endInGap } from "./gaps.ts";
import { prime } from "./history.ts";
import { assertPlace, mcpServers, type NewRequest } from "./new-request.ts";

type Prepare = (session: AttachedSession, detail: SessionDetail) => Promise<void>;

/** The sessions that one client has open. */
export class Sessions {
  readonly options: AcpOptions;
  readonly #front: Front;
  readonly #open = new Map<string, Promise<AttachedSession>>();
  readonly #logger: Logger;
  #client: Promise<ParleyClient> | undefined;
  #isClosed = false;

  constructor(options: AcpOptions, front: Front) {
    this.options = options;
    this.#front = front;
    this.#logger = options.logger;
  }

  /** The server's client; a server that could not be had is asked for again. */
  client(): Promise<ParleyClient> {
    this.#client ??= this.options.client().catch((error: unknown) => {
      this.#client = undefined;
      throw error;
    });
    return this.#client;
  }

  async create(request: NewRequest): Promise<AttachedSession> {
    assertPlace(request);
    const client = await this.client();
    const meta = isFields(request._meta?.parley) ? request._meta.parley : {};
    const servers = mcpServers(request.mcpServers ?? []);
    const named = textIn(meta, "agent") ?? this.options.agent;
    if (named !== undefined) assertId(named);
    // Which servers an agent takes must be known before the session begins.
    const agent = named ?? (servers.length === 0 ? undefined : await defaultAgent(client));
    const known = agent === undefined || servers.length === 0 ? undefined : await client.agent(agent, request.cwd);
    if (known) assertUsable(known);
    const taken = servers.filter(({ type }) => known?.capabilities.mcp.includes(type));
    // The agent starts while it is asked for its models: the first prompt finds it ready.
    const detail = await client.sessions.create({
      directory: request.cwd,
      start: true,
      ...(agent === undefined ? {} : { agent }),
      ...(taken.length === 0 ? {} : { mcpServers: taken }),
    });
    const leftOut = servers.filter((server) => !taken.includes(server)).map(({ name }) => name);
    return await this.#keep(detail.id, async () => {
      try {
        const looked = known ?? (await infoOf(client, detail));
        assertUsable(looked);
        const session = this.#begin(client, ...(await started(client, detail, looked)));
        if (leftOut.length > 0) session.greetings.push(leftOutNotice(looked.name, leftOut));
        return session;
      } catch (error) {
        await client.sessions.delete(detail.id);
        throw error;
      }
    });
  }

  /** An open session; one that this client has not opened is opened now. */
  async get(id: string): Promise<AttachedSession> {
    const open = await this.#open.get(id);
    if (open && !open.isOver) return open;
    return await this.attach(id);
  }

  /** Opens a session anew; `prepare` runs before its events are followed. */
  async attach(id: string, prepare: Prepare = prime): Promise<AttachedSession> {
    const before = this.#open.get(id);
    return await this.#keep(id, async () => {
      const left = await before?.catch(() => undefined);
      // Events after the state that is read next are told by one of the two alone.
      await left?.leave();
      const sent = left?.prompts.sent() ?? [];
      try {
        const client = await this.client();
        const detail = await client.sessions.get(id);
        const info = await infoOf(client, detail);
        const session = this.#begin(client, detail, info, { left, follows: false });
        await prepare(session, detail);
        session.prompts.settleAll((prompt) => (sent.includes(prompt) ? endInGap(detail, prompt) : undefined), false);
        session.follow();
        return session;
      } catch (error) {
        left?.prompts.fail(error);
        throw error;
      }
    });
  }

  opened(id: string): Promise<AttachedSession> | undefined {
    return this.#open.get(id);
  }

  async fork(id: string): Promise<AttachedSession> {
    const client = await this.client();
    const detail = await client.session(id).fork();
    return await this.#keep(detail.id, async () => this.#begin(client, detail, await infoOf(client, detail)));
  }

  async detach(id: string): Promise<void> {
    const open = this.#open.get(id);
    this.#open.delete(id);
    (await open?.catch(() => undefined))?.detach();
  }

  /** The client is gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#open.keys()].map((id) => this.detach(id)));
  }

  async #keep(id: string, open: () => Promise<AttachedSession>): Promise<AttachedSession> {
    const opening = open();
    this.#open.set(id, opening);
    opening.catch(() => {
      if (this.#open.get(id) === opening) this.#open.delete(id);
    });
    return await opening;
  }

  #begin(
    client: ParleyClient,
    detail: SessionDetail,
    info: AgentInfo,
    { left, follows = true }: { left?: AttachedSession | undefined; follows?: boolean } = {},
  ): AttachedSession {
    if (this.#isClosed) throw new Error("the client is gone");
    const facts = { client, detail, info, front: this.#front, logger: this.#logger };
    const session = new AttachedSession({
      ...facts,
      ...(left && { prompts: left.prompts, stopped: left.stoppedTurn }),
    });
    if (follows) session.follow();
    return session;
  }
}

async function defaultAgent(client: ParleyClient): Promise<string | undefined> {
  return (await client.agents()).find((one) => one.default)?.name;
}

function leftOutNotice(agent: string, names: readonly string[]): Update {
  const title = `Agent ${agent} was started without MCP servers: ${names.join(", ")}`;
  return {
    type: "notice",
    level: "warning",
    title,
    description: "It does not take servers of this kind from a client.",
  };
}

/** Throws what to do where an agent cannot begin a session. */
function assertUsable({ name, installed, credentials, login, detail }: AgentInfo): void {
  if (!installed) throw invalidParams(`agent ${name} is not installed: ${detail ?? `run parley install ${name}`}`);
  if (credentials !== "missing") return;
  const how = login ?? detail ?? "parley credentials shows where it looks";
  throw authRequired(`${name} has no credentials: ${how}`, name);
}

/** A session with its agent. Where a look at the agent did not tell whether it works, only its start does; it may tell more, too. */
async function started(
  client: ParleyClient,
  detail: SessionDetail,
  looked: AgentInfo,
): Promise<[SessionDetail, AgentInfo]> {
  if (looked.credentials !== "unknown") return [detail, looked];
  await client.session(detail.id).start();
  const now = await client.sessions.get(detail.id);
  return [now, await client.agent(now.agent, now.directory, { kept: true })];
}

const NOTHING: AgentInfo["capabilities"] = { fork: false, rewind: false, compact: false, sessions: false, mcp: [] };

/** The facts of a session's agent. A session whose agent is gone can still be read. */
async function infoOf(client: ParleyClient, { agent, directory }: SessionDetail): Promise<AgentInfo> {
  try {
    return await client.agent(agent, directory);
  } catch (error) {
    if (!(error instanceof ParleyApiError)) throw error;
    const facts = { name: agent, default: false, installed: false, credentials: "unknown" as const };
    return { ...facts, models: [], modes: [], capabilities: NOTHING };
  }
}
