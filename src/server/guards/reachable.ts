import { isIPv6 } from "node:net";
import type { NetworkInterfaceInfo } from "node:os";
import { canonicalAddress, isLoopbackBind, isWildcard } from "./addresses.ts";

type Interfaces = Readonly<NodeJS.Dict<readonly Pick<NetworkInterfaceInfo, "address" | "internal" | "family">[]>>;

/** Such an address means something only with the interface's name, which no browser takes. */
const isLinkLocal = (address: string): boolean => /^fe[89ab]/i.test(address) || address.startsWith("169.254.");

export function urlFor(address: string, port: number): string {
  return `http://${isIPv6(address) ? `[${address}]` : address}:${port}`;
}

/** The addresses by which other machines reach a server that listens on `bind`, as far as this machine knows. */
export function reachableUrls(bind: string, port: number, interfaces: Interfaces): string[] {
  if (isLoopbackBind(bind)) return [];
  if (!isWildcard(bind)) return [urlFor(canonicalAddress(bind) ?? bind, port)];
  const both = canonicalAddress(bind) !== "0.0.0.0";
  return Object.values(interfaces)
    .flatMap((all) => all ?? [])
    .filter(({ internal, family, address }) => !internal && (both || family === "IPv4") && !isLinkLocal(address))
    .map(({ address }) => urlFor(address, port));
}
