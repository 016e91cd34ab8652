import { z } from "zod";
import type { Gateway } from "../../gateway/gateway.ts";
import { get, type Route } from "./route.ts";
import { agent } from "./schemas.ts";

export function agentRoutes(gateway: Gateway): Route[] {
  const view = async (name: string): Promise<unknown> => ({
    name,
    default: name === gateway.defaultAgent,
    capabilities: gateway.work.capabilities(name),
    ...(await gateway.discover(name)),
  });
  return [
    get("/v1/agents", "listAgents", {
      summary: "The agents that Parley knows, and whether they are installed and logged in.",
      answer: z.looseObject({ agents: z.array(agent) }),
      handle: async () => ({ agents: await Promise.all(gateway.agents().map(view)) }),
    }),
    get("/v1/agents/{agent}", "getAgent", {
      summary: "One agent, with its models and modes.",
      answer: agent,
      errors: [404],
      handle: async ({ params }) => view(params.agent),
    }),
  ];
}
