import { hostname } from "node:os";
import { present } from "../../core/json/fields.ts";
import type { ClusterSettings } from "../../server/cluster/cluster.ts";
import { directoryIdentity } from "../../server/cluster/identity.ts";
import type { Layer, Settings } from "../config/settings.ts";
import { usageError } from "../exit.ts";

const NO_PASSWORD =
  "a password in --database is seen in every list of processes: give the address by PARLEY_DATABASE or the user's configuration, or the password by PGPASSWORD";

/** Renewals of a shorter one could not be told from failures. */
const SHORTEST_LEASE_MS = 1_000;

/** A host's name as a label: other characters are left out. */
function hostLabel(): string {
  return (
    hostname()
      .replaceAll(/[^A-Za-z0-9._-]/g, "-")
      .slice(0, 40) || "host"
  );
}

const hasPassword = (url: string): boolean => /^[a-z]+:\/\/[^/?#]*:[^/?#]*@/.test(url) || /[?&]password=/.test(url);

/** Refuses a password where others can read it. */
export function assertNoPassword({ databaseUrl, databaseListen }: Pick<Layer, "databaseUrl" | "databaseListen">): void {
  for (const url of [databaseUrl, databaseListen])
    if (url !== undefined && hasPassword(url)) throw usageError(NO_PASSWORD);
}

/** The words of a database's address that no log may show. */
export function databaseSecrets({ databaseUrl, databaseListen }: Settings): string[] {
  const urls = [databaseUrl, databaseListen].filter((url) => url !== undefined);
  const passwords = urls.flatMap((url) => /^[a-z]+:\/\/[^/?#]*?:([^/?#]*)@/.exec(url)?.[1] ?? []);
  const more = urls.flatMap((url) => /[?&]password=([^&]*)/.exec(url)?.[1] ?? []);
  const all = [...passwords, ...more, process.env.PGPASSWORD ?? ""];
  return [...new Set([...all, ...all.map(decoded)])].filter((secret) => secret.length > 3);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** An address with the password that the environment gives, where it has none of its own. */
function withPassword(url: string): string {
  const { PGPASSWORD: password } = process.env;
  if (!password || hasPassword(url)) return url;
  return `${url}${url.includes("?") ? "&" : "?"}password=${encodeURIComponent(password)}`;
}

/** The database of a server that is one of several nodes; undefined for one that is alone. */
export function nodeSettings(settings: Settings): ClusterSettings | undefined {
  const {
    databaseUrl: url,
    databaseListen: listenUrl,
    place,
    nodeName,
    nodeAddress: address,
    nodeLeaseMs,
    dataDir,
  } = settings;
  if (url === undefined) return undefined;
  if (nodeLeaseMs < SHORTEST_LEASE_MS) throw usageError("--node-lease: expected at least 1s");
  const [own, listen] = [url, listenUrl].map((one) => (one === undefined ? undefined : withPassword(one)));
  // An agent that inherited it could change what is stored.
  delete process.env.PGPASSWORD;
  const name = nodeName ?? `${hostLabel()}-${directoryIdentity(dataDir).slice(0, 4)}`;
  return {
    url: own ?? url,
    place: place ?? hostLabel(),
    name,
    leaseMs: nodeLeaseMs,
    ...present({ listenUrl: listen, address }),
  };
}
