import { join } from "node:path";
import { idSource } from "../../core/ids.ts";
import { silentLogger } from "../../core/logger.ts";
import { createMetrics } from "../../core/metrics.ts";
import { Gateway } from "../../gateway/gateway.ts";
import { acquireLock } from "../../host/data-lock.ts";
import { Roots } from "../../host/files/roots.ts";
import { createProcessHost } from "../../host/process-host.ts";
import { openLog } from "../../log/data-log.ts";
import { buildAgents, chooseDefaultAgent } from "../../server/agents.ts";
import { instanceOf } from "../../server/instance.ts";
import { mcpStore } from "../../server/mcp-store.ts";
import { AlreadyRunning } from "../../server/parley.ts";
import { TrustStore } from "../../server/trust/trust-store.ts";
import type { Settings } from "../config/settings.ts";

/** Forgets a session without a server: a gateway that takes no prompts, so that none that waits is run by the way. */
export async function removeOffline(settings: Settings, id: string): Promise<void> {
  const { dataDir: directory, sync, keepNative } = settings;
  const lock = await acquireLock(directory);
  if (!lock.ok) throw new AlreadyRunning(directory, lock.owner);
  try {
    const log = await openLog({ directory, sync, keepNative });
    try {
      const host = createProcessHost({ runDirectory: join(directory, "run"), instance: instanceOf(directory) });
      const agents = buildAgents(settings, host, directory);
      const gateway = new Gateway({
        ...settings,
        log,
        agents,
        processes: host,
        roots: new Roots(),
        trust: new TrustStore(settings.trust),
        mcp: mcpStore(directory),
        defaultAgent: await chooseDefaultAgent(agents, settings.defaultAgent),
        id: idSource(Date.now),
        now: Date.now,
        logger: silentLogger,
        metrics: createMetrics(),
      });
      await gateway.tenure.recover();
      await gateway.remove(id);
      await gateway.shutdown();
      await agents.close();
    } finally {
      await log.close();
    }
  } finally {
    lock.release();
  }
}
