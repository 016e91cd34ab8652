import { messageOf, ParleyError } from "../../core/errors.ts";
import type { SeenDirectory, Told } from "../../surfaces/opencode/nodes/contract.ts";
import type { CodeVerdict } from "../console/codes.ts";
import { HOP_HEADER } from "./hop.ts";

/** How long a node has to answer another one's question. */
const ANSWER_MS = 2_000;
/** How long it has to end an agent. */
const REMOVE_MS = 60_000;

/** The paths that nodes have for each other. No client is let in. */
export const NODE_PATHS = {
  has: "/cluster/has",
  look: "/cluster/look",
  told: "/cluster/told",
  goOn: "/cluster/go-on",
  drain: "/cluster/drain",
  code: "/cluster/code",
} as const;

export type Peers = ReturnType<typeof createPeers>;

/** Questions of one node to another. */
export function createPeers(secret: string) {
  async function asked(address: string, path: string, request: RequestInit): Promise<Record<string, unknown>> {
    try {
      const response = await fetch(new URL(path, address), {
        signal: AbortSignal.timeout(ANSWER_MS),
        ...request,
        headers: { [HOP_HEADER]: secret, "content-type": "application/json" },
        redirect: "error",
      });
      const text = await response.text();
      const answer = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
      if (response.ok) return answer;
      throw new Error(String(answer.detail ?? `it answered ${response.status}`));
    } catch (error) {
      throw new ParleyError("unavailable", `the node at ${address} does not help (${messageOf(error)})`, {}, error);
    }
  }
  const call = (address: string, path: string, body: Record<string, unknown>): Promise<Record<string, unknown>> =>
    asked(address, path, { method: "POST", body: JSON.stringify(body) });
  return {
    has: async (address: string, directory: string): Promise<boolean> =>
      (await call(address, NODE_PATHS.has, { directory })).has === true,
    look: async (address: string, directory: string): Promise<SeenDirectory | undefined> =>
      (await call(address, NODE_PATHS.look, { directory })).seen as SeenDirectory | undefined,
    told: async (address: string, words: readonly Told[]): Promise<void> => {
      await call(address, NODE_PATHS.told, { words });
    },
    remove: async (address: string, session: string): Promise<void> => {
      const signal = AbortSignal.timeout(REMOVE_MS);
      await asked(address, `/v1/sessions/${encodeURIComponent(session)}`, { method: "DELETE", signal });
    },
    goOn: async (address: string, session: string): Promise<void> => {
      await call(address, NODE_PATHS.goOn, { session });
    },
    /** Takes a code that lets a browser in to the console. */
    code: async (address: string, code: string): Promise<CodeVerdict> =>
      (await call(address, NODE_PATHS.code, { code })).verdict as CodeVerdict,
    drain: async (address: string): Promise<void> => {
      await call(address, NODE_PATHS.drain, {});
    },
  };
}
