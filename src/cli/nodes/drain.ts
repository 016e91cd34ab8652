import { setTimeout as delay } from "node:timers/promises";
import { type ParleyClient, ParleyConnectionError, type ParleyNode } from "../../client/index.ts";
import { readLock } from "../../host/data-lock.ts";
import { withStore } from "../access/open-store.ts";
import { configure } from "../context.ts";
import { CliError, usageError } from "../exit.ts";
import type { CommonFlags } from "../options.ts";
import { tell } from "../tell.ts";
import { aloneLine } from "./list.ts";

export interface DrainFlags extends CommonFlags {
  wait?: boolean;
}

const LOOK_MS = 250;

/** The node of a name that was started last: an earlier one of the same name is about to be declared dead. */
function named(nodes: readonly ParleyNode[], name: string): ParleyNode {
  const found = nodes.filter((node) => node.name === name).toSorted((a, b) => b.node - a.node)[0];
  if (found) return found;
  throw usageError(`no node ${name}; there are: ${nodes.map((node) => node.name).join(", ")}`);
}

/** Whether a node is in the list no longer. The one that answers ends with its answers, and frees its data directory. */
async function isGone(
  client: ParleyClient,
  { node, self }: ParleyNode,
  dataDir: string,
  pid: number,
): Promise<boolean> {
  if (self) return readLock(dataDir)?.pid !== pid;
  try {
    return !(await client.nodes()).some((one) => one.node === node);
  } catch (error) {
    if (error instanceof ParleyConnectionError)
      throw new CliError("the server that was asked is gone itself: ask again by another node", undefined, error);
    throw error;
  }
}

/** Has a node take no new sessions and stop. */
export async function drain(name: string, { dataDir: given, json, wait }: DrainFlags): Promise<string> {
  const { settings } = await configure({ dataDir: given });
  const { dataDir } = settings;
  return withStore(settings, async (store) => {
    const { client } = store;
    if (!client) throw new CliError(`no server runs on ${dataDir}: run it where one of the nodes is`);
    const nodes = await store.nodes();
    if (!nodes) throw new CliError(`${aloneLine(true)}; to end it, stop it`);
    const node = named(nodes, name);
    const pid = readLock(dataDir)?.pid ?? 0;
    await client.drainNode(name);
    tell(`${name} drains: it takes no new sessions, and stops when its turns are over`);
    if (wait) {
      while (!(await isGone(client, node, dataDir, pid))) await delay(LOOK_MS);
      tell(`${name} is gone`);
    }
    return json ? `${JSON.stringify({ node: name, draining: true, gone: wait === true })}\n` : "";
  });
}
