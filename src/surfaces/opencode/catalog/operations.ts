import { z } from "zod";
import type { Surface } from "../context.ts";
import { notFound, unsupported } from "../errors.ts";
import { Answer, type Operation, operation } from "../operation.ts";
import type { View } from "./catalog.ts";
import { changeConfig, configChange, configOf } from "./config.ts";
import { titleOf } from "./providers.ts";

const JSON_TYPE = { "content-type": "application/json" };

/** How to log in, for an agent that keeps its own credentials. */
export async function refuseLogin({ environment }: Surface, provider: string): Promise<never> {
  const agent = await environment.catalog.agent(provider);
  if (!agent) throw notFound(`no provider ${provider}; GET /provider lists them`);
  const { login = "log in with its own program, or set its key in the environment of the server" } = agent.discovery;
  throw unsupported(`Parley keeps no credentials of ${titleOf(agent)}: ${login}`);
}

const NO_CREDENTIALS = "credentials are the agents' own; the answer says how to log in";

export function catalogOperations(surface: Surface): Operation[] {
  const { catalog } = surface.environment;
  const view = (name: View) => async () => new Answer(200, await catalog.text(name), JSON_TYPE);
  const config = { support: "real", handle: () => configOf(catalog) } as const;
  const change = {
    support: "real",
    note: "model and default_agent, until the server ends; 501 for anything else",
    body: configChange,
    async handle({ body }: { body: z.output<typeof configChange> }) {
      await changeConfig(catalog, body);
      return configOf(catalog);
    },
  } as const;
  const login = {
    support: "refused",
    note: NO_CREDENTIALS,
    handle: ({ params }: { params: Readonly<Record<string, string>> }) => refuseLogin(surface, params.providerID ?? ""),
  } as const;
  return [
    operation({
      method: "get",
      path: "/provider",
      id: "provider.list",
      support: "real",
      note: "each agent is a provider; `connected` are those that are installed and not logged out",
      handle: view("all"),
    }),
    operation({
      method: "get",
      path: "/config/providers",
      id: "config.providers",
      support: "real",
      handle: view("usable"),
    }),
    operation({
      method: "get",
      path: "/provider/auth",
      id: "provider.auth",
      support: "empty",
      note: "no way to log in here: agents keep their own credentials",
      handle: async () => ({}),
    }),
    operation({ method: "put", path: "/auth/{providerID}", id: "auth.set", body: z.unknown(), ...login }),
    operation({ method: "delete", path: "/auth/{providerID}", id: "auth.remove", ...login }),
    operation({
      method: "post",
      path: "/provider/{providerID}/oauth/authorize",
      id: "provider.oauth.authorize",
      body: z.unknown(),
      ...login,
    }),
    operation({
      method: "post",
      path: "/provider/{providerID}/oauth/callback",
      id: "provider.oauth.callback",
      body: z.unknown(),
      ...login,
    }),
    operation({
      method: "get",
      path: "/agent",
      id: "app.agents",
      support: "real",
      note: "`build`, `plan` and the modes of the agents",
      handle: view("modes"),
    }),
    operation({ method: "get", path: "/config", id: "config.get", ...config }),
    operation({ method: "patch", path: "/config", id: "config.update", ...change }),
    operation({ method: "get", path: "/global/config", id: "global.config.get", ...config }),
    operation({ method: "patch", path: "/global/config", id: "global.config.update", ...change }),
  ];
}
