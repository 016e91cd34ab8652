import { messageOf, ParleyError } from "../../core/errors.ts";
import { HOP_HEADER } from "./hop.ts";

/** How long a node has to answer another one's question. */
const ANSWER_MS = 2_000;

/** The paths that nodes have for each other. No client is let in. */
export const NODE_PATHS = { has: "/cluster/has", goOn: "/cluster/go-on", drain: "/cluster/drain" } as const;

export type Peers = ReturnType<typeof createPeers>;

/** Questions of one node to another. */
export function createPeers(secret: string) {
  async function call(address: string, path: string, body: Record<string, unknown>): Promise<Record<string, unknown>> {
    try {
      const response = await fetch(new URL(path, address), {
        method: "POST",
        headers: { [HOP_HEADER]: secret, "content-type": "application/json" },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(ANSWER_MS),
        redirect: "error",
      });
      const answer = (await response.json()) as Record<string, unknown>;
      if (response.ok) return answer;
      throw new Error(String(answer.detail ?? `it answered ${response.status}`));
    } catch (error) {
      throw new ParleyError("unavailable", `the node at ${address} does not help (${messageOf(error)})`, {}, error);
    }
  }
  return {
    has: async (address: string, directory: string): Promise<boolean> =>
      (await call(address, NODE_PATHS.has, { directory })).has === true,
    goOn: async (address: string, session: string): Promise<void> => {
      await call(address, NODE_PATHS.goOn, { session });
    },
    drain: async (address: string): Promise<void> => {
      await call(address, NODE_PATHS.drain, {});
    },
  };
}
