import { z } from "zod";
import type { Gateway } from "../../gateway/gateway.ts";
import { agent, agentQuery, nativeSession } from "./agent-schemas.ts";
import { type Route, route } from "./route.ts";

export function agentRoutes(gateway: Gateway, defaultDirectory: string): Route[] {
  const view = async (name: string, directory?: string): Promise<unknown> => ({
    name,
    default: name === gateway.defaultAgent,
    capabilities: gateway.work.capabilities(name),
    ...(await gateway.discover(name, directory)),
  });
  return [
    route({
      method: "get",
      path: "/v1/agents",
      id: "listAgents",
      summary: "The agents that Parley knows, and whether they are installed and logged in.",
      status: 200,
      answer: z.looseObject({ agents: z.array(agent) }),
      errors: [],
      handle: async () => ({ agents: await Promise.all(gateway.agents().map((name) => view(name))) }),
    }),
    route({
      method: "get",
      path: "/v1/agents/{agent}",
      id: "getAgent",
      summary: "One agent, with its models, modes and options: in general, or as they are in a directory.",
      query: agentQuery,
      status: 200,
      answer: agent,
      errors: [403, 404, 422],
      handle: async ({ params, query }) => view(params.agent, query.directory),
    }),
    route({
      method: "get",
      path: "/v1/agents/{agent}/sessions",
      id: "listAgentSessions",
      summary:
        "The sessions that an agent itself keeps for a directory. A session made with `resume` goes on with one.",
      query: agentQuery,
      status: 200,
      answer: z.looseObject({ sessions: z.array(nativeSession) }),
      errors: [403, 404, 422, 501, 503],
      handle: async ({ params, query }) => ({
        sessions: await gateway.nativeSessions(params.agent, query.directory ?? defaultDirectory),
      }),
    }),
  ];
}
