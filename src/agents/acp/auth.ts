import type { Peer } from "./handshake.ts";
import type { KeyLogin } from "./options.ts";
import { AUTH_REQUIRED, type Response, type Rpc } from "./rpc.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface Login {
  keys: readonly KeyLogin[];
  env: Environment;
  /** How a person logs in. */
  login?: string | undefined;
}

/** A method that needs nothing but a variable that is there. */
export function keyMethod({ authMethods }: Pick<Peer, "authMethods">, { keys, env }: Login): string | undefined {
  const fits = ({ method, variables }: KeyLogin): boolean =>
    authMethods.some(({ id }) => id === method) && variables.some((name) => env[name]);
  return keys.find(fits)?.method;
}

/** The words for a person whose agent wants a login. */
export function loginWords({ authMethods }: Pick<Peer, "authMethods">, { login, keys }: Login, why: string): string {
  const methods = authMethods.map(({ name, description }) => (description ? `${name} (${description})` : name));
  const variables = keys.flatMap((key) => key.variables);
  const ways = [
    ...(login ? [login] : []),
    ...(variables.length > 0 ? [`set ${variables.join(" or ")}`] : []),
    ...(methods.length > 0 ? [`its ways to log in are: ${methods.join("; ")}`] : []),
  ];
  const todo = ways.length > 0 ? ways.join("; ") : "run the agent by itself and log in there";
  return `it wants a login first (${why}): ${todo}`;
}

/** Asks, and once more after a login by a key of the environment where the program wants one. */
export async function askLoggedIn(rpc: Rpc, peer: Peer, login: Login, ask: () => Promise<Response>): Promise<Response> {
  const first = await ask();
  if (first.error?.code !== AUTH_REQUIRED) return first;
  const methodId = keyMethod(peer, login);
  if (methodId === undefined) return first;
  const { error } = await rpc.ask("authenticate", { methodId });
  return error ? first : ask();
}
