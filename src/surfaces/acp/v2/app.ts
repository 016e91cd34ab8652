import {
  type AgentApp,
  agent,
  type ContentBlock,
  type InitializeResponse,
  type McpServer,
  type McpServerHttp,
  type McpServerStdio,
  methods,
} from "@agentclientprotocol/sdk/experimental/v2/unstable";
import type { ContentBlock as V1Block, McpServer as V1Server } from "@agentclientprotocol/sdk/unstable";
import { textIn } from "../../../core/json/fields.ts";
import { invalidParams } from "../errors.ts";
import { assertNoInstructions, blocksIn, sessionFields, told } from "../requests.ts";
import type { AttachedSession } from "../session/attached.ts";
import { replay } from "../session/history.ts";
import {
  AUTH_METHOD,
  authenticate,
  cancelIn,
  choose,
  closeSession,
  deleteSession,
  listSessions,
  steer,
} from "../session/operations.ts";
import { Sessions } from "../session/sessions.ts";
import type { AcpOptions, VersionApp } from "../surface.ts";
import { shownCommands } from "../translate/commands.ts";
import { choices, V2Front } from "./front.ts";
import { insert } from "./prompt.ts";
import { commandShapes } from "./shapes.ts";

const { id, ...AUTH } = AUTH_METHOD;

function initialized(version: string): InitializeResponse {
  return {
    protocolVersion: 2,
    info: { name: "parley", title: "Parley", version },
    capabilities: {
      session: { prompt: { image: {}, embeddedContext: {} }, mcp: { stdio: {}, http: {} }, delete: {}, fork: {} },
    },
    authMethods: [{ type: "agent", methodId: id, ...AUTH }],
    _meta: { steering: { supported: true } },
  };
}

/** The servers of tools in the form of version 1, which has no type for those that are programs. */
function serversOf(servers: readonly McpServer[] | null | undefined): V1Server[] {
  return (servers ?? []).map((server): V1Server => {
    if (server.type === "stdio") {
      const { name, command, args = [], env = [] } = server as McpServerStdio;
      return { name, command, args, env };
    }
    if (server.type === "http") {
      const { name, url, headers = [] } = server as McpServerHttp;
      return { type: "http", name, url, headers };
    }
    throw invalidParams(`expected MCP servers by stdio or http, got one by ${server.type}`);
  });
}

/** Blocks of both versions are alike; those that are unknown are refused when they are read. */
function blocksOf(blocks: readonly ContentBlock[]): V1Block[] {
  return blocks as V1Block[];
}

/** The agent of one connection, for clients of the draft of version 2. */
export function v2App(options: AcpOptions): VersionApp<AgentApp> {
  const front = new V2Front(options.logger);
  const sessions = new Sessions(options, front);
  const app = agent({ name: "parley" });

  const opened = (session: AttachedSession) => {
    front.toldChoice(session, session.offer);
    front.welcome(session);
    const availableCommands = commandShapes(shownCommands(session.info));
    return { configOptions: choices(session.offer), availableCommands };
  };

  app
    .onRequest(methods.agent.initialize, ({ params, client }) => {
      front.begin(client, params.capabilities ?? {});
      return initialized(options.version);
    })
    .onRequest(methods.agent.auth.login, ({ params }) => told(() => authenticate(sessions, params.methodId)))
    .onRequest(methods.agent.session.new, ({ params, signal }) =>
      told(async () => {
        assertNoInstructions(params);
        const session = await sessions.create({ ...params, mcpServers: serversOf(params.mcpServers) }, signal);
        return { sessionId: session.id, ...opened(session) };
      }),
    )
    .onRequest(methods.agent.session.resume, ({ params }) =>
      told(async () => {
        assertNoInstructions(params);
        const { sessionId, replayFrom } = params;
        if (replayFrom && replayFrom.type !== "start")
          throw invalidParams(`expected replayFrom "start" or none, got "${replayFrom.type}"`);
        const session = await (replayFrom ? sessions.attach(sessionId, replay) : sessions.get(sessionId));
        await front.tellState(session);
        return opened(session);
      }, params.sessionId),
    )
    .onRequest(methods.agent.session.fork, ({ params, signal }) =>
      told(async () => {
        assertNoInstructions(params);
        const session = await sessions.fork(params.sessionId, signal);
        return { sessionId: session.id, ...opened(session) };
      }, params.sessionId),
    )
    .onRequest(methods.agent.session.list, ({ params }) => told(() => listSessions(sessions, params)))
    .onRequest(methods.agent.session.close, ({ params }) => told(() => closeSession(sessions, params.sessionId)))
    .onRequest(methods.agent.session.delete, ({ params }) => told(() => deleteSession(sessions, params.sessionId)))
    .onRequest(methods.agent.session.setConfigOption, ({ params }) =>
      told(async () => {
        const { value } = params;
        if (typeof value !== "string" && typeof value !== "boolean")
          throw invalidParams("expected a value that is a text, or yes or no");
        const session = await sessions.get(params.sessionId);
        const offer = { state: await choose(session, params.configId, value), info: session.info };
        front.toldChoice(session, offer);
        return { configOptions: choices(offer) };
      }, params.sessionId),
    )
    .onRequest(methods.agent.session.prompt, ({ params, signal }) =>
      told(async () => {
        const { sessionId: session, prompt } = params;
        return { messageId: await insert({ sessions, session, blocks: blocksOf(prompt), signal }) };
      }, params.sessionId),
    )
    .onRequest("_session/steering", sessionFields, ({ params }) =>
      told(async () => {
        const session = await sessions.get(params.sessionId);
        return await steer(session, blocksIn(params), textIn(params, "idleBehavior"));
      }, params.sessionId),
    )
    .onNotification(methods.agent.session.cancel, async ({ params }) => {
      try {
        await cancelIn(sessions, params.sessionId);
      } catch (error) {
        options.logger.warn({ err: error, session: params.sessionId }, "a turn could not be stopped");
      }
    });
  return { app, sessions };
}
