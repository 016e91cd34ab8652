import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { findProgram } from "../find-program.ts";
import type { Shell } from "./contract.ts";

const FALLBACKS = ["/bin/bash", "/bin/zsh", "/bin/sh"];
const NOT_POSIX = new Set(["fish", "nu"]);
/** Those that read the user's profile when they are started with -l. */
const WITH_LOGIN = new Set(["bash", "dash", "fish", "ksh", "sh", "zsh"]);

const describe = (path: string): Shell => {
  const name = basename(path);
  return { path, name, acceptable: !NOT_POSIX.has(name) };
};

async function existing(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map((path) => findProgram(path)));
  return paths.filter((_, index) => found[index] !== undefined);
}

/** The shells that the system's own list names and that are there. */
export async function listShells(file = "/etc/shells"): Promise<Shell[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  const named = text.split("\n").map((line) => line.trim());
  const paths = await existing([...new Set(named.filter((line) => line.startsWith("/")))]);
  return (paths.length > 0 ? paths : await existing(FALLBACKS)).map(describe);
}

/** The shell of the user that runs Parley. */
export async function preferredShell(own = process.env.SHELL): Promise<string> {
  const [first = "/bin/sh"] = await existing([...(own ? [own] : []), ...FALLBACKS]);
  return first;
}

/** A shell in a terminal is a login shell, as OpenCode starts it. */
export function withLogin(command: string, args: readonly string[]): string[] {
  return WITH_LOGIN.has(basename(command)) && !args.includes("-l") ? [...args, "-l"] : [...args];
}
