import type { ConsoleLink } from "../../client/index.ts";
import { apiProblem, isCode } from "../access/api-problems.ts";
import { type FoundServer, findServer } from "../access/find-server.ts";
import { clientOf } from "../access/online-store.ts";
import type { Settings } from "../config/settings.ts";
import { configure, directoryOf } from "../context.ts";
import { CliError, usageError } from "../exit.ts";
import { type CommonFlags, serverLayer, type TokenFlags } from "../options.ts";
import { openBrowser } from "../output/browser.ts";
import { ownCommand } from "../own-command.ts";
import { credentialToken } from "../serve/server-token.ts";
import { tell } from "../tell.ts";

export interface ConsoleFlags extends TokenFlags, CommonFlags {
  print?: boolean;
  /** False for `--no-open`. */
  open?: boolean;
  dir?: string;
  url?: string;
}

/** A server that is named gets the token that was given for it, and never the one of the data directory. */
async function linkOfNamed(url: string, settings: Settings): Promise<ConsoleLink> {
  const { credential } = settings;
  const token = credential ? credentialToken(credential) : undefined;
  try {
    return await clientOf({ url, token }).consoleLink();
  } catch (thrown) {
    if (thrown instanceof TypeError) throw usageError(`--url: ${thrown.message}`);
    if (!isCode(thrown, "unauthorized")) throw apiProblem(thrown, settings);
    const tried = credential ? "the token that was given" : "a request without a token";
    throw new CliError(`${url} does not accept ${tried}: give its token as PARLEY_TOKEN or --token-file`);
  }
}

async function linkOfFound(server: FoundServer, settings: Settings): Promise<ConsoleLink> {
  try {
    return await clientOf(server).consoleLink();
  } catch (thrown) {
    throw apiProblem(thrown, settings);
  }
}

/** Prints a link, and opens it where that is wished and there is a screen. */
function show({ url, others, expires }: ConsoleLink, { print, open }: ConsoleFlags): void {
  process.stdout.write(`${url}\n`);
  if (print) return;
  if (expires !== null) tell("this link lets one browser in, once, within five minutes");
  for (const other of others) tell(`from another device: ${other}`);
  // Arguments are seen by all users of the machine: the code in them is good once, and the browser has it first.
  if (open !== false && !openBrowser(url)) tell("there is no screen here: open the link in a browser yourself");
}

/** Opens the console of a server, which runs here until a signal comes where none runs; returns the exit code. */
export async function openConsole(flags: ConsoleFlags): Promise<number> {
  const directory = directoryOf(flags.dir);
  const layer = serverLayer(flags);
  const loaded = await configure(layer, directory);
  const { settings } = loaded;
  if (flags.url !== undefined) {
    show(await linkOfNamed(flags.url, settings), flags);
    return 0;
  }
  const found = await findServer(settings);
  if (found) {
    show(await linkOfFound(found, settings), flags);
    return 0;
  }
  if (flags.print) {
    const how = `start one with \`${ownCommand()} serve\`, or leave out --print`;
    throw new CliError(`no server runs on ${settings.dataDir}: ${how}`);
  }
  const { serve } = await import("../serve/serve.ts");
  return serve({
    flags: layer,
    loaded,
    dir: directory,
    greet: async ({ url, bound = url, token }) => {
      show(await clientOf({ url: bound, token: token ?? undefined }).consoleLink(), flags);
      tell("no server ran, so one runs here now: Ctrl-C ends it");
    },
  });
}
