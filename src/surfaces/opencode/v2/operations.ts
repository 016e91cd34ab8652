import { z } from "zod";
import { present } from "../../../core/json/fields.ts";
import { proseLine } from "../../../core/one-line.ts";
import type { SlashCommand } from "../../../gateway/commands/slash-command.ts";
import { Answer } from "../../http/endpoint.ts";
import { splitModel, type View } from "../catalog/catalog.ts";
import type { KnownAgent } from "../catalog/discoveries.ts";
import { isConnected, newerProviderInfo, titleOf } from "../catalog/providers.ts";
import { offeredCommands, usedAgents } from "../catalog/used-agents.ts";
import type { Surface } from "../context.ts";
import { badRequest, tagged } from "../errors.ts";
import { get, type Located, type Operation } from "../operation.ts";
import { listFiles, readBytes } from "../workspace/files.ts";
import { findNames, kind } from "../workspace/find-operations.ts";
import { withFiles } from "../workspace/refusals.ts";
import { located, locatedText, locationOf } from "./location.ts";

const LABELS = { found: "its own login", not_needed: "it needs none", unknown: "its own", missing: "" } as const;

/** An agent's login, which is its own. */
function integrationOf(agent: KnownAgent): object {
  const { name, discovery } = agent;
  const connection = { type: "credential", id: name, label: LABELS[discovery.credentials] };
  return { id: name, name: titleOf(agent), methods: [], connections: isConnected(discovery) ? [connection] : [] };
}

function commandInfo({ name, template, description, mode, model, subtask }: SlashCommand): object {
  const named = model?.includes("/") ? splitModel(model) : undefined;
  const ref = named && { providerID: named.providerID, id: named.modelID };
  return present({
    name,
    template,
    description: description && proseLine(description),
    agent: mode,
    model: ref,
    subtask,
  });
}

function catalogOperations(surface: Surface): Operation[] {
  const { catalog } = surface.environment;
  const known = async (id: string, directory: string): Promise<KnownAgent> => {
    const agent = await catalog.agent(id, directory);
    if (agent) return agent;
    throw tagged(404, "ProviderNotFoundError", `no provider ${id}; GET /api/provider lists them`, { providerID: id });
  };
  const view =
    (name: View) =>
    async ({ directory }: Located) =>
      locatedText(directory, await catalog.text(name, directory));
  return [
    get("/api/agent", "v2.agent.list", async ({ directory }) =>
      locatedText(directory, await catalog.text("newerModes", directory, await usedAgents(surface, directory))),
    ),
    get("/api/model", "v2.model.list", view("newerModels")),
    get("/api/provider", "v2.provider.list", view("newerProviders")),
    get("/api/provider/{providerID}", "v2.provider.get", async ({ params, directory }) =>
      located(directory, newerProviderInfo(await known(params.providerID, directory))),
    ),
    get("/api/integration", "v2.integration.list", { note: "each agent, and whether it is logged in" }, async (call) =>
      located(call.directory, (await catalog.agents()).map(integrationOf)),
    ),
    get("/api/integration/{integrationID}", "v2.integration.get", async ({ params, directory }) =>
      located(directory, integrationOf(await known(params.integrationID, directory))),
    ),
    get("/api/command", "v2.command.list", async ({ directory }) =>
      located(directory, (await offeredCommands(surface, directory)).map(commandInfo)),
    ),
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

const AS_BYTES = { "content-type": "application/octet-stream" };
const READ_NOTE = "always as bytes, so that no page of a project is ever shown as one of the server's";
const listQuery = z.looseObject({ path: z.string().optional() });
/** As native: 50 names unless told. More than the most are not refused but left out. */
const MOST_NAMES = 1_000;
const limit = z.coerce
  .number()
  .int()
  .min(1)
  .default(50)
  .transform((wanted) => Math.min(wanted, MOST_NAMES));
const findQuery = z.looseObject({ query: z.string().max(1_000), type: kind, limit });

function fileOperations({ environment: { names } }: Surface): Operation[] {
  return [
    get(`${READ}*`, "v2.fs.read", { note: READ_NOTE }, ({ directory, request }) =>
      withFiles(directory, async () => new Answer(await readBytes(directory, restOfPath(request.url)), AS_BYTES)),
    ),
    get("/api/fs/list", "v2.fs.list", { query: listQuery }, ({ directory, query: { path = "." } }) =>
      withFiles(directory, async () => located(directory, await listFiles(directory, path))),
    ),
    get("/api/fs/find", "v2.fs.find", { query: findQuery }, ({ directory, query }) =>
      withFiles(directory, async () => {
        const found = await findNames(names, directory, query);
        const entries = found.map((path) => ({ path, type: path.endsWith("/") ? "directory" : "file" }));
        return located(directory, entries);
      }),
    ),
  ];
}

/** The newer half of the API, but for sessions and their asks. */
export function v2Operations(surface: Surface): Operation[] {
  return [
    get("/api/health", "v2.health.get", async () => ({ healthy: true })),
    get("/api/location", "v2.location.get", async ({ directory }) => locationOf(directory)),
    ...catalogOperations(surface),
    ...fileOperations(surface),
  ];
}
