import { z } from "zod";
import type { Gateway } from "../../gateway/gateway.ts";
import { type Route, route } from "./route.ts";
import { agent } from "./schemas.ts";

export function agentRoutes(gateway: Gateway): Route[] {
  const view = async (name: string): Promise<unknown> => ({
    name,
    default: name === gateway.defaultAgent,
    capabilities: gateway.work.capabilities(name),
    ...(await gateway.discover(name)),
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
      handle: async () => ({ agents: await Promise.all(gateway.agents().map(view)) }),
    }),
    route({
      method: "get",
      path: "/v1/agents/{agent}",
      id: "getAgent",
      summary: "One agent, with its models and modes.",
      status: 200,
      answer: agent,
      errors: [404],
      handle: async ({ params }) => view(params.agent),
    }),
  ];
}
