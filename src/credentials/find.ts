import type { Credential, CredentialAgent, CredentialProblem, Environment, Found } from "./contract.ts";
import { isExpired, type Source } from "./contract.ts";
import { claudeStores, codexStores, opencodeStores } from "./stores.ts";
import { inVariables, VARIABLES, type Variable } from "./variables.ts";

export interface FindOptions {
  /** Variables that the house agent's endpoints name, by the endpoint. */
  endpoints?: Readonly<Record<string, string>>;
  /** The house agent takes API keys of Anthropic and OpenAI from every place. */
  houseTakesFound?: boolean;
}

const COMPANIES: readonly string[] = ["anthropic", "openai"];

function* every(env: Environment, { endpoints = {} }: FindOptions): Generator<Found> {
  yield { credentials: inVariables(env), problems: [] };
  const named = Object.entries(endpoints).map(
    ([provider, name]): Variable => ({ name, provider, kind: "api key", readBy: ["house"] }),
  );
  yield { credentials: inVariables(env, named), problems: [] };
  yield* claudeStores(env);
  yield* codexStores(env);
  yield* opencodeStores(env);
}

/** A variable that several agents know by their own settings is one credential, of the provider that was named first. */
function joined(all: readonly Credential[]): Credential[] {
  const kept: Credential[] = [];
  for (const credential of all) {
    const { kind, name } = credential.source;
    const known = kept.findIndex(({ source, secret }) => kind === "variable" && source.name === name && secret);
    const same = name === "OPENCODE_AUTH_CONTENT" ? undefined : kept[known];
    if (same) kept[known] = { ...same, readBy: [...new Set([...same.readBy, ...credential.readBy])] };
    else kept.push(credential);
  }
  return kept;
}

function withHouse(credential: Credential): Credential {
  const { kind, provider, readBy } = credential;
  if (kind !== "api key" || !COMPANIES.includes(provider) || readBy.includes("house")) return credential;
  return { ...credential, readBy: [...readBy, "house"] };
}

/** Every credential on this machine, in the order in which they count, and all that is wrong with their places. */
export function findAll(env: Environment, options: FindOptions = {}): Found {
  const credentials: Credential[] = [];
  const problems: CredentialProblem[] = [];
  for (const found of every(env, options)) {
    credentials.push(...found.credentials);
    problems.push(...found.problems);
  }
  const all = joined(credentials);
  return { credentials: options.houseTakesFound ? all.map(withHouse) : all, problems };
}

/** The place of an agent's credential. */
export interface CredentialPlace extends Source {
  /** A login whose time is over; the program may be able to renew it. */
  expired?: boolean;
}

function* placesOf(agent: Exclude<CredentialAgent, "house">, env: Environment): Generator<Found> {
  const variables = { credentials: inVariables(env, VARIABLES), problems: [] };
  if (agent === "claude") {
    yield variables;
    yield* claudeStores(env);
  } else if (agent === "codex") yield* codexStores(env);
  else {
    yield* opencodeStores(env);
    yield variables;
  }
}

/** Whether a login or a key of an agent is there, without running it. No place is read after the first that has one. */
export function findCredential(
  agent: Exclude<CredentialAgent, "house">,
  env: Environment,
  now = Date.now(),
): CredentialPlace | undefined {
  for (const { credentials } of placesOf(agent, env)) {
    const found = credentials.find(({ readBy }) => readBy.includes(agent));
    if (found) {
      const { source, kind } = found;
      return source.kind === "file" && kind === "oauth" ? { ...source, expired: isExpired(found, now) } : source;
    }
  }
  return undefined;
}

/** The first API key of a provider. */
export function findKey(provider: string, env: Environment): string | undefined {
  const { credentials } = findAll(env);
  return credentials.find((one) => one.provider === provider && one.kind === "api key")?.secret?.reveal();
}
