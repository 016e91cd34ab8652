import type { AgentInfo, McpServer, ParleyClient, SessionDetail } from "../../../client/index.ts";
import { ParleyApiError } from "../../../client/index.ts";
import { isFields, textIn } from "../../../core/json/fields.ts";
import type { Logger } from "../../../core/logger.ts";
import { within } from "../../../core/within.ts";
import { authRequired, invalidParams } from "../errors.ts";
import { assertId } from "../requests.ts";
import type { AcpOptions } from "../surface.ts";
import type { Update } from "../translate/updates.ts";
import { AttachedSession } from "./attached.ts";
import { type Beginning, Beginnings } from "./beginnings.ts";
import type { Front } from "./front.ts";
import { endInGap, isGone } from "./gaps.ts";
import { prime } from "./history.ts";
import { insist } from "./insist.ts";
import { assertPlace, mcpServers, type NewRequest } from "./new-request.ts";
import { takeBackWaiting } from "./take-back.ts";

/** How long it may take to take back what waits. */
const LEAVE_MS = 2_000;

/** How long the end of a turn may be on its way from a server that is gone, and how long it may take to tell one. */
const END_MS = 500;

/** The protocol has no word for progress before there is a session. Editors keep what is logged. */
const SLOW_MS = 10_000;

const NOT_BEGUN = "the client is gone, or Parley ends: the session was not begun";

type Prepare = (session: AttachedSession, detail: SessionDetail) => Promise<void>;

/** The sessions that one client has open. */
export class Sessions {
  readonly options: AcpOptions;
  readonly #front: Front;
  readonly #open = new Map<string, Promise<AttachedSession>>();
  readonly #logger: Logger;
  #client: Promise<ParleyClient> | undefined;
  readonly #beginnings = new Beginnings((id) => this.#remove(id));
  #isLeaving = false;

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

  /** Begins a session. One that the client takes back, or that cannot begin, is deleted. */
  async create(request: NewRequest, signal?: AbortSignal): Promise<AttachedSession> {
    const { slowMs = SLOW_MS } = this.options;
    const words = `session/new waits: its agent has not started after ${slowMs / 1_000} s`;
    const slow = setTimeout(() => this.#logger.warn({ directory: request.cwd }, words), slowMs);
    try {
      return await this.#beginnings.begin(signal, (beginning) => this.#create(request, beginning));
    } finally {
      clearTimeout(slow);
    }
  }

  async #create(request: NewRequest, beginning: Beginning): Promise<AttachedSession> {
    assertPlace(request);
    const client = await this.client();
    const meta = isFields(request._meta?.parley) ? request._meta.parley : {};
    const servers = mcpServers(request.mcpServers ?? []);
    const wanted = textIn(meta, "agent") ?? this.options.agent;
    if (wanted !== undefined) assertId(wanted);
    // Which servers an agent takes must be known before the session begins.
    const agent = wanted ?? (servers.length === 0 ? undefined : await defaultAgent(client));
    const known = agent === undefined || servers.length === 0 ? undefined : await client.agent(agent, request.cwd);
    if (known) assertUsable(known);
    const taken = servers.filter((server) => takes(known, server));
    // The agent starts while it is asked for its models: the first prompt finds it ready.
    const detail = await client.sessions.create({
      directory: request.cwd,
      start: true,
      ...(agent === undefined ? {} : { agent }),
      ...(taken.length === 0 ? {} : { mcpServers: taken }),
    });
    beginning.named(detail.id);
    return await this.#keep(detail.id, async () => {
      const starting = started(client, detail, beginning.signal);
      // Where the agent cannot be used at all, that is told, and not how its start fails.
      starting.catch(() => {});
      const looked = known ?? (await infoOf(client, detail));
      assertUsable(looked);
      const now = await starting;
      const info = await infoAfter(client, now, looked);
      beginning.assertWanted();
      const session = this.#begin(client, now, info);
      // With its start the program may have told that it takes fewer kinds.
      const leftOut = servers.filter((server) => !taken.includes(server) || !takes(session.info, server));
      if (leftOut.length > 0) session.greetings.push(leftOutNotice(looked.name, leftOut));
      return session;
    });
  }

  /** Deletes a session that could not begin: why it could not is told, not why it is left. */
  async #remove(id: string): Promise<void> {
    const client = await this.client();
    await insist(() => client.sessions.delete(id)).catch((error: unknown) => {
      if (!isGone(error)) this.#logger.warn({ err: error, session: id }, "a session that did not begin is left");
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
        await session.endAwaited();
        session.prompts.settleAll((prompt) => (sent.includes(prompt) ? endInGap(detail, prompt) : undefined), false);
        session.follow();
        left?.handOver(session);
        return session;
      } catch (error) {
        // Nobody else takes them back where the client goes meanwhile.
        if (left && this.#isLeaving && this.options.endsWithClient?.()) {
          left.sender.close();
          await takeBackWaiting(left);
        }
        left?.handOver(undefined);
        left?.prompts.fail(error);
        throw error;
      }
    });
  }

  opened(id: string): Promise<AttachedSession> | undefined {
    return this.#open.get(id);
  }

  /** Begins a copy of a session. One that the client takes back is deleted. */
  async fork(id: string, signal?: AbortSignal): Promise<AttachedSession> {
    return await this.#beginnings.begin(signal, async (beginning) => {
      const client = await this.client();
      const detail = await client.session(id).fork();
      beginning.named(detail.id);
      return await this.#keep(detail.id, async () => this.#begin(client, detail, await infoOf(client, detail)));
    });
  }

  async detach(id: string): Promise<void> {
    const open = this.#open.get(id);
    this.#open.delete(id);
    (await open?.catch(() => undefined))?.detach();
  }

  /** Resolves when every prompt of the client has its end. */
  async rest(): Promise<void> {
    await Promise.allSettled([...this.#open.values()].map(async (opening) => (await opening).prompts.ends()));
  }

  /** The client goes: sessions that begin are taken back. Where the server goes with it, so are prompts that have not begun. */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    const ends = this.options.endsWithClient?.() ? [...this.#open.values()] : [];
    const prompts = ends.map(async (opening) => {
      const session = await opening;
      session.sender.close();
      await takeBackWaiting(session);
    });
    const begun = this.#beginnings.takeBackAll(new Error(NOT_BEGUN));
    await within(Promise.allSettled([...prompts, begun]), LEAVE_MS);
  }

  /** The server is gone, and the client is still there: turns that were open are over. */
  async end(): Promise<void> {
    const ends = [...this.#open.values()].map(async (opening) => (await opening).endLost(END_MS));
    await within(Promise.allSettled(ends), 2 * END_MS);
  }

  /** The client is gone. */
  async close(): Promise<void> {
    await this.leave();
    // A session that is still being opened is let go of when it comes.
    for (const id of [...this.#open.keys()]) void this.detach(id);
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
    if (this.#isLeaving) throw new Error("the client is gone");
    const isLeft = (): boolean => this.#isLeaving;
    const facts = { client, detail, info, front: this.#front, logger: this.#logger, isLeft };
    const session = new AttachedSession({ ...facts, left });
    if (follows) session.follow();
    return session;
  }
}

async function defaultAgent(client: ParleyClient): Promise<string | undefined> {
  return (await client.agents()).find((one) => one.default)?.name;
}

function takes(info: AgentInfo | undefined, { type }: McpServer): boolean {
  return info?.capabilities.mcp.includes(type) ?? false;
}

function leftOutNotice(agent: string, leftOut: readonly McpServer[]): Update {
  const names = leftOut.map(({ name }) => name).join(", ");
  const title = `Agent ${agent} was started without MCP servers: ${names}`;
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

/** A session whose agent is ready. A look at an agent does not tell whether it starts. */
async function started(client: ParleyClient, { id }: SessionDetail, signal: AbortSignal): Promise<SessionDetail> {
  await insist(() => client.session(id).start({ signal })).catch((error: unknown) => {
    // A server of an older version starts the agent, and does not say when it is ready.
    if (!(error instanceof ParleyApiError && error.code === "not_found")) throw error;
  });
  return await client.sessions.get(id);
}

/** The facts of an agent, with what it told while it started. */
async function infoAfter(
  client: ParleyClient,
  { agent, directory }: SessionDetail,
  looked: AgentInfo,
): Promise<AgentInfo> {
  const isSame = agent === looked.name && !looked.tellsMore;
  return isSame ? looked : await client.agent(agent, directory, { kept: true });
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
