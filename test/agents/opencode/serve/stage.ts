import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { Api } from "../../../../src/agents/opencode/api.ts";
import type { Lease, ServerNeed, Servers } from "../../../../src/agents/opencode/serve/contract.ts";
import { createServers, type ServersOptions } from "../../../../src/agents/opencode/serve/servers.ts";
import type { Fields } from "../../../../src/core/json/fields.ts";
import type { LineProcess, SpawnSpec } from "../../../../src/host/contract.ts";
import { alive, type Identity, identify, makeHost } from "../../../host/support.ts";
import { PATIENCE_MS } from "../../../support/time.ts";

const STAND_IN = fileURLToPath(new URL("../../../fixtures/agents/opencode-serve.mjs", import.meta.url));

/** Looks every few milliseconds: a server that hangs is given up soon. */
export const QUICK_WATCH = { beatMs: 20, every: 2, limit: 50, silent: 150 };
/** For tests in which nothing may be given up, however slow the machine is. */
export const PATIENT_WATCH = { beatMs: 1_000, every: 5, limit: 100, silent: 1_000 };

export interface Stage {
  servers: Servers;
  directory: string;
  specs: SpawnSpec[];
  /** Done with each start, before it. */
  beforeSpawn?: (spec: SpawnSpec) => void;
  /** Those of the programs that were started and still run. */
  running(): Identity[];
}

type Given = Partial<ServersOptions> & { fault?: string; beforeSpawn?: (spec: SpawnSpec) => void };

/** Servers of a program that stands for the real one. */
export async function setStage(t: TestContext, { fault = "", beforeSpawn, env, ...more }: Given = {}): Promise<Stage> {
  const { host, directory } = await makeHost(t);
  const program = join(directory, "opencode");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${STAND_IN}" "$@"\n`);
  chmodSync(program, 0o755);
  mkdirSync(join(directory, "home"));
  const specs: SpawnSpec[] = [];
  const programs: { one: LineProcess; who: Identity }[] = [];
  const counting = {
    spawn(...given: Parameters<typeof host.spawn>) {
      beforeSpawn?.(given[0]);
      specs.push(given[0]);
      const one = host.spawn(...given);
      programs.push({ one, who: identify(one.pid) });
      return one;
    },
  };
  const servers = createServers({
    host: counting,
    dataDirectory: directory,
    env: { PARLEY_OPENCODE_BIN: program, HOME: join(directory, "home"), STAND_IN: fault, ...env },
    ports: { first: 24_200, last: 24_999 },
    readyMs: PATIENCE_MS,
    watch: PATIENT_WATCH,
    ...more,
  });
  t.after(() => servers.close());
  return { servers, directory, specs, running: () => programs.map(({ who }) => who).filter(alive) };
}

export const needOf = (stage: Pick<Stage, "directory">, more: Partial<ServerNeed> = {}): ServerNeed => ({
  directory: stage.directory,
  trusted: true,
  session: "ses_1",
  ...more,
});

export interface Told {
  pid: number;
  argv: string[];
  cwd: string;
  env: Record<string, string>;
  /** The bodies that it was sent. */
  posted: { name: string }[];
}

/** Facts that the stand-in tells of itself. */
export async function tell({ server }: Pick<Lease, "server">, path = "/told"): Promise<Told> {
  const told: Fields = await new Api(server, "/").fields("GET", path, { limitMs: PATIENCE_MS });
  return told as unknown as Told;
}
