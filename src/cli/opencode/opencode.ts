import type { FoundServer } from "../access/find-server.ts";
import { clientOf } from "../access/online-store.ts";
import { everySession, type Store } from "../access/store.ts";
import { configure, directoryOf } from "../context.ts";
import { usageError } from "../exit.ts";
import { serverLayer, type TokenFlags } from "../options.ts";
import { ownCommand, quoted } from "../own-command.ts";
import { Interrupts } from "../run/interrupts.ts";
import { tell } from "../tell.ts";
import { opencodeProgram } from "./program.ts";
import { serverFor, type UsedServer } from "./server.ts";
import { runInTerminal } from "./terminal.ts";

export interface OpencodeFlags extends TokenFlags {
  continue?: boolean;
  session?: string;
  fork?: boolean;
  install?: boolean;
  web?: boolean;
  /** False for `--no-open`. */
  open?: boolean;
  dataDir?: string;
}

function attachArguments(url: string, directory: string, flags: OpencodeFlags): string[] {
  return [
    "attach",
    url,
    "--dir",
    directory,
    ...(flags.continue ? ["--continue"] : []),
    ...(flags.session === undefined ? [] : ["--session", flags.session]),
    ...(flags.fork ? ["--fork"] : []),
  ];
}

/** Arguments can be read by everybody on the machine, an environment by its owner only: the token goes there. */
function attachEnvironment(token: string | undefined): Record<string, string | undefined> {
  const { OPENCODE_SERVER_PASSWORD, OPENCODE_SERVER_USERNAME, ...env } = process.env;
  return {
    ...env,
    // The version is Parley's to choose: it is the tested one.
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    ...(token === undefined ? {} : { OPENCODE_SERVER_PASSWORD: token }),
  };
}

/** The session that was used last: the newest change since the interface was opened, else the one that it was opened with. */
async function lastUsed(
  server: FoundServer,
  directory: string,
  since: number,
  flags: OpencodeFlags,
): Promise<string | undefined> {
  const client = clientOf(server);
  const list: Store["list"] = async (query) => (await client.sessions.list(query)).sessions;
  const sessions = await everySession({ list }, { directory });
  const used = sessions.filter(({ updated }) => updated >= since).toSorted((a, b) => b.updated - a.updated)[0];
  const opened = flags.fork ? undefined : (flags.session ?? (flags.continue ? sessions[0]?.id : undefined));
  return used?.id ?? opened;
}

/** Has the server ask its agents what they have while the interface starts. Nobody waits for the answer. */
function warm({ url, token }: UsedServer): void {
  const headers = new Headers(token === undefined ? [] : [["authorization", `Bearer ${token}`]]);
  fetch(`${url}/config`, { headers }).then(
    (response) => response.body?.cancel(),
    () => {},
  );
}

/** Opens OpenCode's terminal interface, or its web page, on a server of Parley and returns the exit code. */
export async function opencode(given: string | undefined, flags: OpencodeFlags): Promise<number> {
  const directory = directoryOf(given, "directory");
  if (!flags.web && !(process.stdin.isTTY && process.stdout.isTTY)) {
    throw usageError('expected a terminal; for one prompt without one there is: parley run "…"');
  }
  if (flags.fork && !flags.continue && flags.session === undefined) {
    throw usageError("--fork needs --continue or --session");
  }
  const { settings } = await configure(serverLayer(flags), directory);
  const program = await opencodeProgram(settings.dataDir, flags.install === true);
  const server = await serverFor(settings, directory);
  const since = Date.now();
  warm(server);
  if (flags.web) {
    const { showWeb } = await import("./web/web.ts");
    return showWeb({ program, dataDirectory: settings.dataDir, directory, server, open: flags.open !== false });
  }
  try {
    const argv = [program, ...attachArguments(server.url, directory, flags)] as const;
    const code = await runInTerminal({ argv, directory, env: attachEnvironment(server.token) });
    const session = await lastUsed(server, directory, since, flags).catch(() => undefined);
    if (session !== undefined) {
      const where = given === undefined ? "" : ` ${quoted(given)}`;
      tell(`to go on with this session: ${ownCommand()} opencode${where} -s ${session}`);
    }
    return code;
  } finally {
    const interrupts = new Interrupts();
    await server.leave(interrupts.signal);
    interrupts.close();
  }
}
