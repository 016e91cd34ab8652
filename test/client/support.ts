import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Backoff } from "../../src/client/index.ts";
import { silentLogger } from "../../src/core/logger.ts";
import { type ParleyOptions, type Server, startServer as startIn } from "../../src/server/parley.ts";

export interface TestServer {
  url: string;
  port: number;
  parley: Server;
  dataDirectory: string;
  /** A directory for sessions. */
  directory: string;
  /** As a real shutdown does it: no new requests, agents closed, streams cut. */
  stop(): Promise<void>;
  /** The same data on the same port. */
  restart(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startServer(options: Partial<ParleyOptions> = {}): Promise<TestServer> {
  const home = await mkdtemp(join(tmpdir(), "parley-client-"));
  const start = (port: number): Promise<Server> =>
    startIn({
      dataDirectory: join(home, "data"),
      host: "127.0.0.1",
      port,
      token: null,
      allowHosts: [],
      cors: [],
      sync: "process",
      keepNative: false,
      agents: {},
      defaultAgent: "scripted",
      unattended: "wait",
      askDeadlineMs: 600_000,
      idleCloseMs: 600_000,
      idleAgents: 100,
      retainEvents: 0,
      directory: home,
      logger: silentLogger,
      version: "test",
      ...options,
    });
  const parley = await start(0);
  const server: TestServer = {
    url: parley.url,
    port: Number(new URL(parley.url).port),
    parley,
    dataDirectory: join(home, "data"),
    directory: home,
    async stop() {
      server.parley.listener.stopAccepting();
      await server.parley.close();
      server.parley.cutStreams();
      await server.parley.listener.close(100);
    },
    async restart() {
      await server.stop();
      server.parley = await start(server.port);
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
  return server;
}

/** Hardly any waiting between tries, so that tests with many cuts end soon. */
export const quick: Backoff = (attempt) => (attempt === 0 ? 0 : 5);

/** Numbers that are the same for the same seed, from 0 up to 1. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
