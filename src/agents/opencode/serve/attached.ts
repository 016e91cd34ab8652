import { setTimeout as delay } from "node:timers/promises";
import { type ProjectSetting, shownSettings, trustCommand } from "../../../core/trust.ts";
import { SpawnFailed } from "../../../host/contract.ts";
import type { Lease, RunningServer, ServerNeed, Servers } from "./contract.ts";
import { askHealth, type Health } from "./health.ts";
import { passwordHeaders } from "./launch.ts";

const LIMIT_MS = 10_000;
const PAUSES_MS = [100, 400];

export interface AttachOptions {
  /** May hold a user name and a password. */
  url: string;
  env: Readonly<Record<string, string | undefined>>;
  projectSettings(directory: string): Promise<ProjectSetting[]>;
}

/** The address without the secrets in it, and the headers that stand for these. */
export function addressOf({ url, env }: Pick<AttachOptions, "url" | "env">): {
  url: string;
  headers: Record<string, string>;
} {
  const parsed = new URL(url);
  const user = decodeURIComponent(parsed.username) || env.OPENCODE_SERVER_USERNAME || undefined;
  const password = decodeURIComponent(parsed.password) || env.OPENCODE_SERVER_PASSWORD;
  const plain = `${parsed.protocol}//${parsed.host}${parsed.pathname.replace(/\/+$/, "")}`;
  return { url: plain, headers: password ? passwordHeaders(password, user) : {} };
}

/** A server that the user runs: never started and never ended by Parley. */
export function attachTo(options: AttachOptions): Servers {
  const { url, headers } = addressOf(options);
  const refusal = (why: string, { directory }: ServerNeed): SpawnFailed =>
    new SpawnFailed(why, { argv: ["opencode", "attach", url], directory });

  const check = async (need: ServerNeed): Promise<void> => {
    const { directory, trusted, mcpServers = [] } = need;
    if (mcpServers.length > 0)
      throw refusal(
        `the OpenCode server at ${url} cannot be given MCP servers: leave --opencode-url out, or them`,
        need,
      );
    if (trusted) return;
    const settings = await options.projectSettings(directory);
    if (settings.length === 0) return;
    const which = shownSettings(settings);
    throw refusal(
      `the OpenCode server at ${url} would load the settings of a directory that is not trusted: ${which}. Run "${trustCommand(directory)}", or leave --opencode-url out`,
      need,
    );
  };
  /** A question that fails on the way is asked again: a server behind a proxy may miss one. */
  const probe = async (): Promise<Health | undefined> => {
    for (const pause of PAUSES_MS) {
      const health = await askHealth({ url, headers }, AbortSignal.timeout(LIMIT_MS)).catch(() => undefined);
      if (health?.well || health?.status === 401) return health;
      await delay(pause);
    }
    return askHealth({ url, headers }, AbortSignal.timeout(LIMIT_MS)).catch(() => undefined);
  };
  let known: RunningServer | undefined;
  /** The same for all leases, until the user has updated it. */
  const serverOf = (version: string | undefined): RunningServer => {
    if (known && known.version === version) return known;
    const gone = new Promise<never>(() => {});
    known = { url, headers, own: false, gone, kill: async () => {}, ...(version ? { version } : {}) };
    return known;
  };
  return {
    async lease(need): Promise<Lease> {
      await check(need);
      const health = await probe();
      if (health?.status === 401)
        throw refusal(`the OpenCode server at ${url} wants another password: set OPENCODE_SERVER_PASSWORD`, need);
      if (!health?.well) {
        const port = new URL(url).port || "4096";
        throw refusal(
          `no OpenCode server answers at ${url}: start it with "opencode serve --port ${port}", or leave --opencode-url out`,
          need,
        );
      }
      return { server: serverOf(health.version), release() {} };
    },
    close: async () => {},
  };
}
