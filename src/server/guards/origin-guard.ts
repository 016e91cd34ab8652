import { ParleyError } from "../../core/errors.ts";
import { type Authority, isLoopbackAddress, parseAuthority } from "./addresses.ts";

/** Origins of web pages, besides our own, that may use this server. */
export type OriginPolicy = ReadonlySet<string>;

const ORIGIN = /^([a-z][a-z0-9+.-]*):\/\/([^/\s@?#]+)$/;

export function originPolicy(cors: readonly string[]): OriginPolicy {
  return new Set(
    cors.map((entry) => {
      const origin = entry.toLowerCase().replace(/\/$/, "");
      if (!ORIGIN.test(origin) || origin.includes("*")) {
        throw new ParleyError(
          "invalid",
          `expected an exact origin for --cors, got "${entry}": give it as https://app.example`,
        );
      }
      return origin;
    }),
  );
}

export interface OriginHead {
  origins: readonly string[];
  /** `Sec-Fetch-Site` and `Sec-Fetch-Mode`, which only browsers send and no page can change. */
  site?: string;
  mode?: string;
}

export type OriginVerdict = { ok: true; listed?: string } | { ok: false; error: ParleyError };

function foreign(what: string, flagValue: string): OriginVerdict {
  const detail = `${what} may not use this server: start it with --cors ${flagValue} if it should`;
  return { ok: false, error: new ParleyError("forbidden", detail, { reason: "origin" }) };
}

/** We speak plain HTTP, so an https page of the same name is ours only where a proxy can stand, not on loopback. */
function isSameOrigin(origin: string, host: Authority): boolean {
  const match = ORIGIN.exec(origin);
  const authority = match?.[2] === undefined ? undefined : parseAuthority(match[2]);
  if (!match || !authority || authority.name !== host.name) return false;
  const loopback = host.name === "localhost" || isLoopbackAddress(host.name);
  if (match[1] !== "http" && (match[1] !== "https" || loopback)) return false;
  const usual = match[1] === "https" ? 443 : 80;
  return (authority.port ?? usual) === (host.port ?? usual);
}

/**
 * For every request, reads and upgrades too. Without an Origin it is not a page's script, but it may be an image or a
 * script tag of a foreign page, which newer browsers say; following a link stays allowed.
 */
export function checkOrigin(head: OriginHead, host: Authority, policy: OriginPolicy): OriginVerdict {
  const [value] = head.origins;
  if (value === undefined) {
    const abroad = head.site === "cross-site" || head.site === "same-site";
    return abroad && head.mode !== "navigate" ? foreign("a foreign page", "<its origin>") : { ok: true };
  }
  const origin = value.toLowerCase();
  if (head.origins.length > 1 || !ORIGIN.test(origin)) return foreign("a page without a clear origin", "<origin>");
  if (isSameOrigin(origin, host)) return { ok: true };
  if (policy.has(origin)) return { ok: true, listed: value };
  return foreign(`the origin ${value.slice(0, 200)}`, value.slice(0, 200));
}

/** The origin is echoed, never `*`, so that credentials may go with it. */
export function corsHeaders(listed: string | undefined): Record<string, string> {
  if (listed === undefined) return { vary: "Origin" };
  return {
    vary: "Origin",
    "access-control-allow-origin": listed,
    "access-control-allow-credentials": "true",
    "access-control-expose-headers": "x-request-id, retry-after, location, link, acp-connection-id",
  };
}

const HEADER_NAMES = /^[a-z0-9!#$%&'*+.^_`|~-]+(?:\s*,\s*[a-z0-9!#$%&'*+.^_`|~-]+)*$/i;

/** The answer to a preflight of a listed origin, which its owner trusts with any header and method. */
export function preflightHeaders(asked: { headers?: string; privateNetwork?: string }): Record<string, string> {
  const answer: Record<string, string> = {
    vary: "Origin, Access-Control-Request-Headers",
    "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
    "access-control-max-age": "600",
  };
  if (asked.headers && HEADER_NAMES.test(asked.headers)) answer["access-control-allow-headers"] = asked.headers;
  if (asked.privateNetwork === "true") answer["access-control-allow-private-network"] = "true";
  return answer;
}
