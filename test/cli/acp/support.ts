import { type Answerer, Peer } from "../../support/acp/peer.ts";
import { BIN, type Home } from "../support.ts";

export interface AcpStart {
  args?: readonly string[];
  env?: Record<string, string>;
  answer?: Answerer;
  /** Node's own arguments. */
  node?: readonly string[];
}

/** `parley acp` as an editor starts it. */
export function startAcp(home: Home, { args = [], env = {}, answer, node = [] }: AcpStart = {}): Peer {
  return new Peer({
    argv: [process.execPath, ...node, BIN, "acp", ...args],
    cwd: home.work,
    env: home.env(env),
    ...(answer ? { answer } : {}),
  });
}

/** The same, initialized, with a session. */
export async function openAcp(home: Home, start?: AcpStart): Promise<{ peer: Peer; session: string }> {
  const peer = startAcp(home, start);
  await peer.initialize();
  return { peer, session: await peer.newSession(home.work) };
}
