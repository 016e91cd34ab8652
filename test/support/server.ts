import assert from "node:assert/strict";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openLog } from "../../src/log/data-log.ts";
import type { ConfiguredAgent } from "../../src/server/agents.ts";
import { type ParleyOptions, type Server, startServer as startIn } from "../../src/server/parley.ts";
import { type LoggedLine, memoryLogger } from "../server/helpers.ts";
import { Api } from "./api.ts";
import { assertLogLawful } from "./laws.ts";
import { strays } from "./process.ts";

/** The way in which test servers open their log. A test file may choose another before it starts one. */
export const logs = { open: openLog };

export interface TestServer {
  api: Api;
  parley: Server;
  dataDirectory: string;
  /** The directory of sessions that name none. */
  directory: string;
  /** The lines of the server's log. */
  lines: LoggedLine[];
  /** As a real shutdown does it, after which the laws are seen to hold in every session and no process is left. */
  stop(): Promise<void>;
  /** Stops without a look at the laws: for a log that was damaged on purpose. */
  halt(): Promise<void>;
  /** The same data, on another port. */
  restart(options?: Partial<ParleyOptions>): Promise<void>;
}

/** The owner of resources, which it closes at its end: a test, or a stage that several tests share. */
export interface Cleanup {
  after(close: () => Promise<void>): void;
}

/** One of the programs in test/fixtures/agents, or of those beside this file. */
export function agent(name: string, ...args: (string | number)[]): ConfiguredAgent {
  const folder = name.includes("/") ? "." : "../fixtures/agents";
  const path = fileURLToPath(new URL(`${folder}/${name}.mjs`, import.meta.url));
  return { command: [process.execPath, path, ...args.map(String)] };
}

export async function temporary(t: Cleanup, name = "parley-"): Promise<string> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), name)));
  t.after(() => rm(directory, { recursive: true, force: true, maxRetries: 3 }));
  return directory;
}

/** A whole server in this process, on a free port of loopback, without a token. */
export async function startServer(t: Cleanup, options: Partial<ParleyOptions> = {}): Promise<TestServer> {
  const home = await realpath(await mkdtemp(join(tmpdir(), "parley-")));
  const dataDirectory = options.dataDirectory ?? join(home, "data");
  const logger = memoryLogger();
  const start = (more: Partial<ParleyOptions>): Promise<Server> =>
    startIn({
      host: "127.0.0.1",
      port: 0,
      token: null,
      allowHosts: [],
      cors: [],
      sync: "process",
      keepNative: true,
      agents: {},
      defaultAgent: "scripted",
      unattended: "wait",
      askDeadlineMs: 600_000,
      idleCloseMs: 600_000,
      idleAgents: 100,
      retainEvents: 0,
      directory: home,
      logger,
      version: "test",
      openLog: logs.open,
      ...options,
      ...more,
      dataDirectory,
    });
  const parley = await start({});
  let running = true;
  const server: TestServer = {
    api: new Api(parley.url, options.token),
    parley,
    dataDirectory,
    directory: home,
    lines: logger.lines,
    async stop() {
      if (!running) return;
      running = false;
      const { gateway, listener, close, cutStreams } = server.parley;
      listener.stopAccepting();
      await gateway.shutdown();
      try {
        await assertLogLawful(gateway.log);
      } finally {
        await close();
        cutStreams();
        await listener.close(1_000);
      }
      assert.deepEqual(strays(dataDirectory), [], "processes of agents are left");
    },
    async halt() {
      if (!running) return;
      running = false;
      const { listener, close, cutStreams } = server.parley;
      listener.stopAccepting();
      await close();
      cutStreams();
      await listener.close(1_000);
    },
    async restart(more = {}) {
      await server.stop();
      server.parley = await start(more);
      server.api = new Api(server.parley.url, options.token);
      running = true;
    },
  };
  t.after(async () => {
    try {
      await server.stop();
    } finally {
      await rm(home, { recursive: true, force: true, maxRetries: 3 });
    }
  });
  return server;
}
