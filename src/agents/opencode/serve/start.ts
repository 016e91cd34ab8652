import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../../core/errors.ts";
import { within } from "../../../core/within.ts";
import { type Exit, type LineProcess, type ProcessHost, SpawnFailed, type SpawnSpec } from "../../../host/contract.ts";
import type { RunningServer } from "./contract.ts";
import { askHealth, type Health } from "./health.ts";
import { type Launch, passwordHeaders, type Start, serverSpec } from "./launch.ts";
import { isFree, type PortRange, portsOf, seemsFree } from "./ports.ts";

/** A probe of a server that has just begun to listen is short: requests that come too early are never answered. */
const PROBE_MS = 2_000;
const BETWEEN_PROBES_MS = 100;
const GRACE_MS = 1_000;
/** Starts that failed because another process had the port without listening, or took it in between. */
const MOST_STARTS = 5;

export interface StartOptions extends Launch {
  host: ProcessHost;
  ports: PortRange;
  /** How long all of it may take. */
  readyMs: number;
  /** Ends a start that is under way. */
  signal: AbortSignal;
  /** Called when the program starts. */
  begun?(): void;
}

type Need = Omit<Start, "port" | "password">;

/** Starts a server on a free port and waits until it answers. Rejects with `SpawnFailed`, in bounded time. */
export async function startServer(options: StartOptions, need: Need): Promise<RunningServer> {
  const { program, ports, readyMs, signal } = options;
  const late = AbortSignal.timeout(readyMs);
  const limit = AbortSignal.any([late, signal]);
  let starts = 0;
  let last: unknown;
  for (const port of portsOf(ports)) {
    if (limit.aborted || starts === MOST_STARTS) break;
    if (!(await seemsFree(port))) continue;
    starts++;
    const password = randomBytes(24).toString("base64url");
    const spec = await specOf(options, { ...need, port, password });
    try {
      const server = await startOn(options, spec, passwordHeaders(password), limit);
      return need.gate ? { ...server, gate: need.gate.id } : server;
    } catch (error) {
      last = signal.aborted ? new SpawnFailed("Parley is closing", spec) : error;
      // A port that is free again was not the cause.
      if (limit.aborted || (await isFree(port))) throw last;
    }
  }
  if (last !== undefined) throw last;
  const { first, last: end } = ports;
  const why = `no port from ${first} to ${end} is free: end one of the programs there, or set opencodePorts`;
  throw new SpawnFailed(why, { argv: [program, "serve"], directory: "/" });
}

async function specOf(launch: Launch, start: Start): Promise<SpawnSpec> {
  try {
    return await serverSpec(launch, start);
  } catch (error) {
    throw new SpawnFailed(messageOf(error), { argv: [launch.program, "serve"], directory: "/" });
  }
}

async function startOn(
  { host, readyMs, begun }: StartOptions,
  spec: SpawnSpec,
  headers: Record<string, string>,
  limit: AbortSignal,
): Promise<RunningServer> {
  const listening = Promise.withResolvers<string>();
  const program = host.spawn(begun ? { ...spec, hurried: true } : spec, {
    line(text) {
      const url = /listening on (https?:\/\/\S+)/.exec(text)?.[1];
      if (url !== undefined) listening.resolve(url.replace(/\/+$/, ""));
    },
    oversize() {},
  });
  begun?.();
  const gone = program.exited;
  const aborted = new Promise<"aborted">((resolve) => {
    if (limit.aborted) resolve("aborted");
    else limit.addEventListener("abort", () => resolve("aborted"), { once: true });
  });
  try {
    await program.started;
    const url = await Promise.race([listening.promise, gone, aborted]);
    if (typeof url !== "string") throw new SpawnFailed("it ended before it could be used", spec, url);
    if (url === "aborted") throw await failed(program, spec, `it did not say that it listens within ${readyMs} ms`);
    const health = await Promise.race([untilWell({ url, headers }, limit), gone]);
    if (health && "stderr" in health) throw new SpawnFailed("it ended before it could be used", spec, health);
    if (!health) throw await failed(program, spec, `it listens at ${url} but did not answer within ${readyMs} ms`);
    const { version } = health;
    return { url, headers, own: true, gone, kill: (graceMs) => program.kill(graceMs), ...(version ? { version } : {}) };
  } catch (error) {
    await program.kill(GRACE_MS);
    throw error;
  }
}

/** Ends a program that is of no use, and says why with its last words. */
async function failed(program: LineProcess, spec: SpawnSpec, why: string): Promise<SpawnFailed> {
  await program.kill(GRACE_MS);
  const exit: { value: Exit } | undefined = await within(program.exited, GRACE_MS);
  return new SpawnFailed(why, spec, exit?.value);
}

async function untilWell(
  server: Pick<RunningServer, "url" | "headers">,
  limit: AbortSignal,
): Promise<Health | undefined> {
  while (!limit.aborted) {
    const tried = AbortSignal.any([AbortSignal.timeout(PROBE_MS), limit]);
    const health = await askHealth(server, tried).catch(() => undefined);
    if (health?.well) return health;
    await sleep(BETWEEN_PROBES_MS, undefined, { signal: limit }).catch(() => {});
  }
  return undefined;
}
