import type { IncomingMessage } from "node:http";
import { ParleyError } from "../../core/errors.ts";
import { HOP_HEADER } from "../cluster/hop.ts";
import { asksForPage, isOpenConsole } from "../console/paths.ts";
import type { Authenticator } from "./auth.ts";
import { checkHost, type HostPolicy } from "./host-guard.ts";
import { checkOrigin, corsHeaders, type OriginPolicy, preflightHeaders } from "./origin-guard.ts";

/** The part of a request that decides whether it gets in. */
export type RequestHead = Pick<IncomingMessage, "method" | "url" | "headers" | "headersDistinct"> & {
  socket: { remoteAddress?: string; localAddress?: string };
};

export interface Doorkeeper {
  /** Whether only this machine can reach the server. */
  local: boolean;
  /** Whether browsers are shown the console. */
  console: boolean;
  hosts: HostPolicy;
  origins: OriginPolicy;
  auth: Authenticator;
  /** Whether a header shows that another node of this server's own passes the request on. */
  isHop?: (header: string) => boolean;
}

export type ResponseHeaders = Record<string, string | string[]>;

export type Admission =
  | { kind: "in"; headers: ResponseHeaders; authenticated: boolean; hop?: boolean }
  | { kind: "preflight"; headers: ResponseHeaders }
  | { kind: "refused"; by: "target" | "host" | "origin" | "auth"; error: ParleyError; headers: ResponseHeaders };

export function pathOf(target: string): string {
  return target.split("?", 1)[0] ?? "/";
}

/** Probes, the console's files and its entrance need no token; the numbers need none where only this machine, under its own name, can ask for them. */
function isOpen(request: RequestHead, loopbackName: boolean, door: Doorkeeper): boolean {
  const { method, url = "/" } = request;
  const path = pathOf(url);
  if (door.console && (isOpenConsole(method, path) || asksForPage(request))) return true;
  if (method !== "GET" && method !== "HEAD") return false;
  if (path === "/health" || path === "/ready") return true;
  return path === "/metrics" && loopbackName && door.local;
}

/** Every request and every upgrade goes this way: target, Host, Origin, token. */
export function admit(request: RequestHead, door: Doorkeeper, now: number): Admission {
  const { method = "GET", url = "/", headers, headersDistinct, socket } = request;
  if (!url.startsWith("/")) {
    const error = new ParleyError("bad_request", "expected a request target that begins with /: this is no proxy");
    return { kind: "refused", by: "target", error, headers: {} };
  }
  const shown = headersDistinct[HOP_HEADER];
  // Nodes call each other by addresses that clients may not use, and have checked the client themselves.
  if (shown?.length === 1 && door.isHop?.(shown[0] ?? ""))
    return { kind: "in", headers: {}, authenticated: true, hop: true };
  const host = checkHost(headersDistinct.host ?? [], door.hosts, socket.localAddress);
  if (!host.ok) return { kind: "refused", by: "host", error: host.error, headers: {} };

  const site = headersDistinct["sec-fetch-site"]?.[0];
  const mode = headersDistinct["sec-fetch-mode"]?.[0];
  const origin = checkOrigin({ origins: headersDistinct.origin ?? [], site, mode }, host.host, door.origins);
  if (!origin.ok) return { kind: "refused", by: "origin", error: origin.error, headers: corsHeaders(undefined) };
  const cors = corsHeaders(origin.listed);

  if (method === "OPTIONS" && headers.origin !== undefined && headers["access-control-request-method"] !== undefined) {
    const asked = {
      headers: headers["access-control-request-headers"],
      privateNetwork: headersDistinct["access-control-request-private-network"]?.[0],
    };
    return { kind: "preflight", headers: { ...cors, ...preflightHeaders(asked) } };
  }

  const { authorization, cookie } = headers;
  const client = headersDistinct["x-parley-client"]?.[0];
  const auth = door.auth.check({ authorization, cookie, url, site, client }, socket.remoteAddress ?? "", now);
  if (auth.ok) return { kind: "in", headers: cors, authenticated: true };
  if (isOpen(request, host.loopback, door)) return { kind: "in", headers: cors, authenticated: false };
  return { kind: "refused", by: "auth", error: auth.error, headers: { ...cors, ...auth.headers } };
}
