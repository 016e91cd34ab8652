import { ParleyError } from "../../core/errors.ts";
import { type Authority, canonicalAddress, isLoopbackAddress, isWildcard, parseAuthority } from "./addresses.ts";

/** Names under which a browser may know this server. Everything else may be a foreign name rebound to our address. */
export interface HostPolicy {
  names: ReadonlySet<string>;
}

const ALWAYS = ["localhost", "127.0.0.1", "::1"];

export function hostPolicy(bind: string, allow: readonly string[] = []): HostPolicy {
  const names = new Set(ALWAYS);
  if (!isWildcard(bind)) names.add(canonicalAddress(bind) ?? bind.toLowerCase());
  for (const entry of allow) {
    const authority = parseAuthority(entry);
    if (!authority) {
      throw new ParleyError("invalid", `expected a host name for --allow-host, got "${entry}": give it as example.org`);
    }
    names.add(authority.name);
  }
  return { names };
}

export type HostVerdict = { ok: true; host: Authority; loopback: boolean } | { ok: false; error: ParleyError };

function wrong(reason: string): HostVerdict {
  return { ok: false, error: new ParleyError("wrong_host", reason) };
}

/**
 * Only the name is checked: a port may differ through a tunnel, and says nothing about who named us. An address is
 * accepted when it is the one the connection really came in on, because no DNS answer can forge that.
 */
export function checkHost(values: readonly string[], policy: HostPolicy, localAddress?: string): HostVerdict {
  const [value] = values;
  if (value === undefined || value === "")
    return wrong("expected a Host header, got none: send the name of this server");
  if (values.length > 1) return wrong(`expected one Host header, got ${values.length}: send one`);
  const host = parseAuthority(value);
  if (!host) return wrong("expected a Host header of the form name or name:port, got something else");
  const loopback = host.name === "localhost" || isLoopbackAddress(host.name);
  if (policy.names.has(host.name)) return { ok: true, host, loopback };
  const reached = localAddress === undefined ? undefined : canonicalAddress(localAddress);
  if (reached !== undefined && reached === host.name) return { ok: true, host, loopback };
  return wrong(`this server is not known as ${host.name}: start it with --allow-host ${host.name} if it should be`);
}
