import { rmSync } from "node:fs";
import { isRuled } from "../../core/permissions/is-ruled.ts";
import type { ProcessHost } from "../../host/contract.ts";
import { SpawnFailed } from "../../host/contract.ts";
import type { Agent, AgentSession, OpenOptions } from "../contract.ts";
import { openLazily } from "../open-lazily.ts";
import { callsPlace } from "./calls/place.ts";
import type { Discoverer } from "./discovery/discover.ts";
import { copyAt } from "./resumption.ts";

export interface CodexOptions {
  host: ProcessHost;
  /** Parley's, in which it installs agents. */
  dataDirectory: string;
  /** Added to Parley's own environment. */
  env?: Readonly<Record<string, string | undefined>>;
  /** How long the program may take until it is ready; 60 s unless told. */
  readyMs?: number;
}

/** Codex, driven by its app server. Nothing of the adapter is loaded before it is asked for. */
export function createCodexAgent(options: CodexOptions): Agent {
  const { host, dataDirectory, env: extra = {}, readyMs } = options;
  const env = { ...process.env, ...extra };
  const calls = callsPlace(dataDirectory, env.XDG_RUNTIME_DIR);
  let cleared = false;
  let loading: Promise<Discoverer> | undefined;
  const discoverer = (): Promise<Discoverer> => {
    loading ??= import("./discovery/discover.ts").then(
      ({ Discoverer }) => new Discoverer({ host, dataDirectory, env, extra }),
    );
    return loading;
  };
  const load = async (): Promise<(open: OpenOptions) => AgentSession> => {
    const [{ CodexSession }, { findCodex }] = await Promise.all([import("./session.ts"), import("./find-program.ts")]);
    // The server of a data directory is the only one that writes there: what is left is of a crash.
    if (!cleared) rmSync(calls, { recursive: true, force: true });
    cleared = true;
    const found = await findCodex({ dataDirectory, env });
    return (open) => {
      if ("missing" in found) throw new SpawnFailed(found.missing, { argv: ["codex"], directory: open.directory });
      return new CodexSession({ host, program: found.path, env: extra, calls, readyMs }, open);
    };
  };
  return {
    name: "codex",
    capabilities: { fork: "point", rewind: "point", compact: true, mcp: ["stdio", "http"] },
    ruledAtStart: isRuled,
    copyAt,
    discover: async () => (await discoverer()).discover(),
    sessions: async (project) => (await discoverer()).sessions(project),
    async usable() {
      const [{ findCodex }, { findCredential }] = await Promise.all([
        import("./find-program.ts"),
        import("../../credentials/find.ts"),
      ]);
      const found = await findCodex({ dataDirectory, env });
      return !("missing" in found) && findCredential("codex", env) !== undefined;
    },
    async projectSettings(directory) {
      const { projectSettings } = await import("./discovery/project-settings.ts");
      return projectSettings(directory, env.HOME);
    },
    open: (open) => openLazily(open, load, ["steer", "compact", "decide"]),
  };
}
