import { z } from "zod";
import type { Look } from "../../gateway/discoveries.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { agent, agentQuery, nativeSession, oneAgentQuery } from "./agent-schemas.ts";
import { get, type Route } from "./route.ts";

export function agentRoutes(gateway: Gateway, defaultDirectory: string): Route[] {
  const view = async (name: string, directory?: string, look?: Look): Promise<unknown> => {
    // First: some programs say only when they are asked what they can do.
    const found = await gateway.discover(name, directory, look);
    const capabilities = gateway.work.capabilities(name);
    return { name, default: name === gateway.defaultAgent, capabilities, ...found };
  };
  return [
    get("/v1/agents", "listAgents", {
      summary: "The agents that Parley knows, and whether they are installed and logged in.",
      answer: z.looseObject({ agents: z.array(agent) }),
      handle: async () => {
        await gateway.enterDirectory(undefined);
        return { agents: await Promise.all(gateway.agents().map((name) => view(name))) };
      },
    }),
    get("/v1/agents/{agent}", "getAgent", {
      summary: "One agent, with its models, modes and options: in general, or as they are in a directory.",
      query: oneAgentQuery,
      answer: agent,
      errors: [403, 404, 422],
      handle: async ({ params, query }) => {
        await gateway.enterDirectory(query.directory);
        return view(params.agent, query.directory, { kept: query.kept, again: true });
      },
    }),
    get("/v1/agents/{agent}/sessions", "listAgentSessions", {
      summary:
        "The sessions that an agent itself keeps for a directory. A session made with `resume` goes on with one.",
      query: agentQuery,
      answer: z.looseObject({ sessions: z.array(nativeSession) }),
      errors: [403, 404, 422, 501, 503],
      handle: async ({ params, query }) => ({
        sessions: await gateway.nativeSessions(params.agent, query.directory ?? defaultDirectory),
      }),
    }),
  ];
}
