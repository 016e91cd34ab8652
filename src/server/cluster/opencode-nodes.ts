import { realpath } from "node:fs/promises";
import type { Membership } from "../../cluster/membership.ts";
import { nodeOf, placesOf } from "../../cluster/node.ts";
import { Settings } from "../../cluster/settings.ts";
import type { Sql } from "../../cluster/sql.ts";
import type { Logger } from "../../core/logger.ts";
import type { Nodes, SeenDirectory, Told } from "../../surfaces/opencode/nodes/contract.ts";
import type { Peers } from "./peers.ts";
import { Tellings } from "./tellings.ts";

export interface OpencodeNodesOptions {
  sql: Sql;
  membership: Membership;
  peers: Peers;
  logger: Logger;
  /** Whether this node has a directory that it may work in. */
  has(directory: string): Promise<boolean>;
}

/** A directory as this node sees it; undefined where it does not have it. */
export async function seenHere(
  directory: string,
  has: OpencodeNodesOptions["has"],
): Promise<SeenDirectory | undefined> {
  if (!(await has(directory))) return undefined;
  const { projectOf } = await import("../../surfaces/opencode/workspace/project.ts");
  const real = await realpath(directory);
  return { real, project: projectOf(real) };
}

/** The other nodes, for OpenCode's surface. */
export function opencodeNodes({ sql, membership, peers, logger, has }: OpencodeNodesOptions): Nodes {
  const settings = new Settings(sql);
  const tellings = new Tellings<Told>({
    addresses: () => membership.peers().flatMap(({ address }) => (address === "" ? [] : [address])),
    send: peers.told,
    logger,
  });
  return {
    place: membership.place,
    node: () => membership.node,
    lives: (node) => membership.all().some((one) => one.node === node),
    has,
    async look(directory) {
      const others = placesOf(membership.peers()).filter((place) => place !== membership.place);
      const nodes = others.flatMap((place) => nodeOf(membership.peers(), place) ?? []);
      const seen = nodes.map(({ address }) => peers.look(address, directory).catch(() => undefined));
      return (await Promise.all(seen)).find((one) => one !== undefined);
    },
    read: (name) => settings.read(name),
    change: (name, next) => settings.change(name, next),
    tell: (told) => tellings.tell(told),
    remove: peers.remove,
  };
}
