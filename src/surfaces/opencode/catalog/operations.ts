import type { z } from "zod";
import { Answer } from "../../http/endpoint.ts";
import type { Surface } from "../context.ts";
import { get, type Operation, patch } from "../operation.ts";
import type { View } from "./catalog.ts";
import { changeConfig, configChange, configOf } from "./config.ts";
import { usedAgents } from "./used-agents.ts";

const MODES =
  "`build`, `plan` and the modes of the agents; those of agents that have no session in the directory are hidden";
const CHANGE = { note: "model and default_agent, until the server ends; 501 for anything else", body: configChange };

export function catalogOperations(surface: Surface): Operation[] {
  const { catalog } = surface.environment;
  const view =
    (name: View) =>
    async ({ directory }: { directory: string }) =>
      new Answer(await catalog.text(name, directory));
  const config = () => configOf(catalog);
  const change = async ({ body }: { body: z.output<typeof configChange> }): Promise<unknown> => {
    await changeConfig(catalog, body);
    return configOf(catalog);
  };
  const providers = "each agent is a provider; `connected` are those that are installed and not logged out";
  return [
    get("/provider", "provider.list", { note: providers }, view("all")),
    get("/config/providers", "config.providers", view("usable")),
    get(
      "/agent",
      "app.agents",
      { note: MODES },
      async ({ directory }) => new Answer(await catalog.text("modes", directory, await usedAgents(surface, directory))),
    ),
    get("/config", "config.get", config),
    patch("/config", "config.update", CHANGE, change),
    get("/global/config", "global.config.get", config),
    patch("/global/config", "global.config.update", CHANGE, change),
  ];
}
