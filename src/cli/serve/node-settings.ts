import { hostname } from "node:os";
import { present } from "../../core/json/fields.ts";
import type { ClusterSettings } from "../../server/cluster/cluster.ts";
import { directoryIdentity } from "../../server/cluster/identity.ts";
import type { Settings } from "../config/settings.ts";
import { usageError } from "../exit.ts";

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
  const name = nodeName ?? `${hostLabel()}-${directoryIdentity(dataDir).slice(0, 4)}`;
  return { url, place: place ?? hostLabel(), name, leaseMs: nodeLeaseMs, ...present({ listenUrl, address }) };
}
