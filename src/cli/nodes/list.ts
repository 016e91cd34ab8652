import type { ParleyNode } from "../../client/index.ts";
import { withStore } from "../access/open-store.ts";
import { configure } from "../context.ts";
import type { CommonFlags } from "../options.ts";
import { safeLine } from "../output/safe-text.ts";
import { type Column, table } from "../output/table.ts";
import { tell } from "../tell.ts";

const COLUMNS: Column[] = ["NAME", "PLACE", { name: "ADDRESS", cut: "end" }, "VERSION", "LEASE", "STATE"];

/** The line for a server, or a machine, that shares no database. */
export function aloneLine(running: boolean): string {
  const who = running
    ? "this server is alone with its data directory"
    : "no server runs here, and no database is configured";
  return `${who}: --database (PARLEY_DATABASE) makes it one of several nodes`;
}

function stateOf({ address, draining, leaseLeftMs }: ParleyNode): string {
  if (leaseLeftMs <= 0) return "lease over";
  if (draining) return "draining";
  return address === "" ? "starting" : "up";
}

function rowOf(node: ParleyNode): string[] {
  const { name, self, place, address, version, leaseLeftMs } = node;
  const left = leaseLeftMs <= 0 ? "-" : `${Math.ceil(leaseLeftMs / 1000)}s`;
  return [
    `${safeLine(name)}${self ? " *" : ""}`,
    safeLine(place),
    safeLine(address) || "-",
    safeLine(version),
    left,
  ].concat(stateOf(node));
}

/** The nodes as a table, in the order of their names. */
export function nodesTable(nodes: readonly ParleyNode[], width?: number): string {
  const sorted = nodes.toSorted((a, b) => (a.name === b.name ? a.node - b.node : a.name < b.name ? -1 : 1));
  return table(COLUMNS, sorted.map(rowOf), width);
}

/** The nodes that share the database: as the running server tells them, else as the database does. */
export async function listNodes({ dataDir, json }: CommonFlags): Promise<string> {
  const { settings } = await configure({ dataDir });
  const { nodes, running } = await withStore(settings, async (store) => ({
    nodes: await store.nodes(),
    running: store.client !== undefined,
  }));
  if (json) return `${JSON.stringify(nodes ?? [])}\n`;
  if (nodes === undefined) {
    tell(aloneLine(running));
    return "";
  }
  if (nodes.length === 0) {
    tell("no node is up on this database: parley serve starts one");
    return "";
  }
  return nodesTable(nodes);
}
