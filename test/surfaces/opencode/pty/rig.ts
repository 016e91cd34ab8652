import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { idSource } from "../../../../src/core/ids.ts";
import { createMetrics, type Metrics } from "../../../../src/core/metrics.ts";
import type { Gateway } from "../../../../src/gateway/gateway.ts";
import { Roots } from "../../../../src/host/files/roots.ts";
import { createProcessHost } from "../../../../src/host/process-host.ts";
import type { TerminalInfo } from "../../../../src/host/terminals/contract.ts";
import { OpenTerminals, type TerminalsOptions } from "../../../../src/host/terminals/terminals.ts";
import { createListener } from "../../../../src/server/http/listener.ts";
import { createOpencode } from "../../../../src/surfaces/opencode/app.ts";
import { createPtyUpgrade } from "../../../../src/surfaces/opencode/pty/socket.ts";
import { createSurface } from "../../../../src/surfaces/opencode/surface.ts";
import { SseClients } from "../../../../src/surfaces/stream/sse-clients.ts";
import { type LoggedLine, memoryLogger } from "../../../server/helpers.ts";
import { PtyClient } from "./client.ts";

export interface BusEvent {
  directory: string | null;
  type: string;
  properties: Record<string, unknown>;
}

export interface Rig {
  url: string;
  directory: string;
  terminals: OpenTerminals;
  /** The events that were published so far. */
  events: BusEvent[];
  lines: LoggedLine[];
  metrics: Metrics;
  call<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply<T>>;
  /** A terminal with a command of the shell in it. */
  run(script: string): Promise<TerminalInfo>;
  connect(id: string, query?: string): PtyClient;
  /** A client that has the replay behind it. */
  join(id: string, query?: string): Promise<PtyClient>;
}

export interface Reply<T> {
  status: number;
  body: T;
}

export interface RigOptions extends Partial<TerminalsOptions> {
  gateway?: Gateway;
}

const here = async (): Promise<void> => {};
const ALONE = {
  agents: () => [],
  defaultAgent: "",
  roots: new Roots(),
  enterDirectory: here,
  enterKeeper: here,
} as unknown as Gateway;

/** OpenCode's API on a port of its own, with nothing behind it but terminals. */
export async function startRig(t: TestContext, { gateway, ...options }: RigOptions = {}): Promise<Rig> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "parley-pty-")));
  const logger = memoryLogger();
  const terminals = new OpenTerminals({
    runDirectory: join(directory, "run"),
    instance: "rig",
    id: idSource(Date.now),
    ...options,
  });
  const metrics = createMetrics();
  const surface = createSurface({
    gateway: gateway ?? ALONE,
    clients: new SseClients(metrics),
    commands: createProcessHost({ runDirectory: join(directory, "run"), instance: "rig" }),
    terminals,
    version: "test",
    defaultDirectory: directory,
    dataDirectory: directory,
    logger,
  });
  const events: BusEvent[] = [];
  surface.bus.listen((where, { type, properties }) => events.push({ directory: where, type, properties }));
  const listener = createListener({
    host: "127.0.0.1",
    port: 0,
    token: null,
    mounts: [
      {
        match: () => true,
        load: async () => createOpencode(surface),
        loadUpgrade: async () => createPtyUpgrade(surface),
      },
    ],
    ready: async () => {},
    metrics,
    log: logger,
  });
  const { port } = await listener.listen();
  const url = `http://127.0.0.1:${port}`;
  t.after(async () => {
    await terminals.close();
    await listener.close(0);
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  });
  const rig: Rig = {
    url,
    directory,
    terminals,
    events,
    lines: logger.lines,
    metrics,
    call: (method, path, body, headers) => callJson(`${url}${path}`, method, body, headers),
    async run(script) {
      const { body } = await rig.call<TerminalInfo>("POST", "/pty", { command: "/bin/sh", args: ["-c", script] });
      return body;
    },
    connect: (id, query = "") => new PtyClient(`${url.replace("http", "ws")}/pty/${id}/connect${query}`),
    async join(id, query) {
      const client = rig.connect(id, query);
      await client.until("the replay is over", () => client.cursor !== undefined);
      return client;
    },
  };
  return rig;
}

export async function callJson<T>(
  url: string,
  method: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply<T>> {
  const json: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  const response = await fetch(url, { method, headers: { ...json, ...headers }, body: JSON.stringify(body) });
  const text = await response.text();
  return { status: response.status, body: (text === "" ? undefined : JSON.parse(text)) as T };
}
