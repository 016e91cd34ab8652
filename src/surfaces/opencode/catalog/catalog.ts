import { keepNewest } from "../../../core/entries.ts";
import type { OptionValues } from "../../../core/events/values.ts";
import { present } from "../../../core/json/fields.ts";
import { within } from "../../../core/within.ts";
import type { Gateway } from "../../../gateway/gateway.ts";
import { badRequest } from "../errors.ts";
import { type Choice, chosen, type Wish } from "./choice.ts";
import { Discoveries, FIRST_MS, type KnownAgent } from "./discoveries.ts";
import { modeInfos, newerModeInfo } from "./modes.ts";
import {
  defaultModelOf,
  defaultModels,
  inOrder,
  isConnected,
  newerModelInfos,
  newerProviderInfo,
  providerInfo,
} from "./providers.ts";
import { optionsFor } from "./variants.ts";

/** The model and mode of a session whose creator chose none. They are kept in memory only: no client changes the configuration file. */
export interface Defaults {
  /** `provider/model`. */
  model: string;
  /** OpenCode's agent, which is a mode. */
  agent: string;
}

export interface CatalogOptions {
  gateway: Pick<Gateway, "agents" | "discover" | "discoversProjects" | "defaultAgent">;
  now?(): number;
  changed?(): void;
  firstMs?: number;
  freshMs?: number;
}

/** `provider/model`, where the model's id may hold slashes too. */
export function splitModel(text: string): { providerID: string; modelID: string } {
  const at = text.indexOf("/");
  if (at < 1 || at === text.length - 1) throw badRequest(`expected a model such as house/scripted/demo, got "${text}"`);
  return { providerID: text.slice(0, at), modelID: text.slice(at + 1) };
}

const VIEWS = {
  /** `GET /provider` */
  all: (agents) => ({
    all: agents.map(providerInfo),
    default: defaultModels(agents),
    connected: agents.filter(({ discovery }) => isConnected(discovery)).map(({ name }) => name),
  }),
  /** `GET /config/providers` */
  usable: (agents) => {
    const connected = agents.filter(({ discovery }) => isConnected(discovery));
    return { providers: connected.map(providerInfo), default: defaultModels(connected) };
  },
  modes: modeInfos,
  newerModes: (agents) => modeInfos(agents).map(newerModeInfo),
  newerProviders: (agents) => agents.filter(({ discovery }) => isConnected(discovery)).map(newerProviderInfo),
  newerModels: (agents) => agents.filter(({ discovery }) => isConnected(discovery)).flatMap(newerModelInfos),
} satisfies Record<string, (agents: readonly KnownAgent[]) => unknown>;

export type View = keyof typeof VIEWS;

/** So many texts are kept, of all views and directories. */
const TEXTS = 64;

const isSame = (some: readonly KnownAgent[], others: readonly KnownAgent[]): boolean =>
  some.length === others.length && some.every((one, at) => one.discovery === others[at]?.discovery);

/** Agents, their models and their modes, as OpenCode's providers, models and agents. */
export class Catalog {
  readonly #options: CatalogOptions;
  readonly #discoveries: Discoveries;
  readonly #texts = new Map<string, { agents: readonly KnownAgent[]; text: string }>();
  #chosen: Partial<Defaults> = {};

  constructor(options: CatalogOptions) {
    this.#options = options;
    const { gateway, now = Date.now, ...rest } = options;
    this.#discoveries = new Discoveries({
      agents: () => gateway.agents(),
      discover: (name) => gateway.discover(name),
      now,
      ...rest,
    });
  }

  /** All agents: as they are in the directory, where they differ by it and say so in time. */
  async agents(directory?: string): Promise<KnownAgent[]> {
    const { gateway, firstMs = FIRST_MS } = this.#options;
    const there = async ({ name, discovery }: KnownAgent): Promise<KnownAgent> => {
      if (directory === undefined || !gateway.discoversProjects(name)) return { name, discovery };
      // A directory that is not there, or is not to be worked in, is refused where something is done in it.
      const asked = gateway.discover(name, directory).catch(() => discovery);
      return { name, discovery: (await within(asked, firstMs))?.value ?? discovery };
    };
    return inOrder(await Promise.all((await this.#discoveries.all()).map(there)), gateway.defaultAgent);
  }

  async agent(name: string, directory?: string): Promise<KnownAgent | undefined> {
    return (await this.agents(directory)).find((agent) => agent.name === name);
  }

  /** A view as JSON. Some agents have thousands of models, so the text is made once for all clients. */
  async text(view: View, directory?: string): Promise<string> {
    const agents = await this.agents(directory);
    const differs = agents.some(({ name }) => this.#options.gateway.discoversProjects(name));
    const key = differs ? `${view} ${directory}` : view;
    const made = this.#texts.get(key);
    if (made && isSame(made.agents, agents)) return made.text;
    const text = JSON.stringify(VIEWS[view](agents));
    keepNewest(this.#texts, key, { agents, text }, TEXTS);
    return text;
  }

  async defaults(): Promise<Defaults> {
    const agents = await this.agents();
    const first = agents.find(({ discovery }) => isConnected(discovery)) ?? agents[0];
    const model = first ? `${first.name}/${defaultModelOf(first.discovery)}` : "";
    return { model, agent: "build", ...this.#chosen };
  }

  /** Refuses what no agent has. */
  async setDefaults(change: Partial<Defaults>): Promise<void> {
    const next = { ...(await this.defaults()), ...change };
    await this.choose({ ...splitModel(next.model), agent: next.agent });
    this.#chosen = { ...this.#chosen, ...change };
  }

  /** Which agent, model and mode of the gateway a client means. */
  async choose(wish: Wish, directory?: string): Promise<Choice> {
    return chosen(wish, await this.agents(directory), this.#options.gateway.defaultAgent);
  }

  /** The same for a new session: the defaults fill in the choices that its creator left open, and the agent makes the rest. */
  async chooseForNew(wish: Wish, directory?: string): Promise<Choice> {
    const said = present(wish);
    const { mode, ...choice } = await this.choose({ ...(await this.#open(said)), ...said }, directory);
    const modes = (await this.agent(choice.agent, directory))?.discovery.modes ?? [];
    // A session that names no mode begins with the first one by itself.
    return mode === undefined || mode === modes[0]?.id ? choice : { ...choice, mode };
  }

  /** The options of a new session for the variant that its creator names. */
  async optionsForNew(
    { agent, model }: Choice,
    variant: string | undefined,
    directory?: string,
  ): Promise<OptionValues | undefined> {
    if (variant === undefined) return undefined;
    const known = await this.agent(agent, directory);
    return known && optionsFor({ model, variant, said: true }, known.discovery, { queue: [] });
  }

  /** The defaults for the choices that a wish leaves open. */
  async #open({ providerID }: Wish): Promise<Wish> {
    const { model, agent } = this.#chosen;
    const mode = agent === undefined ? {} : { agent };
    if (providerID !== undefined) return mode;
    if (model !== undefined) return { ...splitModel(model), ...mode };
    return { providerID: splitModel((await this.defaults()).model).providerID, ...mode };
  }

  /** Asks the agents anew: somebody may have logged in. */
  refresh(): void {
    this.#discoveries.refresh();
  }
}
