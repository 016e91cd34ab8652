import { isLoopbackBind, isWildcard, parseAuthority } from "./addresses.ts";

export const ADVERTISED_PHRASE = "an http or https address without a path, such as https://parley.example";

/**
 * The origin that a text names, in one spelling; undefined where it names none. A path is refused: Parley serves at the
 * top, and clients that put their own paths there would lose it.
 */
export function advertisedOrigin(text: string): string | undefined {
  const url = URL.parse(text.trim());
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  if (`${url.username}${url.password}${url.search}${url.hash}` !== "" || url.pathname !== "/") return undefined;
  if (text.includes("?") || text.includes("#")) return undefined;
  return parseAuthority(url.host) && !isWildcard(url.hostname) ? url.origin : undefined;
}

/** The name of an advertised origin, as a Host header has it. */
export function advertisedHost(origin: string): string {
  return new URL(origin).host;
}

/** Whether others than this machine can reach a server: by its address, or through what it advertises. */
export function isExposed(bind: string, advertise: string | undefined): boolean {
  return !isLoopbackBind(bind) || (advertise !== undefined && !isLoopbackBind(new URL(advertise).hostname));
}
