import type { LanguageModel } from "ai";
import type { ModelFacts } from "./efforts.ts";
import { ANTHROPIC, type KnownModel, OPENAI } from "./known-models.ts";

/** The wire format of an endpoint: OpenAI's chat completions, OpenAI's responses, Anthropic's messages. */
export type WireFormat = "chat" | "responses" | "messages";

/** A server that speaks one of the formats. */
export interface Endpoint {
  url: string;
  format?: WireFormat;
  /** The environment variable that holds its key. */
  keyVariable?: string;
  models: readonly ModelFacts[];
}

export interface HouseConfig {
  /** The model of a session that names none. */
  model?: string;
  /** Further models of Anthropic or OpenAI, or better knowledge of known ones: `anthropic/…`, `openai/…`. */
  models?: readonly ModelFacts[];
  endpoints?: Readonly<Record<string, Endpoint>>;
}

/** Where a model is to be called. */
export interface Access {
  format: WireFormat;
  name: string;
  url?: string;
  key?: string;
}

export interface HouseModel extends ModelFacts {
  provider: string;
  /** The provider's own name of it. */
  model: string;
  /** Absent for the demo model. */
  access?: Access;
}

export interface Models {
  list: readonly HouseModel[];
  /** The model of that name; without a name the one to use by default. Throws for an unknown one. */
  find(id: string | undefined): HouseModel;
  /** Says how to get a model that is not in the list. */
  advice(id: string): string;
  load(model: HouseModel): Promise<LanguageModel>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Some programs want the version in the address and some do not: a bare address gets it. */
export function baseUrl(url: string | undefined, from = "the model's address"): string | undefined {
  if (!url) return undefined;
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
    throw new Error(`${from}: expected an address such as http://127.0.0.1:8080/v1, got ${JSON.stringify(url)}`);
  const { origin, pathname } = new URL(url);
  return pathname === "/" ? `${origin}/v1` : url.replace(/\/$/, "");
}

function withId(provider: string, known: KnownModel, access: Access): HouseModel {
  return { ...known, id: `${provider}/${known.id}`, provider, model: known.id, access };
}

function ofCompany(name: string, format: WireFormat, known: readonly KnownModel[], env: Environment): HouseModel[] {
  const variable = name.toUpperCase();
  const key = env[`${variable}_API_KEY`];
  if (!key) return [];
  const url = baseUrl(env[`${variable}_BASE_URL`], `${variable}_BASE_URL`);
  const access = { format, name, key, ...(url === undefined ? {} : { url }) };
  return known.map((model) => withId(name, model, access));
}

function ofEndpoint(name: string, endpoint: Endpoint, env: Environment): HouseModel[] {
  const { url, format = "chat", keyVariable, models } = endpoint;
  const key = keyVariable === undefined ? undefined : env[keyVariable];
  if (keyVariable !== undefined && !key) return [];
  const access = { format, name, url: baseUrl(url, `the url of endpoint ${name}`), ...(key ? { key } : {}) };
  return models.map((model) => ({ ...model, id: `${name}/${model.id}`, provider: name, model: model.id, access }));
}

/** The configuration's facts about a company's models, added to those that are known here or in their place. */
function improved(known: readonly HouseModel[], configured: readonly ModelFacts[]): HouseModel[] {
  const all = new Map(known.map((model) => [model.id, model]));
  for (const { id, ...facts } of configured) {
    const [provider = "", ...rest] = id.split("/");
    const access = known.find((model) => model.provider === provider)?.access;
    if (access) all.set(id, { ...all.get(id), ...facts, id, provider, model: rest.join("/"), access });
  }
  return [...all.values()];
}

const COMPANIES: readonly string[] = ["anthropic", "openai"];

function adviceFor(id: string, env: Environment, { endpoints = {} }: HouseConfig): string {
  const provider = id.split("/")[0] ?? "";
  const endpoint = endpoints[provider];
  const company = COMPANIES.includes(provider);
  const variable = company ? `${provider.toUpperCase()}_API_KEY` : endpoint?.keyVariable;
  if (variable !== undefined && !env[variable]) return `set ${variable} and start Parley again`;
  if (company) return "if there is such a model, add its id to house.models in the configuration";
  if (endpoint) return `add its id to house.endpoints.${provider}.models in the configuration`;
  return "name it as provider/model, and configure its endpoint unless the provider is anthropic or openai";
}

export const DEMO: HouseModel = {
  id: "scripted/demo",
  name: "Scripted (no model, no key)",
  provider: "scripted",
  model: "demo",
};

/** The library that sends a key repeats it in its error where it cannot be sent, and a turn's error is stored. */
function assertSendable({ provider, access }: HouseModel): void {
  if (/\p{Cc}/u.test(access?.key?.trim() ?? ""))
    throw new Error(`the key of ${provider} holds a line feed or another character that no key has: set it again`);
}

/** The models that can be used with what the environment and the configuration hold, best first. */
export function findModels(env: Environment, config: HouseConfig = {}): Models {
  const { endpoints = {}, models = [] } = config;
  const anthropic = ofCompany("anthropic", "messages", ANTHROPIC, env);
  const known = improved([...anthropic, ...ofCompany("openai", "responses", OPENAI, env)], models);
  const served = Object.entries(endpoints).flatMap(([name, endpoint]) => ofEndpoint(name, endpoint, env));
  const list = [...known, ...served, DEMO];
  const advice = (id: string): string => adviceFor(id, env, config);
  return {
    list,
    advice,
    find(id = config.model) {
      const found = id === undefined ? list[0] : list.find((model) => model.id === id);
      if (found) return found;
      const have = list.map((model) => model.id).join(", ");
      throw new Error(`no model ${id}; there are: ${have}${id === undefined ? "" : `; ${advice(id)}`}`);
    },
    async load(model) {
      assertSendable(model);
      const { loadModel } = await import("./providers.ts");
      return loadModel(model);
    },
  };
}
