import { z } from "zod";
import { ParleyError } from "../../core/errors.ts";
import { get, post, type Route } from "./route.ts";

const node = z
  .looseObject({
    node: z.number().describe("counts the starts of all nodes"),
    name: z.string(),
    self: z.boolean().describe("the node that answers"),
    address: z.string().describe("where other nodes reach it; empty while it starts"),
    place: z.string().describe("nodes of one place have the same directories"),
    version: z.string(),
    draining: z.boolean(),
    leaseLeftMs: z.number().describe("negative when its lease is over"),
  })
  .meta({ id: "Node" });

/** The nodes of a server that is one of several. */
export interface NodesView {
  list(): Promise<z.output<typeof node>[]>;
  /** The places of sessions, by their ids. */
  places(sessions: readonly string[]): Promise<ReadonlyMap<string, string>>;
  drain(name: string): Promise<void>;
}

export function nodeRoutes(nodes: NodesView | undefined): Route[] {
  return [
    get("/v1/nodes", "listNodes", {
      summary: "The nodes that share the database. Empty where the server is alone with its data directory.",
      answer: z.looseObject({ nodes: z.array(node) }),
      errors: [503],
      handle: async () => ({ nodes: (await nodes?.list()) ?? [] }),
    }),
    post("/v1/nodes/{node}/drain", "drainNode", {
      summary: "Have a node take no new sessions, wait for its turns, and stop.",
      status: 202,
      answer: z.looseObject({ node: z.string(), draining: z.boolean() }),
      errors: [404, 503],
      handle: async ({ params }) => {
        if (!nodes) throw new ParleyError("not_found", "this server is alone with its data directory: stop it instead");
        await nodes.drain(params.node);
        return { node: params.node, draining: true };
      },
    }),
  ];
}
