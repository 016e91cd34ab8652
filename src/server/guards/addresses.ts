import { isIPv4, isIPv6 } from "node:net";

const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/**
 * One spelling for one address: no brackets, no zone, IPv6 in its short form, IPv4 inside IPv6 as IPv4. Anything that is
 * no address comes back as undefined, so that `127.1` or `0x7f000001` never pass for one.
 */
export function canonicalAddress(text: string): string | undefined {
  const bare = text.replace(/^\[(.*)\]$/, "$1").replace(/%.*$/, "");
  if (isIPv4(bare)) return bare;
  if (!isIPv6(bare)) return undefined;
  const short = new URL(`http://[${bare}]/`).hostname.slice(1, -1);
  const mapped = MAPPED.exec(short);
  if (!mapped) return short;
  const high = Number.parseInt(mapped[1] ?? "0", 16);
  const low = Number.parseInt(mapped[2] ?? "0", 16);
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

export function isLoopbackAddress(text: string): boolean {
  const address = canonicalAddress(text);
  return address === "::1" || address?.startsWith("127.") === true;
}

/** Whether a bind address can be reached from this machine only. A name other than localhost might be anything. */
export function isLoopbackBind(host: string): boolean {
  return host.toLowerCase() === "localhost" || isLoopbackAddress(host);
}

export function isWildcard(host: string): boolean {
  const address = canonicalAddress(host);
  return host === "" || address === "0.0.0.0" || address === "::";
}

export interface Authority {
  /** Lower case, without brackets or a trailing dot; an address in its one spelling. */
  name: string;
  port?: number;
}

const AUTHORITY = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)\.?)(?::(\d{1,5}))?$/i;

/** Reads `name`, `name:port` or `[ipv6]:port`; anything else is malformed. */
export function parseAuthority(text: string): Authority | undefined {
  const match = AUTHORITY.exec(text);
  if (!match) return undefined;
  const [, v6, name, digits] = match;
  const port = digits === undefined ? undefined : Number(digits);
  if (port !== undefined && (port < 1 || port > 65535)) return undefined;
  const known = v6 === undefined ? (name ?? "").toLowerCase() : canonicalAddress(v6);
  return known === undefined ? undefined : { name: known, port };
}
