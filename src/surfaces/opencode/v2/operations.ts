import { z } from "zod";
import type { SlashCommand } from "../../../gateway/commands/slash-command.ts";
import { splitModel } from "../catalog/catalog.ts";
import type { KnownAgent } from "../catalog/discoveries.ts";
import { refuseLogin } from "../catalog/operations.ts";
import { isConnected, providerInfo2, titleOf } from "../catalog/providers.ts";
import type { Surface } from "../context.ts";
import { badRequest, tagged, unsupported } from "../errors.ts";
import { Answer, type Operation, operation } from "../operation.ts";
import { listFiles, readBytes } from "../workspace/files.ts";
import { findNames, kind, limit } from "../workspace/find-operations.ts";
import { withFiles } from "../workspace/refusals.ts";
import { located, locatedText, locationOf } from "./location.ts";

const LABELS = { found: "its own login", not_needed: "it needs none", unknown: "its own", missing: "" } as const;

/** An agent's login, which is its own. */
function integrationOf(agent: KnownAgent): object {
  const { name, discovery } = agent;
  const connection = { type: "credential", id: name, label: LABELS[discovery.credentials] };
  return { id: name, name: titleOf(agent), methods: [], connections: isConnected(discovery) ? [connection] : [] };
}

function commandInfo2({ name, template, description, mode, model, subtask }: SlashCommand): object {
  const facts = { description, agent: mode, model: model?.includes("/") ? modelRef(model) : undefined, subtask };
  return { name, template, ...Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) };
}

function modelRef(text: string): object {
  const { providerID, modelID } = splitModel(text);
  return { providerID, id: modelID };
}

function catalogOperations2(surface: Surface): Operation[] {
  const { catalog } = surface.environment;
  const known = async (id: string): Promise<KnownAgent> => {
    const agent = await catalog.agent(id);
    if (agent) return agent;
    throw tagged(404, "ProviderNotFoundError", `no provider ${id}; GET /api/provider lists them`, { providerID: id });
  };
  const empty = (path: string, id: string, note: string): Operation =>
    operation({
      method: "get",
      path,
      id,
      support: "empty",
      note,
      handle: async ({ directory }) => located(directory, []),
    });
  return [
    operation({
      method: "get",
      path: "/api/agent",
      id: "v2.agent.list",
      support: "real",
      handle: async ({ directory }) => locatedText(directory, await catalog.text("modes2")),
    }),
    operation({
      method: "get",
      path: "/api/model",
      id: "v2.model.list",
      support: "real",
      handle: async ({ directory }) => locatedText(directory, await catalog.text("models2")),
    }),
    operation({
      method: "get",
      path: "/api/provider",
      id: "v2.provider.list",
      support: "real",
      handle: async ({ directory }) => locatedText(directory, await catalog.text("providers2")),
    }),
    operation({
      method: "get",
      path: "/api/provider/{providerID}",
      id: "v2.provider.get",
      support: "real",
      handle: async ({ params, directory }) => located(directory, providerInfo2(await known(params.providerID ?? ""))),
    }),
    operation({
      method: "get",
      path: "/api/integration",
      id: "v2.integration.list",
      support: "real",
      note: "each agent, and whether it is logged in",
      handle: async ({ directory }) => located(directory, (await catalog.agents()).map(integrationOf)),
    }),
    operation({
      method: "get",
      path: "/api/integration/{integrationID}",
      id: "v2.integration.get",
      support: "real",
      handle: async ({ params, directory }) =>
        located(directory, integrationOf(await known(params.integrationID ?? ""))),
    }),
    operation({
      method: "get",
      path: "/api/command",
      id: "v2.command.list",
      support: "real",
      handle: async ({ directory }) =>
        located(directory, (await surface.gateway.work.commands(directory)).map(commandInfo2)),
    }),
    empty("/api/skill", "v2.skill.list", "skills are the agents' own business"),
    empty("/api/reference", "v2.reference.list", "there are none here"),
  ];
}

const OWN_LOGIN = "credentials are the agents' own; the answer says how to log in";

function loginOperations(surface: Surface): Operation[] {
  const login = (path: string, id: string, method: Operation["method"], parameter: string): Operation =>
    operation({
      method,
      path,
      id,
      support: "refused",
      note: OWN_LOGIN,
      ...(method === "delete" ? {} : { body: z.unknown() }),
      handle: ({ params }) => refuseLogin(surface, params[parameter] ?? ""),
    });
  const attempt = (path: string, id: string, method: Operation["method"]): Operation =>
    operation({
      method,
      path,
      id,
      support: "refused",
      note: "404: no login is ever begun here",
      ...(method === "post" ? { body: z.unknown() } : {}),
      async handle({ params: { attemptID = "" } }) {
        throw tagged(404, "NotFoundError", `no login ${attemptID}: agents are logged in with their own programs`);
      },
    });
  return [
    login("/api/integration/{integrationID}/connect/key", "v2.integration.connect.key", "post", "integrationID"),
    login("/api/integration/{integrationID}/connect/oauth", "v2.integration.connect.oauth", "post", "integrationID"),
    attempt("/api/integration/attempt/{attemptID}", "v2.integration.attempt.status", "get"),
    attempt("/api/integration/attempt/{attemptID}", "v2.integration.attempt.cancel", "delete"),
    attempt("/api/integration/attempt/{attemptID}/complete", "v2.integration.attempt.complete", "post"),
    login("/api/credential/{credentialID}", "v2.credential.update", "patch", "credentialID"),
    login("/api/credential/{credentialID}", "v2.credential.remove", "delete", "credentialID"),
  ];
}

const READ = "/api/fs/read/";

/** The path after the operation's own, as the client wrote it. */
function restOfPath(url: string | undefined): string {
  const path = (url ?? "").split("?", 1)[0] ?? "";
  const at = path.indexOf(READ);
  try {
    return at < 0 ? "" : decodeURIComponent(path.slice(at + READ.length));
  } catch {
    throw badRequest(`expected an encoded path, got "${path.slice(0, 100)}"`, "Path");
  }
}

function fileOperations2({ environment: { names } }: Surface): Operation[] {
  return [
    operation({
      method: "get",
      path: "/api/fs/read/*",
      id: "v2.fs.read",
      support: "real",
      note: "always as bytes, so that no page of a project is ever shown as one of the server's",
      handle: ({ directory, request }) =>
        withFiles(directory, async () => {
          const bytes = await readBytes(directory, restOfPath(request.url));
          return new Answer(200, bytes, { "content-type": "application/octet-stream" });
        }),
    }),
    operation({
      method: "get",
      path: "/api/fs/list",
      id: "v2.fs.list",
      support: "real",
      query: z.looseObject({ path: z.string().optional() }),
      handle: ({ directory, query }) =>
        withFiles(directory, async () => located(directory, await listFiles(directory, query.path ?? "."))),
    }),
    operation({
      method: "get",
      path: "/api/fs/find",
      id: "v2.fs.find",
      support: "real",
      query: z.looseObject({ query: z.string().max(1_000), type: kind, limit }),
      handle: ({ directory, query }) =>
        withFiles(directory, async () => {
          const found = await findNames(names, directory, query);
          const entries = found.map((path) => ({ path, type: path.endsWith("/") ? "directory" : "file" }));
          return located(directory, entries);
        }),
    }),
  ];
}

/** The newer half of the API, but for sessions and what they ask. */
export function v2Operations(surface: Surface): Operation[] {
  return [
    operation({
      method: "get",
      path: "/api/health",
      id: "v2.health.get",
      support: "real",
      handle: async () => ({ healthy: true }),
    }),
    operation({
      method: "get",
      path: "/api/location",
      id: "v2.location.get",
      support: "real",
      handle: async ({ directory }) => locationOf(directory),
    }),
    operation({
      method: "get",
      path: "/api/event",
      id: "v2.event.subscribe",
      support: "refused",
      note: "use GET /global/event",
      async handle() {
        throw unsupported("this is not served in this form: use GET /global/event");
      },
    }),
    ...catalogOperations2(surface),
    ...loginOperations(surface),
    ...fileOperations2(surface),
  ];
}
