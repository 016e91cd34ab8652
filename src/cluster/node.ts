/** A node that shares the database, as the database knows it. */
export interface NodeInfo {
  /** Counts the starts of all nodes: never used again. */
  node: number;
  name: string;
  /** Where other nodes reach it; empty until its port is open. */
  address: string;
  /** The label of nodes that have the same directories. */
  place: string;
  version: string;
  /** It takes no new sessions. */
  draining: boolean;
  /** How long its lease still runs; negative when it is over. */
  leaseLeftMs: number;
}

/** The node of a place that takes what nobody has: one that can be reached, and is not about to leave, where there is one. */
export function nodeOf(nodes: readonly NodeInfo[], place: string): NodeInfo | undefined {
  const there = nodes.filter((one) => one.place === place && one.address !== "" && one.leaseLeftMs > 0);
  return oldest(there.filter(({ draining }) => !draining)) ?? oldest(there);
}

function oldest(nodes: readonly NodeInfo[]): NodeInfo | undefined {
  return nodes.reduce<NodeInfo | undefined>((best, one) => (best && best.node < one.node ? best : one), undefined);
}

/** The places of nodes, sorted. */
export function placesOf(nodes: readonly NodeInfo[]): string[] {
  return [...new Set(nodes.map(({ place }) => place))].sort();
}
