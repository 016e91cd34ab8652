import { present } from "../../../core/json/fields.ts";
import type { Gateway } from "../../../gateway/gateway.ts";
import { badRequest } from "../errors.ts";
import { type Choice, chosen, type Wish } from "./choice.ts";
import { Discoveries, type KnownAgent } from "./discoveries.ts";
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

/** The model and mode of a session whose creator chose none. They are kept in memory only: no client changes the configuration file. */
export interface Defaults {
  /** `provider/model`. */
  model: string;
  /** OpenCode's agent, which is a mode. */
  agent: string;
}

export interface CatalogOptions {
  gateway: Pick<Gateway, "agents" | "discover" | "defaultAgent">;
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

/** Agents, their models and their modes, as OpenCode's providers, models and agents. */
export class Catalog {
  readonly #options: CatalogOptions;
  readonly #discoveries: Discoveries;
  readonly #texts = new Map<View, { revision: number; text: string }>();
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

  async agents(): Promise<KnownAgent[]> {
    return inOrder(await this.#discoveries.all(), this.#options.gateway.defaultAgent);
  }

  async agent(name: string): Promise<KnownAgent | undefined> {
    return (await this.agents()).find((agent) => agent.name === name);
  }

  /** A view as JSON. Some agents have thousands of models, so the text is made once for all clients. */
  async text(view: View): Promise<string> {
    const agents = await this.agents();
    const { revision } = this.#discoveries;
    const made = this.#texts.get(view);
    if (made?.revision === revision) return made.text;
    const text = JSON.stringify(VIEWS[view](agents));
    this.#texts.set(view, { revision, text });
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
  async choose(wish: Wish): Promise<Choice> {
    return chosen(wish, await this.agents(), this.#options.gateway.defaultAgent);
  }

  /** The same for a new session: the defaults fill in the choices that its creator left open, and the agent makes the rest. */
  async chooseForNew(wish: Wish): Promise<Choice> {
    const said = present(wish);
    const { mode, ...choice } = await this.choose({ ...(await this.#open(said)), ...said });
    const modes = (await this.agent(choice.agent))?.discovery.modes ?? [];
    // A session that names no mode begins with the first one by itself.
    return mode === undefined || mode === modes[0]?.id ? choice : { ...choice, mode };
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
