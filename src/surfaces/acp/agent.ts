import { agentProtocolRouter } from "@agentclientprotocol/sdk/experimental/v2";
import type { AgentConnector } from "@agentclientprotocol/sdk/unstable";
import type { AcpOptions, ClientSessions } from "./surface.ts";
import { v1App } from "./v1/app.ts";
import { v2App } from "./v2/app.ts";

/** A connection with one client. */
export interface AcpConnection {
  /** Resolves when the client is gone, and what it gave is taken care of. */
  closed: Promise<void>;
  /** Resolves when every prompt of the client has its end. */
  rest(): Promise<void>;
  /** To be called before the connection ends while the client is there. */
  leave(): Promise<void>;
  /** To be called where the server has ended before the client: turns that are open for the client end. */
  end(): Promise<void>;
}

export type Connect = (...given: Parameters<AgentConnector["connect"]>) => AcpConnection;

/** Parley as an agent of the Agent Client Protocol. Each connection has sessions of its own, which end with it; the turns go on. */
export function createAcpAgent(options: AcpOptions): AgentConnector & { connect: Connect } {
  return {
    connect(stream, given) {
      const [v1, v2] = [v1App(options), v2App(options)];
      const connection = agentProtocolRouter().withV1(v1.app).withV2(v2.app).connect(stream, given);
      const both = async (one: keyof ClientSessions): Promise<void> =>
        void (await Promise.all([v1, v2].map(({ sessions }) => sessions[one]())));
      return {
        closed: connection.closed.then(() => both("close")),
        rest: () => both("rest"),
        leave: () => both("leave"),
        end: () => both("end"),
      };
    },
  };
}
