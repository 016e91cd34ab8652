import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import type { CredentialProblem, Source } from "./contract.ts";

/** Claude Code's memory grows to some megabytes. */
const MAX_BYTES = 16_000_000;

type Read = { text: string; mode: number } | { problem: CredentialProblem };

/** A path as a shell takes it. */
export function shellPath(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

const REASON: Readonly<Record<string, string>> = {
  EACCES: "you may not read it",
  EPERM: "you may not read it",
  ELOOP: "its links lead in a circle",
  ENXIO: "it is not a file",
  EIO: "its disk does not answer",
};

function unreadable(source: Source, thrown: unknown): Read {
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown error";
  const advice = `see whom it belongs to, and its mode: ls -l ${shellPath(source.name)}`;
  return { problem: { source, code: "unreadable", detail: REASON[code] ?? `it cannot be read (${code})`, advice } };
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "a directory";
  return stats.isFIFO() ? "a pipe" : stats.isSocket() ? "a socket" : "a device";
}

function readOpened(file: number, source: Source): Read {
  const stats = fstatSync(file);
  if (!stats.isFile()) {
    const detail = `expected a file, got ${kindOf(stats)}`;
    return { problem: { source, code: "not_a_file", detail, advice: "move it away" } };
  }
  if (stats.size > MAX_BYTES) {
    const detail = `expected at most ${MAX_BYTES} bytes, got ${stats.size}`;
    return { problem: { source, code: "too_large", detail, advice: "see what is in it, and move it away" } };
  }
  return { text: readFileSync(file, "utf8"), mode: stats.mode };
}

/** The text of a file that holds credentials; undefined where there is none. A pipe by that name is not waited for. */
export function readStore(path: string): Read | undefined {
  const source: Source = { kind: "file", name: path };
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return readOpened(file, source);
  } catch (thrown) {
    const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : unreadable(source, thrown);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Undefined where only the user can read and change the file. */
export function openToOthers(path: string, mode: number): CredentialProblem | undefined {
  if (process.platform === "win32" || (mode & 0o077) === 0) return undefined;
  const may = (mode & 0o044) !== 0 ? "read" : (mode & 0o022) !== 0 ? "change" : "open";
  return {
    source: { kind: "file", name: path },
    code: "open_to_others",
    detail: `other users can ${may} it (mode ${(mode & 0o777).toString(8).padStart(4, "0")})`,
    advice: `chmod 600 ${shellPath(path)}`,
  };
}
