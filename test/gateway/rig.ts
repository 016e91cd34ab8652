import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { ParleyEvent } from "../../src/core/events/event.ts";
import { idSource } from "../../src/core/ids.ts";
import { checkLaws } from "../../src/core/ledger/laws.ts";
import { silentLogger } from "../../src/core/logger.ts";
import { createMetrics } from "../../src/core/metrics.ts";
import { Gateway } from "../../src/gateway/gateway.ts";
import type { GatewayOptions } from "../../src/gateway/options.ts";
import { readEvents } from "../../src/gateway/read-events.ts";
import { Roots } from "../../src/host/files/roots.ts";
import { createProcessHost } from "../../src/host/process-host.ts";
import type { Log } from "../../src/log/contract.ts";
import { openSqliteLog } from "../../src/log/sqlite/open.ts";
import { mcpStore } from "../../src/server/mcp-store.ts";
import { TrustStore } from "../../src/server/trust/trust-store.ts";
import { whenStored } from "../support/when-stored.ts";
import { FakeAgent } from "./fake-agent.ts";

export interface Rig {
  directory: string;
  log: Log;
  gateway: Gateway;
  fake: FakeAgent;
  /** All events of a session so far. */
  events(session: string): Promise<ParleyEvent[]>;
  /** Resolves with the first event that fits, past or to come. */
  until(session: string, fits: (event: ParleyEvent) => boolean): Promise<ParleyEvent>;
  /** The laws hold and nothing is open. */
  assertLawful(session: string): Promise<ParleyEvent[]>;
}

/** A gateway with a fake agent, unless others are given. */
export function gatewayOn(log: Log, directory: string, options: Partial<GatewayOptions> = {}): Gateway {
  return new Gateway({
    log,
    agents: new Map([["fake", new FakeAgent()]]),
    processes: createProcessHost({ runDirectory: join(directory, "run"), instance: "gateway-test" }),
    roots: new Roots(),
    trust: new TrustStore({ configured: [] }),
    mcp: mcpStore(directory),
    defaultAgent: "fake",
    id: idSource(Date.now),
    now: Date.now,
    logger: silentLogger,
    metrics: createMetrics(),
    unattended: "wait",
    askDeadlineMs: 60_000,
    idleCloseMs: 60_000,
    idleAgents: 100,
    retainEvents: 0,
    ...options,
  });
}

/** A gateway on a log of its own with a fake agent, cleaned up after the test. */
export async function rig(
  t: TestContext,
  options: Partial<GatewayOptions> & { wrap?: (log: Log) => Log } = {},
): Promise<Rig> {
  const directory = await mkdtemp(join(tmpdir(), "parley-gateway-"));
  const { wrap = (plain: Log) => plain, ...rest } = options;
  const log = wrap(await openSqliteLog({ directory, sync: "process" }));
  const fake = new FakeAgent();
  const gateway = gatewayOn(log, directory, { agents: new Map([["fake", fake]]), ...rest });
  t.after(async () => {
    await gateway.shutdown();
    await log.close();
    await rm(directory, { recursive: true, force: true });
  });
  const events = (session: string): Promise<ParleyEvent[]> => readEvents(log, session, 0);
  const until: Rig["until"] = (session, fits) => whenStored(log, session, fits);
  const assertLawful = async (session: string): Promise<ParleyEvent[]> => {
    const all = await events(session);
    assert.deepEqual(checkLaws(all, { final: true }), []);
    return all;
  };
  return { directory, log, gateway, fake, events, until, assertLawful };
}

export const ended = (event: ParleyEvent): boolean => event.type === "turn.ended";

export function text(value: string, extra: object = {}): { parts: { type: "text"; text: string }[] } {
  return { parts: [{ type: "text", text: value }], ...extra };
}

export function types(events: readonly ParleyEvent[]): string[] {
  return events.map((event) => event.type);
}
