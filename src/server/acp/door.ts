import type { IncomingMessage } from "node:http";
import { createNodeWebSocketUpgradeHandler } from "@agentclientprotocol/sdk/experimental/node";
import { AcpServer } from "@agentclientprotocol/sdk/experimental/server";
import { getRequestListener } from "@hono/node-server";
import { WebSocketServer } from "ws";
import { createClient } from "../../client/index.ts";
import { ParleyError } from "../../core/errors.ts";
import { FewAtOnce } from "../../core/few-at-once.ts";
import { createAcpAgent } from "../../surfaces/acp/agent.ts";
import type { Handler, UpgradeHandler } from "../http/request-context.ts";
import { AbandonedConnections } from "./abandoned.ts";
import { Connections } from "./connections.ts";
import type { AcpMountOptions } from "./mount.ts";

export interface AcpDoor {
  handle: Handler;
  upgrade: UpgradeHandler;
  close(): Promise<void>;
}

/** A message by WebSocket may be as large as the body of a request. */
const MAX_MESSAGE = 10 * 1024 * 1024;

/** The bounds of messages that are kept for one client that does not read. */
const LIMITS = {
  maxBufferedBytes: 16 * 1024 * 1024,
  maxOutputStallMs: 60_000,
  maxBufferedSessionStreams: 256,
  maxIdLength: 1_024,
};

/** Requests of one connection that this server works on at once; the others wait. */
const MOST_ASKED = 32;

const KEEP_ALIVE_MS = 15_000;
const CLIENT_NAME = "acp";

const HOW =
  "this is the Agent Client Protocol: POST an initialize request, then GET with Accept: text/event-stream and the " +
  "Acp-Connection-Id of its answer; or open a WebSocket here";

function connectionOf({ headers }: IncomingMessage): string | undefined {
  const named = headers["acp-connection-id"];
  return typeof named === "string" ? named : undefined;
}

/** Serves the Agent Client Protocol over HTTP and WebSocket. The surface behind it is a client of this very server. */
export function createAcpDoor({ url, fetch, token, version, logger }: AcpMountOptions): AcpDoor {
  const agent = createAcpAgent({
    client: async () => {
      const few = new FewAtOnce(MOST_ASKED);
      const send = (to: string, init: RequestInit): Promise<Response> => few.do(() => fetch(to, init));
      return createClient({ url: url(), token, name: CLIENT_NAME, fetch: send });
    },
    version,
    logger,
  });
  const connections = new Connections();
  const server = new AcpServer({ agent: connections.counted(agent), ...LIMITS });
  const end = async (connection: string): Promise<void> => {
    logger.info({ connection }, "a client of the Agent Client Protocol has gone without a word");
    const headers = { "acp-connection-id": connection };
    await server.handleRequest(new Request(`${url()}/acp`, { method: "DELETE", headers }));
  };
  const abandoned = new AbandonedConnections((connection) => void end(connection));
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE,
  });
  const upgrade = createNodeWebSocketUpgradeHandler(server, sockets);
  const listen = getRequestListener((request) => server.handleRequest(request), { overrideGlobalObjects: false });
  return {
    async handle(request, response) {
      const named = connectionOf(request);
      if (named === undefined && request.method !== "POST") {
        throw new ParleyError("bad_request", `expected an Acp-Connection-Id, got none: ${HOW}`);
      }
      if (named === undefined) connections.assertRoom();
      if (named !== undefined && request.method === "DELETE") abandoned.forget(named);
      abandoned.watch(named, response);
      await listen(request, response);
    },
    upgrade(request, socket, head) {
      connections.assertRoom();
      // A client that vanished without a word is noticed by the system.
      request.socket.setKeepAlive(true, KEEP_ALIVE_MS);
      upgrade(request, socket, head);
    },
    async close() {
      abandoned.close();
      await server.close();
    },
  };
}
