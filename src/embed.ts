import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { defaultDataDir } from "./cli/config/paths.ts";
import { defaultSettings } from "./cli/config/settings.ts";
import { packageVersion } from "./cli/version.ts";
import { silentLogger } from "./core/logger.ts";
import type { Gateway } from "./gateway/gateway.ts";
import { loadToken } from "./server/guards/token.ts";
import { type ParleyOptions, startServer } from "./server/parley.ts";

/** The settings of a server; each has the default of `parley serve` unless said otherwise. */
export interface EmbedOptions extends Partial<ParleyOptions> {
  /** Any free port by default. */
  port?: number;
  /** The one that is kept in the data directory by default; null for none, on loopback only. */
  token?: string | null;
  /** The working directory by default. */
  directory?: string;
  /** Nothing is logged by default. */
  logger?: ParleyOptions["logger"];
}

/** A server inside of this process. */
export interface Parley extends AsyncDisposable {
  url: string;
  /** The token that clients need. */
  token: string | null;
  gateway: Gateway;
  /** Lets the agents go, closes the log and the port. Calling it again is harmless. */
  close(): Promise<void>;
}

/** The time for open requests once the agents are closed. */
const LAST_REQUESTS_MS = 1_000;

/** Where the lock and the table of processes are kept: in a directory of their own if the log is kept elsewhere. */
async function dataDirectoryOf(options: EmbedOptions): Promise<{ path: string; clear(): Promise<void> }> {
  if (options.dataDirectory !== undefined) return { path: options.dataDirectory, clear: async () => {} };
  if (!options.openLog) return { path: defaultDataDir(process.env, homedir()), clear: async () => {} };
  const path = await mkdtemp(join(tmpdir(), "parley-"));
  return { path, clear: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) };
}

/** Starts a server in this process. It reads no file of configuration, no variable of Parley and sets no signal handler. */
export async function startParley(options: EmbedOptions = {}): Promise<Parley> {
  const data = await dataDirectoryOf(options);
  try {
    const token = options.token === null ? null : loadToken(data.path, options.token);
    const server = await startServer({
      ...defaultSettings(data.path),
      port: 0,
      directory: process.cwd(),
      logger: silentLogger,
      version: packageVersion(),
      ...options,
      dataDirectory: data.path,
      token,
    });
    // A program that exits without closing leaves no agent behind.
    process.once("exit", server.abandon);
    let closing: Promise<void> | undefined;
    const close = (): Promise<void> => {
      closing ??= server.stop(LAST_REQUESTS_MS).finally(async () => {
        process.off("exit", server.abandon);
        await data.clear();
      });
      return closing;
    };
    return { url: server.url, token, gateway: server.gateway, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await data.clear();
    throw error;
  }
}
