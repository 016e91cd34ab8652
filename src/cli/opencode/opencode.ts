import { configure, directoryOf } from "../context.ts";
import { usageError } from "../exit.ts";
import { serverLayer, type TokenFlags } from "../options.ts";
import { Interrupts } from "../run/interrupts.ts";
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
  warm(server);
  if (flags.web) {
    const { showWeb } = await import("./web/web.ts");
    return showWeb({ program, dataDirectory: settings.dataDir, directory, server, open: flags.open !== false });
  }
  try {
    const argv = [program, ...attachArguments(server.url, directory, flags)] as const;
    return await runInTerminal({ argv, directory, env: attachEnvironment(server.token) });
  } finally {
    const interrupts = new Interrupts();
    await server.leave(interrupts.signal);
    interrupts.close();
  }
}
