import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import { codeOf, messageOf, ParleyError } from "../../core/errors.ts";
import type { TrustedDirectory } from "../../core/trust.ts";
import { coveredBy } from "../../core/trust.ts";
import type { Trust } from "../../gateway/trust/contract.ts";

export interface TrustOptions {
  /** The list that `parley trust` keeps, one directory a line. Without it nothing can be added. */
  file?: string;
  /** From the user's configuration, as real paths. */
  configured: readonly string[];
  /** Told why the list counts for nothing. */
  warn?(message: string): void;
}

const OTHERS_MAY_WRITE = 0o022;
const MAX_BYTES = 1_000_000;
const TRIES = 5;

function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "");
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/** The directories in a list: absolute paths, one a line. Anything else means nothing, a comment too. */
export function directoriesIn(text: string): string[] {
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  return [...new Set(lines.filter((line) => isAbsolute(line)))];
}

/** The text of a list that counts: only its owner can write to it. Undefined where there is none. */
function readList(file: string): string | undefined {
  let found: ReturnType<typeof statSync>;
  try {
    found = statSync(file);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  if (!found.isFile() || found.size > MAX_BYTES) throw new Error("it is not a short file");
  if (process.platform !== "win32" && (found.mode & OTHERS_MAY_WRITE) !== 0)
    throw new Error(`others can write to it: chmod 600 ${file}`);
  return readFileSync(file, "utf8");
}

/**
 * The user's trust: the configuration's directories, and those that `parley trust` has written into a file of their own.
 * Entries of that file are taken as they stand. One that has become a link since does not lead to another trusted directory.
 */
export class TrustStore implements Trust {
  readonly #options: TrustOptions;
  #warned = "";

  constructor(options: TrustOptions) {
    this.#options = options;
  }

  list(): TrustedDirectory[] {
    const configured = this.#options.configured.map((directory) => ({ directory, source: "configuration" as const }));
    return [...configured, ...this.#written().map((directory) => ({ directory, source: "command" as const }))];
  }

  covering(directory: string): string | undefined {
    return coveredBy(
      realPath(directory),
      this.list().map((trusted) => trusted.directory),
    );
  }

  add(directory: string): void {
    const real = realPath(directory);
    if (/[\r\n]/.test(real)) throw new ParleyError("invalid", "expected a directory without line breaks in its path");
    const file = this.#file();
    for (let left = TRIES; !directoriesIn(this.#readOrRefuse(file)).includes(real); left--) {
      if (left === 0) throw new ParleyError("unavailable", `${file}: the directory could not be added; try again`);
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      const before = this.#readOrRefuse(file);
      // Appended, so that two commands at once do not lose each other's line.
      appendFileSync(file, `${before === "" || before.endsWith("\n") ? "" : "\n"}${real}\n`, { mode: 0o600 });
    }
  }

  remove(directory: string): boolean {
    const file = this.#file();
    const unwanted = new Set([resolve(directory), realPath(directory)]);
    let removed = false;
    for (let left = TRIES; directoriesIn(this.#readOrRefuse(file)).some((one) => unwanted.has(one)); left--) {
      if (left === 0) throw new ParleyError("unavailable", `${file}: the directory could not be removed; try again`);
      const lines = this.#readOrRefuse(file).split("\n");
      const kept = lines.filter((line) => !unwanted.has(line.replace(/\r$/, "")));
      // Beside the file itself, which may be a link into another place.
      const place = realPath(file);
      const fresh = `${place}.${process.pid}.tmp`;
      writeFileSync(fresh, kept.join("\n"), { mode: 0o600 });
      chmodSync(fresh, 0o600);
      renameSync(fresh, place);
      removed = true;
    }
    return removed;
  }

  #file(): string {
    const { file } = this.#options;
    if (file === undefined) throw new ParleyError("unsupported", "this server keeps no list of trusted directories");
    return file;
  }

  #readOrRefuse(file: string): string {
    try {
      return readList(file) ?? "";
    } catch (error) {
      throw new ParleyError(
        "unavailable",
        `${file}: the list of trusted directories cannot be used: ${messageOf(error)}`,
      );
    }
  }

  /** A list that cannot be used trusts nothing. */
  #written(): string[] {
    const { file, warn } = this.#options;
    if (file === undefined) return [];
    try {
      const directories = directoriesIn(readList(file) ?? "");
      this.#warned = "";
      return directories;
    } catch (error) {
      const message = `${file}: no directory of this list is trusted: ${messageOf(error)}`;
      if (message !== this.#warned) warn?.(message);
      this.#warned = message;
      return [];
    }
  }
}
