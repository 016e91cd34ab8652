import { SocketAddress } from "node:net";

/** A connection as the system sees it. */
export interface TcpEntry {
  /** `address:port` of the other side, spelled as Node spells it. */
  remote: string;
  localPort: number;
  /** How often the oldest bytes that nobody has confirmed were sent again. */
  resent: number;
}

const ESTABLISHED = "01";
const CLOSE_WAIT = "08";

/** Addresses are written in words of 32 bits, each with its last byte first. */
function addressOf(hex: string): string {
  const bytes = Buffer.from(hex, "hex");
  bytes.swap32();
  if (bytes.length === 4) return bytes.join(".");
  const address = bytes.toString("hex").replaceAll(/(.{4})(?!$)/g, "$1:");
  return new SocketAddress({ family: "ipv6", address }).address;
}

export function remoteName(address: string, port: number): string {
  return `${address}:${port}`;
}

/** Reads Linux's /proc/net/tcp or tcp6: the connections of a local port whose bytes were sent again. */
export function parseTcpTable(table: string, localPort: number): TcpEntry[] {
  const local = `:${localPort.toString(16).toUpperCase().padStart(4, "0")} `;
  const entries: TcpEntry[] = [];
  for (const line of table.split("\n")) {
    if (!line.includes(local)) continue;
    const [, own = "", remote = "", state = "", , , resent = ""] = line.trim().split(/\s+/);
    if (!`${own} `.endsWith(local) || (state !== ESTABLISHED && state !== CLOSE_WAIT)) continue;
    const count = Number.parseInt(resent, 16);
    if (!(count > 0)) continue;
    const [address = "", port = ""] = remote.split(":");
    entries.push({ remote: remoteName(addressOf(address), Number.parseInt(port, 16)), localPort, resent: count });
  }
  return entries;
}
