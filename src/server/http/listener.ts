import { type AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { ParleyError } from "../../core/errors.ts";
import { present } from "../../core/json/fields.ts";
import type { Logger } from "../../core/logger.ts";
import type { Metrics } from "../../core/metrics.ts";
import type { Passing } from "../cluster/passing.ts";
import { ADVERTISED_PHRASE, advertisedHost, advertisedOrigin, isExposed } from "../guards/advertised.ts";
import { Authenticator } from "../guards/auth.ts";
import { refuseBind } from "../guards/bind-guard.ts";
import { BODY_LIMIT, type BodyTimes } from "../guards/body-limit.ts";
import { hostPolicy } from "../guards/host-guard.ts";
import { originPolicy } from "../guards/origin-guard.ts";
import { serverSeries } from "../logging/metrics.ts";
import { once } from "../once.ts";
import { DeadPeers } from "../peers/dead-peers.ts";
import { answerClientError } from "./client-errors.ts";
import type { InsideFetch } from "./inside/fetch.ts";
import { createMounts, type Mount } from "./mounts.ts";
import { createProbes } from "./probes.ts";
import { type Hall, requestListener } from "./requests.ts";
import { isWebSocket, upgradeListener } from "./upgrades.ts";

export interface ListenerOptions {
  host: string;
  /** 0 for any free one. */
  port: number;
  /** Null only for a loopback address. */
  token: string | null;
  /** Of that token; made here unless it is shared with others. */
  auth?: Authenticator;
  /** The origin that clients are told, where they come through a tunnel or a proxy. */
  advertise?: string;
  /** Whether browsers are shown the console; otherwise `/` and `/console/` are addresses like any other. */
  console?: boolean;
  allowHosts?: readonly string[];
  cors?: readonly string[];
  mounts: readonly Mount[];
  /** Resolves when the log and the disk take writes. */
  ready(): Promise<void>;
  /** Resolves when everything that is measured has a series in `metrics`. */
  measured?(): Promise<void>;
  /** Said on /health to anybody: the version and the like. */
  about?: Readonly<Record<string, unknown>>;
  metrics: Metrics;
  log: Logger;
  /** Passes requests on that belong to other nodes, where there are any. */
  passing?: Passing | undefined;
  bodyLimit?: number;
  bodyTimes?: BodyTimes;
  now?(): number;
}

export interface HttpListener {
  /** Resolves with the address and port that are really bound. */
  listen(): Promise<AddressInfo>;
  /** Imports the early surfaces ahead of their first request. */
  warm(): Promise<void>;
  /** Sends a request from inside of the process, without a socket. */
  fetch: InsideFetch;
  /** Takes no new connection, and answers 503 on those that are open. */
  stopAccepting(): void;
  /** Resolves when every request is over; after `graceMs` the rest is cut. */
  close(graceMs: number): Promise<void>;
}

/** A response may stream for hours; these only bound how long a request may take to come in. */
const TIMEOUTS = {
  headersTimeout: 15_000,
  requestTimeout: 120_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
} as const;

function checkedBind(host: string, authenticated: boolean, advertise?: string): void {
  const refusal = refuseBind(host, authenticated, advertise);
  if (refusal !== undefined) throw new ParleyError("forbidden", refusal);
}

function checkedOrigin(advertise: string | undefined): string | undefined {
  if (advertise === undefined) return undefined;
  const origin = advertisedOrigin(advertise);
  if (origin !== undefined) return origin;
  throw new ParleyError("invalid", `expected ${ADVERTISED_PHRASE}, for --advertise, got "${advertise}"`);
}

export function createListener(options: ListenerOptions): HttpListener {
  const { host: bind, metrics, log, now = () => performance.now() } = options;
  const advertise = checkedOrigin(options.advertise);
  checkedBind(bind, options.token !== null, advertise);
  let draining = false;
  const upgraded = new Set<Duplex>();
  const answering = new WeakSet<Duplex>();
  const told = advertise === undefined ? [] : [advertise];
  const hall: Hall = {
    door: {
      local: !isExposed(bind, advertise),
      console: options.console === true,
      hosts: hostPolicy(bind, [...(options.allowHosts ?? []), ...told.map(advertisedHost)]),
      origins: originPolicy([...(options.cors ?? []), ...told]),
      auth: options.auth ?? new Authenticator(options.token),
      ...present({ isHop: options.passing?.isHop }),
    },
    passing: options.passing,
    mounts: createMounts(options.mounts),
    series: serverSeries(metrics),
    log,
    bodyLimit: options.bodyLimit ?? BODY_LIMIT,
    bodyTimes: options.bodyTimes,
    draining: () => draining,
    now,
  };
  const probes = createProbes({
    about: options.about,
    ready: () => options.ready(),
    measured: async () => options.measured?.(),
    metrics,
    now,
  });
  const onRequest = requestListener(hall, probes);

  // A failed request must not become an unhandled rejection and end the server.
  const cut = (socket: Duplex) => (thrown: unknown) => {
    log.error({ err: thrown }, "a request failed outside its handler");
    socket.destroy();
  };

  // An import of it would read every export, and so load the built-in WebSocket and fetch, which take ten times as long as the server itself.
  const { createServer } = process.getBuiltinModule("node:http");
  const server = createServer({
    ...TIMEOUTS,
    maxHeaderSize: 16 * 1024,
    // The system asks an idle peer whether it is still there: after these 15 s, then each second, ten times.
    keepAlive: true,
    keepAliveInitialDelay: 15_000,
    // Our own guard answers a missing Host.
    requireHostHeader: false,
    // Anything else, such as an offer of h2c, is answered as the plain request it also is.
    shouldUpgradeCallback: isWebSocket,
  });
  const peers = new DeadPeers({ log });
  server.on("connection", (socket: Duplex) => {
    // A request from inside of the process has none.
    if (socket instanceof Socket) peers.watch(socket);
  });
  const closed = new Promise<void>((resolve) => server.once("close", resolve));
  for (const event of ["request", "checkContinue"] as const) {
    server.on(event, (request, response) => {
      answering.add(request.socket);
      response.once("close", () => {
        answering.delete(request.socket);
        if (draining) setImmediate(() => server.closeIdleConnections());
      });
      onRequest(request, response).catch(cut(request.socket));
    });
  }
  const onUpgrade = upgradeListener(hall, upgraded);
  server.on("upgrade", (request, socket, head) => void onUpgrade(request, socket, head).catch(cut(socket)));
  server.on("clientError", (error, socket) => answerClientError(error, socket, answering.has(socket)));

  function stopAccepting(): void {
    if (draining) return;
    draining = true;
    server.close();
  }

  const inside = once(async () => {
    const { insideFetch } = await import("./inside/fetch.ts");
    return insideFetch((socket) => server.emit("connection", socket));
  });

  return {
    listen() {
      return new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(options.port, bind.replace(/^\[(.*)\]$/, "$1") || undefined, () => {
          server.off("error", reject);
          const address = server.address() as AddressInfo;
          try {
            // A name may have meant something else than it said.
            checkedBind(address.address, options.token !== null);
            resolve(address);
          } catch (thrown) {
            server.close();
            reject(thrown);
          }
        });
      });
    },
    warm: () => hall.mounts.warm(),
    fetch: async (url, init) => (await inside())(url, init),
    stopAccepting,
    async close(graceMs) {
      stopAccepting();
      for (const socket of upgraded) socket.destroy();
      const timer = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(timer);
    },
  };
}
