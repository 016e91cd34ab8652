import { messageOf } from "../../../core/errors.ts";
import { type Fields, fieldsIn, listIn, numberIn, present, textIn } from "../../../core/json/fields.ts";
import type { Discovery, NativeSession, Project } from "../../contract.ts";
import { KeptDiscovery } from "../../kept-discovery.ts";
import { Api } from "../api.ts";
import type { Servers } from "../serve/contract.ts";
import { findOpenCode, type Place } from "../serve/find-program.ts";
import { credentialsOf, defaultModelOf, modelsOf } from "./models.ts";
import { commandsOf, modesOf, subagentsOf, USUAL_MODES } from "./modes.ts";
import { recentModels } from "./places.ts";

/** The first look at a directory may install what its plugins need. */
const LIMIT_MS = 60_000;
const MOST_SESSIONS = 100;

const NAMES = { title: "OpenCode", login: 'run "opencode auth login"' } as const;

export interface DiscoverOptions extends Place {
  servers: Servers;
  /** The address of a server that the user runs, without its password: it is shown. No program is looked for then. */
  url?: string;
  now?: () => number;
}

interface Found {
  path: string;
  version?: string;
}

/** Finds out about OpenCode on this machine. Answers are kept for each project: each may cost a start of the program. */
export class Discoverer {
  readonly #options: DiscoverOptions;
  readonly #kept: KeptDiscovery;

  constructor(options: DiscoverOptions) {
    this.#options = options;
    this.#kept = new KeptDiscovery(
      (found, project) => (project ? this.#ask(found, project) : this.#inGeneral(found)),
      options.now,
    );
  }

  /** In a project that cannot be asked about it rejects: the program is known in general all the same. */
  async discover(project?: Project): Promise<Discovery> {
    const { url } = this.#options;
    if (url !== undefined) return this.#kept.discover({ path: url, from: "variable" }, project);
    const found = await findOpenCode(this.#options);
    if ("missing" in found) {
      const detail = found.missing;
      return { ...NAMES, installed: false, detail, credentials: "unknown", models: [], modes: USUAL_MODES };
    }
    return this.#kept.discover(found, project);
  }

  /** The program's own sessions of a directory, without those of sub-agents, newest first. */
  async sessions(project: Project): Promise<NativeSession[]> {
    const { directory } = project;
    const query = { roots: "true", limit: MOST_SESSIONS };
    const { value } = await this.#with(project, (api) => api.list("GET", "/session", { query, limitMs: LIMIT_MS }));
    return value.filter((session) => textIn(session, "directory") === directory).flatMap(nativeSession);
  }

  /** A look at no project: in a directory of Parley's own, as one that is not trusted, so that nothing but the user's own settings counts. */
  async #inGeneral(found: Found): Promise<Discovery> {
    try {
      return await this.#ask(found, { directory: this.#options.dataDirectory, trusted: false });
    } catch (error) {
      const detail = `${found.path}; it does not answer: ${messageOf(error)}`;
      const facts = { ...NAMES, installed: true, ...present({ version: found.version }), modes: USUAL_MODES };
      return { ...facts, detail, credentials: "unknown", models: [] };
    }
  }

  async #ask(found: Found, project: Project): Promise<Discovery> {
    const { url, env } = this.#options;
    const limit = { limitMs: LIMIT_MS };
    const { value, version = found.version } = await this.#with(project, async (api) =>
      Promise.all([
        api.fields("GET", "/config/providers", limit),
        api.fields("GET", "/config", limit),
        api.list("GET", "/agent", limit),
        api.list("GET", "/command", limit),
      ]),
    );
    const [providers, config, agents, commands] = value;
    const told = { providers, config };
    const models = modelsOf(told);
    const modes = modesOf(agents);
    return {
      ...NAMES,
      installed: true,
      ...present({ version }),
      detail: `${found.path}; ${providersText(providers)}`,
      credentials: credentialsOf(told),
      models,
      ...defaultModelOf(told, models, url === undefined ? await recentModels(env) : []),
      modes: modes.length > 0 ? modes : USUAL_MODES,
      subagents: subagentsOf(agents),
      commands: commandsOf(commands),
    };
  }

  async #with<T>(project: Project, ask: (api: Api) => Promise<T>): Promise<{ value: T; version?: string }> {
    const { server, release } = await this.#options.servers.lease(project);
    try {
      const value = await ask(new Api(server, project.directory));
      return { value, ...present({ version: server.version }) };
    } finally {
      release();
    }
  }
}

/** The providers that the user is connected to, in words. */
function providersText(providers: Fields): string {
  const ids = listIn(providers, "providers").flatMap((provider) => textIn(provider, "id") ?? []);
  return ids.length === 0 ? `no provider is connected: ${NAMES.login}` : `providers ${ids.join(", ")}`;
}

function nativeSession(session: Fields): NativeSession[] {
  const id = textIn(session, "id");
  // A session of a sub-agent goes on with its parent only.
  if (id === undefined || session.parentID !== undefined) return [];
  const updated = numberIn(fieldsIn(session, "time"), "updated");
  return [{ id, ...present({ title: textIn(session, "title") || undefined, updated }) }];
}
