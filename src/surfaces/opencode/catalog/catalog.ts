import { isCommandName } from "../../../core/command-name.ts";
import { keepNewest } from "../../../core/entries.ts";
import type { OptionValues } from "../../../core/events/values.ts";
import { present } from "../../../core/json/fields.ts";
import type { Gateway } from "../../../gateway/gateway.ts";
import { badRequest } from "../errors.ts";
import type { GivenEntries } from "../nodes/entries.ts";
import { ByDirectory } from "./by-directory.ts";
import { type Choice, chosen, foreignMode, type Wish } from "./choice.ts";
import { Discoveries, FIRST_MS, isSilent, type KnownAgent, LIST_MS } from "./discoveries.ts";
import { BUILD, modeInfos, newerModeInfo } from "./modes.ts";
import {
  defaultModelOf,
  defaultModels,
  inOrder,
  isConnected,
  mayTellMore,
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
  /** A client was told something else before. */
  outdated?(): void;
  /** Where the choices of clients are kept for all nodes of a place; in memory without it. */
  given?: GivenEntries<string>;
  firstMs?: number;
  listMs?: number;
  freshMs?: number;
}

/** The choices hold for all directories. */
const EVERYWHERE = "";

/** `provider/model`, where the model's id may hold slashes too, and so may the name of an agent that there is. */
export function splitModel(text: string, agents: readonly string[] = []): { providerID: string; modelID: string } {
  const lengths = agents.filter((name) => text.startsWith(`${name}/`)).map(({ length }) => length);
  const at = lengths.length > 0 ? Math.max(...lengths) : text.indexOf("/");
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
  newerModes: (agents, used) => modeInfos(agents, used).map(newerModeInfo),
  newerProviders: (agents) => agents.filter(({ discovery }) => isConnected(discovery)).map(newerProviderInfo),
  newerModels: (agents) => agents.filter(({ discovery }) => isConnected(discovery)).flatMap(newerModelInfos),
} satisfies Record<string, (agents: readonly KnownAgent[], used: readonly string[]) => unknown>;

export type View = keyof typeof VIEWS;

/** So many texts are kept, of all views and directories. */
const TEXTS = 64;

const isSame = (some: readonly KnownAgent[], others: readonly KnownAgent[]): boolean =>
  some.length === others.length && some.every((one, at) => one.discovery === others[at]?.discovery);

/** Agents, their models and their modes, as OpenCode's providers, models and agents. */
export class Catalog {
  readonly #options: CatalogOptions;
  readonly #discoveries: Discoveries;
  readonly #byDirectory: ByDirectory;
  readonly #texts = new Map<string, { agents: readonly KnownAgent[]; text: string }>();
  #own: Partial<Defaults> = {};

  constructor(options: CatalogOptions) {
    this.#options = options;
    const { gateway, now = Date.now, ...rest } = options;
    this.#byDirectory = new ByDirectory({ gateway, outdated: options.outdated });
    this.#discoveries = new Discoveries({
      agents: () => gateway.agents(),
      defaultAgent: gateway.defaultAgent,
      discover: (name) => gateway.discover(name),
      now,
      ...rest,
    });
  }

  /** All agents: as they are in the directory, where they differ by it and say so in time. */
  async agents(directory?: string): Promise<KnownAgent[]> {
    const { gateway, firstMs = FIRST_MS, listMs = LIST_MS } = this.#options;
    const limit = (name: string): number => (name === gateway.defaultAgent ? firstMs : Math.min(listMs, firstMs));
    const general = await this.#discoveries.all();
    const found = general.map((agent) => this.#byDirectory.there(agent, directory, limit(agent.name)));
    return inOrder(await Promise.all(found), gateway.defaultAgent);
  }

  /** One agent, which a client chose: nobody waits for the others. */
  async agent(name: string, directory?: string): Promise<KnownAgent | undefined> {
    const { gateway, firstMs = FIRST_MS } = this.#options;
    if (!gateway.agents().includes(name)) return undefined;
    return this.#byDirectory.there({ name, discovery: await this.#discoveries.one(name) }, directory, firstMs);
  }

  /** A view as JSON. Some agents have thousands of models, so the text is made once for all clients. */
  async text(view: View, directory?: string, used: readonly string[] = []): Promise<string> {
    const agents = await this.agents(directory);
    const differs = agents.some(({ name }) => this.#options.gateway.discoversProjects(name));
    const key = [view, ...used, ...(differs ? [directory] : [])].join(" ");
    const made = this.#texts.get(key);
    if (made && isSame(made.agents, agents)) return made.text;
    const text = JSON.stringify(VIEWS[view](agents, used));
    keepNewest(this.#texts, key, { agents, text }, TEXTS);
    return text;
  }

  /** `provider/model` of one of the agents. */
  split(text: string): { providerID: string; modelID: string } {
    return splitModel(text, this.#options.gateway.agents());
  }

  async defaults(): Promise<Defaults> {
    const first = await this.#firstUsable();
    const model = first ? `${first.name}/${defaultModelOf(first.discovery)}` : "";
    return { model, agent: "build", ...(await this.#chosen()) };
  }

  /** The name of the agent of sessions whose creator names none. */
  async firstAgent(): Promise<string> {
    return this.split((await this.defaults()).model).providerID;
  }

  /** The same, with its discovery, as long as no client chose a default model. Others than the default agent count only where that is known not to be usable. */
  async #firstUsable(): Promise<KnownAgent | undefined> {
    const own = await this.agent(this.#options.gateway.defaultAgent);
    if (own && (isConnected(own.discovery) || isSilent(own.discovery))) return own;
    const agents = await this.agents();
    return agents.find(({ discovery }) => isConnected(discovery)) ?? agents[0];
  }

  /** Refuses what no agent has. */
  async setDefaults(change: Partial<Defaults>): Promise<void> {
    const next = { ...(await this.defaults()), ...change };
    await this.choose({ ...this.split(next.model), agent: next.agent });
    this.#own = { ...this.#own, ...change };
    await this.#options.given?.give(EVERYWHERE, change as Record<string, string>);
  }

  /** The choices of clients, also of those of other nodes of this place. */
  async #chosen(): Promise<Partial<Defaults>> {
    const { given } = this.#options;
    return given ? Object.fromEntries(await given.read(EVERYWHERE)) : this.#own;
  }

  /** Which agent, model and mode of the gateway a client means. */
  async choose(wish: Wish, directory?: string): Promise<Choice> {
    return chosen(wish, await this.#meant(wish, directory));
  }

  /**
   * The same for a prompt. A client that names a model with each prompt names also the mode that it had before: an agent that lacks that mode of another agent works in
   * its own default mode, and `mapped` is told so.
   */
  async chooseForPrompt(wish: Wish, directory: string, mapped: (message: string) => void): Promise<Choice> {
    const meant = await this.#meant(wish, directory);
    const owner = wish.modelID === undefined ? undefined : foreignMode(wish.agent, meant, this.#discoveries.known());
    if (owner === undefined) return chosen(wish, meant);
    mapped(`${wish.agent} is a mode of ${owner}: ${meant.name} works in its own default mode`);
    return chosen({ ...wish, agent: BUILD }, meant);
  }

  async #meant({ providerID }: Wish, directory?: string): Promise<KnownAgent> {
    const { gateway } = this.#options;
    const name = providerID ?? gateway.defaultAgent;
    const agent = await this.agent(name, directory);
    if (!agent) {
      const named = gateway.agents().filter((one) => !isCommandName(one));
      throw badRequest(`no provider ${name}; there are: ${named.join(", ")}`);
    }
    return agent;
  }

  /** The same for a new session: the defaults fill in the choices that its creator left open, and the agent makes the rest. */
  async chooseForNew(wish: Wish, directory: string, mapped: (message: string) => void): Promise<Choice> {
    const said = present(wish);
    const whole = { ...(await this.#open(said)), ...said };
    const { mode, ...choice } = await this.chooseForPrompt(whole, directory, mapped);
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
    const { model, agent } = await this.#chosen();
    const mode = agent === undefined ? {} : { agent };
    if (providerID !== undefined) return mode;
    if (model !== undefined) return { ...this.split(model), ...mode };
    return { providerID: await this.firstAgent(), ...mode };
  }

  /** Asks the agents anew: somebody may have logged in. */
  refresh(): void {
    this.#discoveries.refresh();
  }

  /** Asks the agents again that may tell more than before: somebody may have installed one, or logged in. */
  renew(): void {
    this.#discoveries.renew(mayTellMore);
  }
}
