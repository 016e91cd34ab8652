import type { Peer } from "./handshake.ts";

/** The words for a person whose agent wants a login; `login` says how a person logs in. */
export function loginWords({ authMethods }: Pick<Peer, "authMethods">, login: string | undefined, why: string): string {
  const methods = authMethods.map(({ name, description }) => (description ? `${name} (${description})` : name));
  const ways = [
    ...(login ? [login] : []),
    ...(methods.length > 0 ? [`its ways to log in are: ${methods.join("; ")}`] : []),
  ];
  const todo = ways.length > 0 ? ways.join("; ") : "run the agent by itself and log in there";
  return `it wants a login first (${why}): ${todo}`;
}
