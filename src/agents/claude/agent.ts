import type { ProcessHost } from "../../host/contract.ts";
import { SpawnFailed } from "../../host/contract.ts";
import type { Agent, AgentSession, OpenOptions } from "../contract.ts";
import { openLazily } from "../open-lazily.ts";
import type { Discoverer, Told } from "./discover.ts";
import type { Probed } from "./probe.ts";
import { assertResumable, copyAt } from "./resumption.ts";

export interface ClaudeOptions {
  host: ProcessHost;
  /** Parley's, in which it installs agents. */
  dataDirectory: string;
  /** Added to Parley's own environment. */
  env?: Readonly<Record<string, string | undefined>>;
  /** How long the program may take until it is ready; 60 s unless told. */
  readyMs?: number;
}

/** Claude Code, driven by its own command line. Nothing of the adapter is loaded before it is asked for. */
export function createClaudeAgent(options: ClaudeOptions): Agent {
  const { host, dataDirectory, env: extra = {}, readyMs } = options;
  const env = { ...process.env, ...extra };
  let cleared = false;
  let loading: Promise<Discoverer> | undefined;
  const discoverer = (): Promise<Discoverer> => {
    loading ??= import("./discover.ts").then(({ Discoverer }) => new Discoverer({ host, dataDirectory, env, extra }));
    return loading;
  };
  const load = async (tell: (told: Told) => void): Promise<(open: OpenOptions) => AgentSession> => {
    const [{ ClaudeSession }, { findClaude }, { forgetMcpConfigs }] = await Promise.all([
      import("./session.ts"),
      import("./find-program.ts"),
      import("./mcp-config.ts"),
    ]);
    if (!cleared) forgetMcpConfigs(dataDirectory);
    cleared = true;
    const found = await findClaude({ dataDirectory, env });
    return (open) => {
      if ("missing" in found) throw new SpawnFailed(found.missing, { argv: ["claude"], directory: open.directory });
      const { path } = found;
      const learned = (told: Probed): void => tell({ path, ...told });
      assertResumable(open.resume);
      return new ClaudeSession({ host, dataDirectory, program: path, env: extra, learned, readyMs }, open);
    };
  };
  return {
    name: "claude",
    capabilities: { fork: "point", rewind: "point", compact: "/compact", mcp: ["stdio", "http", "sse"] },
    copyAt,
    discover: async () => (await discoverer()).discover(),
    async usable() {
      const [{ findClaude }, { findCredential }] = await Promise.all([
        import("./find-program.ts"),
        import("../../credentials/find.ts"),
      ]);
      const found = await findClaude({ dataDirectory, env });
      return !("missing" in found) && findCredential("claude", env) !== undefined;
    },
    async projectSettings(directory) {
      const { projectSettings } = await import("./project-settings.ts");
      return projectSettings(directory, env.HOME);
    },
    open(open) {
      const told = Promise.withResolvers<Told | undefined>();
      void discoverer().then((one) => one.expect(told.promise));
      const session = openLazily(open, () => load(told.resolve), ["steer", "decide"]);
      // A program that is ready has told it before.
      void session
        .ready()
        .catch(() => {})
        .then(() => told.resolve(undefined));
      return session;
    },
  };
}
