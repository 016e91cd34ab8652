import type { TestContext } from "node:test";
import type { ParleyOptions } from "../../../src/server/parley.ts";
import { eventually } from "../../support/eventually.ts";
import { OpencodeClient } from "../../support/opencode.ts";
import { sharedPostgres } from "../../support/postgres.ts";
import { agent, type Cleanup, startServer, type TestServer } from "../../support/server.ts";
import { openStream, type SseReader } from "../../support/sse.ts";

export interface Node {
  server: TestServer;
  url: string;
  client: OpencodeClient;
  /** The database of the nodes. */
  database: string;
}

export type NodeOptions = Partial<ParleyOptions> & { place?: string };

interface NodesAnswer {
  nodes: { name: string; address: string }[];
}

/** Nodes on a database of their own. Each knows the others when this resolves. */
export async function openNodes(t: Cleanup, each: readonly NodeOptions[]): Promise<Node[]> {
  const postgres = await sharedPostgres();
  const database = postgres.url(await postgres.createDatabase());
  const nodes: Node[] = [];
  for (const [at, options] of each.entries()) nodes.push(await openNode(t, database, `node-${at + 1}`, options));
  for (const node of nodes) await knows(node, nodes.length);
  return nodes;
}

/** Starts a node in this process. */
export async function openNode(t: Cleanup, database: string, name: string, given: NodeOptions): Promise<Node> {
  const { place = "here", ...options } = given;
  const server = await startServer(t, {
    agents: { told: agent("does-as-told") },
    defaultAgent: "told",
    database: { url: database, place, name },
    ...options,
  });
  const { url } = server.parley;
  return { server, url, client: new OpencodeClient(url), database };
}

/** Resolves when a node knows so many, all of which can be reached. */
export async function knows({ server }: Node, count: number): Promise<void> {
  await eventually(`a node knows ${count}`, async () => {
    const { nodes } = await server.api.expect<NodesAnswer>(200, "GET", "/v1/nodes");
    return nodes.length === count && nodes.every(({ address }) => address !== "");
  });
}

/** Two nodes of one place, of which the first is the keeper. */
export async function twoNodes(t: TestContext, options: NodeOptions = {}): Promise<[Node, Node]> {
  const [first, second] = await openNodes(t, [options, options]);
  if (!first || !second) throw new Error("expected two nodes");
  return [first, second];
}

export const inDirectory = (path: string, directory: string): string =>
  `${path}${path.includes("?") ? "&" : "?"}directory=${encodeURIComponent(directory)}`;

export function textParts(text: string): { parts: { type: "text"; text: string }[] } {
  return { parts: [{ type: "text", text }] };
}

export async function newSession({ client }: Node, directory: string): Promise<string> {
  const { id } = await client.expect<{ id: string }>(200, "POST", inDirectory("/session", directory), { body: {} });
  return id;
}

/** A session whose agent runs at a node, which therefore owns it. */
export async function heldSession(node: Node, directory: string, body: object = {}): Promise<string> {
  const { id } = await node.client.expect<{ id: string }>(200, "POST", inDirectory("/session", directory), { body });
  await node.client.expect(200, "POST", `/session/${id}/message`, { body: textParts("count 1"), operation: "any" });
  if (!node.server.parley.gateway.tenure.holds(id)) throw new Error("expected the node to hold the session");
  return id;
}

/** What a stream has said, in the form of /event. */
export interface Heard {
  id: string | undefined;
  event: { id: string; type: string; properties: Record<string, unknown> };
}

/** Follows an event stream; the caller leaves it. */
export async function follow(t: TestContext, url: string, headers: Record<string, string> = {}): Promise<SseReader> {
  const reader = await openStream(url, headers);
  t.after(() => reader.close());
  await heard(reader, ({ type }) => type === "server.connected", "server.connected");
  return reader;
}

export function heardBy(reader: SseReader): Heard[] {
  return reader.blocks.flatMap(({ id, data }) => {
    if (data === undefined) return [];
    const said = JSON.parse(data) as Heard["event"] & { payload?: Heard["event"] };
    return [{ id, event: said.payload ?? said }];
  });
}

/** Resolves with the first event that fits. */
export function heard(reader: SseReader, fits: (event: Heard["event"]) => boolean, what: string): Promise<Heard> {
  return reader.when(() => heardBy(reader).find(({ event }) => fits(event)), what);
}
