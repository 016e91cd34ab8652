import type { Discovery, McpServer } from "../agents/contract.ts";
import { SCHEMA_VERSION } from "../core/events/version.ts";
import { present } from "../core/json/fields.ts";
import type { Create } from "../core/ledger/state.ts";
import { assertChoice, existingDirectory, notAdopted } from "./checks.ts";
import type { Discoveries } from "./discoveries.ts";
import { enterKeeper, onlyHere } from "./door.ts";
import { Imports } from "./imports.ts";
import { assertServers, shownServers } from "./mcp-servers.ts";
import type { GatewayOptions } from "./options.ts";
import type { NewSessionRequest } from "./requests.ts";
import type { LiveSessions } from "./session/live-sessions.ts";
import type { Removal } from "./session/removal.ts";

interface NewSessionsOptions
  extends Pick<GatewayOptions, "log" | "id" | "mcp" | "roots" | "door" | "defaultAgent" | "logger"> {
  sessions: LiveSessions;
  removal: Removal;
  discoveries: Discoveries;
}

/** Makes sessions, also those that take over a native session of an agent. */
export class NewSessions {
  private readonly options: NewSessionsOptions;
  private readonly imports: Imports;

  constructor(options: NewSessionsOptions) {
    this.options = options;
    this.imports = new Imports(options.log);
  }

  /** Resolves with the id of the session. */
  async create(request: NewSessionRequest): Promise<string> {
    const { sessions, discoveries, defaultAgent } = this.options;
    // First: an agent need be known only where the session will be.
    const directory = await existingDirectory(request.directory, this.options, request);
    const agent = sessions.beginning(request.agent ?? defaultAgent);
    const discover = (): Promise<Discovery> => discoveries.of(agent, directory);
    await assertChoice(agent, request, discover);
    const { model, mode, options, title, permissions, meta, mcpServers: servers = [], resume: nativeId } = request;
    await assertServers(agent, servers, discover);
    const mcpServers = servers.length === 0 ? undefined : shownServers(servers);
    const titled = title === undefined ? undefined : true;
    const facts = present({ model, mode, options, title, titled, permissions, meta, nativeId, mcpServers });
    const data = { agent: agent.name, directory, version: SCHEMA_VERSION, ...facts };
    const make = (): Promise<string> => this.begin({ type: "create", started: data, source: "parley" }, servers);
    if (nativeId === undefined) return request.start ? this.warm(await make()) : make();
    // Two nodes of this place would take it over twice.
    await enterKeeper(this.options.door ?? onlyHere, undefined);
    return this.imports.once(agent.name, nativeId, async () => this.adopt(await make(), agent.name, nativeId));
  }

  /** Stores the first events of a session, which may be a fork's. */
  async begin(command: Create, mcpServers: readonly McpServer[] = []): Promise<string> {
    const { id: makeId, mcp, sessions } = this.options;
    const id = makeId("session");
    // First: a session never lacks the servers that its first event names.
    if (mcpServers.length > 0) await mcp.keep(id, mcpServers);
    try {
      await sessions.create(id, command);
    } catch (error) {
      await mcp.forget(id);
      throw error;
    }
    return id;
  }

  /** Has the agent start, and does not wait until it is ready. A discovery that is asked for next finds that it starts. */
  private async warm(id: string): Promise<string> {
    const { sessions, logger } = this.options;
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    sessions
      .use(id, (session) => session.start(resolve))
      .catch((error) =>
        logger.info({ err: error, session: id }, "an agent could not be started ahead of its first prompt"),
      )
      .finally(resolve);
    await begun;
    return id;
  }

  /** Starts the agent of a session that it knows already, so that it can tell the past before anything else is said. */
  private async adopt(id: string, agent: string, nativeId: string): Promise<string> {
    const { sessions, removal } = this.options;
    try {
      await sessions.use(id, (session) => session.adopt());
    } catch (error) {
      await removal.remove(id);
      throw notAdopted(agent, nativeId, error);
    }
    return id;
  }
}
