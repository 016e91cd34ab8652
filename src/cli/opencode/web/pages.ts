import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { spawnFailure } from "../../../host/spawn-failure.ts";
import { CliError } from "../../exit.ts";

/** OpenCode's own server, of which only the web page is used. */
export interface Pages {
  url: string;
  /** For requests to it: nobody else on the machine can use it. */
  authorization: string;
  /** Resolves when the program has ended, with the reason. */
  ended: Promise<string>;
  close(): Promise<void>;
}

const LISTENING = /listening on (http:\/\/\S+)/;
const START_MS = 60_000;
const GRACE_MS = 2_000;
const LAST_WORDS = 2_000;

/** It gets a home of its own and none of the user's variables: it serves a page, and has no use for keys, settings and projects. */
function environment(home: string, password: string): Record<string, string> {
  const folders = { CONFIG: "config", DATA: "data", CACHE: "cache", STATE: "state" };
  return {
    PATH: process.env.PATH ?? "",
    HOME: home,
    ...Object.fromEntries(Object.entries(folders).map(([name, path]) => [`XDG_${name}_HOME`, join(home, path)])),
    OPENCODE_SERVER_PASSWORD: password,
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  };
}

/** A shell that runs a program and ends it when its own stdin does: this process may be killed before it could do so. */
const WATCHED = 'exec 3<&0; "$@" <&- & p=$!; (cat <&3; kill "$p") >/dev/null 2>&1 & wait "$p"';

function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch {
    // The whole group has ended.
  }
}

async function end(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  signal(child, "SIGTERM");
  const late = setTimeout(() => signal(child, "SIGKILL"), GRACE_MS);
  await exited;
  clearTimeout(late);
}

/** Starts the program on a free port of this machine, and resolves when it takes requests. */
export async function startPages(program: string, dataDirectory: string, stop: AbortSignal): Promise<Pages> {
  const home = join(dataDirectory, "cache", "opencode-web");
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const password = randomBytes(24).toString("base64url");
  const args = ["serve", "--hostname", "127.0.0.1", "--port", "0"];
  // A group of its own: Ctrl-C is for this process, which ends the program when nobody needs it any more.
  const options = { cwd: home, env: environment(home, password), detached: true } as const;
  const words = ["-c", WATCHED, "sh", program, ...args];
  const child = spawn("/bin/sh", words, { ...options, stdio: ["pipe", "pipe", "pipe"] });
  let said = "";
  const url = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      said = `${said}${text}`.slice(-LAST_WORDS);
      const found = LISTENING.exec(said)?.[1];
      if (found) url.resolve(found);
    });
  }
  const exited = once(child, "exit").then(
    ([code, signal]) => `it ended with ${signal ?? `code ${code}`}`,
    (error: unknown) => spawnFailure({ argv: [program, ...args], directory: home, session: "" }, error).message,
  );
  const failed = (reason: string): never => {
    throw new CliError(`OpenCode's web page could not be started: ${reason}\n${said.trim()}`.trim());
  };
  const limit = AbortSignal.any([AbortSignal.timeout(START_MS), stop]);
  const late = once(limit, "abort").then(() =>
    stop.aborted ? "it was stopped" : `it took longer than ${START_MS} ms`,
  );
  try {
    const found = await Promise.race([url.promise, Promise.race([exited, late]).then(failed)]);
    const authorization = `Basic ${Buffer.from(`opencode:${password}`).toString("base64")}`;
    return { url: found, authorization, ended: exited, close: () => end(child, exited) };
  } catch (thrown) {
    if (child.pid !== undefined) await end(child, exited);
    throw thrown;
  }
}
