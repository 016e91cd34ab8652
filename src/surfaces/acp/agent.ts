import { agentProtocolRouter } from "@agentclientprotocol/sdk/experimental/v2";
import type { AgentConnector } from "@agentclientprotocol/sdk/unstable";
import type { AcpOptions } from "./surface.ts";
import { v1App } from "./v1/app.ts";
import { v2App } from "./v2/app.ts";

/** Parley as an agent of the Agent Client Protocol. Each connection has sessions of its own, which end with it; the turns go on. */
export function createAcpAgent(options: AcpOptions): AgentConnector {
  return {
    connect(stream, given) {
      const [v1, v2] = [v1App(options), v2App(options)];
      const connection = agentProtocolRouter().withV1(v1.app).withV2(v2.app).connect(stream, given);
      void connection.closed.then(() => Promise.all([v1.close(), v2.close()]));
      return connection;
    },
  };
}
