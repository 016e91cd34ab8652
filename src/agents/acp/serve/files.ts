import { type Fields, numberIn, textIn } from "../../../core/json/fields.ts";
import { exact } from "../../../core/permissions/exact.ts";
import { FileRefused } from "../../../host/files/file-refused.ts";
import { namesInside } from "../../../host/files/inside.ts";
import { readText, swapAll } from "../../../host/files/swap.ts";
import type { Permission } from "../permissions.ts";
import { type Guard, Refused } from "./guard.ts";

const MAX_CHARS = 10_000_000;
/** No more than this waits for an answer or for the disk. */
const MOST_WAITING_CHARS = 32_000_000;

export interface FilesOptions {
  directory: string;
  guard: Guard;
}

async function permissionOn(action: "read" | "edit", directory: string, path: string): Promise<Permission> {
  const names = await namesInside(directory, path);
  const input = { path: names[0] ?? path };
  return { action, patterns: names.map(exact), title: names.join(" → "), input, metadata: { tool: "fs" } };
}

function pathIn(params: Fields): string {
  const path = textIn(params, "path");
  if (!path) throw new Refused("expected a path");
  return path;
}

/** A part of a text by its lines, which count from 1. */
export function linesOf(text: string, line: number | undefined, limit: number | undefined): string {
  if (line === undefined && limit === undefined) return text;
  const from = Math.max(0, (line ?? 1) - 1);
  const lines = text.split("\n");
  const picked = lines.slice(from, limit === undefined ? undefined : from + limit);
  // The line feed of the last line belongs to it, unless the text has none there.
  const isEnd = from + picked.length >= lines.length;
  return picked.length === 0 || isEnd ? picked.join("\n") : `${picked.join("\n")}\n`;
}

/** Files that the program has Parley read and write: those of the session's directory, by the session's rules. */
export class Files {
  readonly #options: FilesOptions;
  /** One change at a time: two writes of one file would each compare with what the other is about to replace. */
  #writing: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(options: FilesOptions) {
    this.#options = options;
  }

  async read(params: Fields, withdrawn?: AbortSignal): Promise<Fields> {
    const { directory } = this.#options;
    const path = pathIn(params);
    await this.#permit("read", path, withdrawn);
    const text = await readText(directory, path);
    if (text === undefined) throw new Refused(`${path} does not exist`);
    return { content: linesOf(text, numberIn(params, "line"), numberIn(params, "limit")) };
  }

  async write(params: Fields, withdrawn?: AbortSignal): Promise<Fields> {
    const path = pathIn(params);
    const content = textIn(params, "content");
    if (content === undefined) throw new Refused("expected content, a text");
    if (content.length > MAX_CHARS)
      throw new FileRefused("too_large", `${path}: expected at most ${MAX_CHARS} characters, got ${content.length}`);
    if (this.#waiting + content.length > MOST_WAITING_CHARS)
      throw new Refused(`${this.#waiting} characters wait to be written already`);
    this.#waiting += content.length;
    try {
      await this.#permit("edit", path, withdrawn);
      const write = this.#writing.then(() => this.#replace(path, content));
      this.#writing = write.catch(() => {});
      await write;
    } finally {
      this.#waiting -= content.length;
    }
    return {};
  }

  /** A link may lead elsewhere by the time that it is allowed. */
  async #permit(action: "read" | "edit", path: string, withdrawn?: AbortSignal): Promise<void> {
    const { directory, guard } = this.#options;
    const permission = await permissionOn(action, directory, path);
    await guard.permit(permission, withdrawn);
    if ((await permissionOn(action, directory, path)).title !== permission.title)
      throw new FileRefused("changed", `${path} leads elsewhere by now`);
  }

  async #replace(path: string, to: string): Promise<void> {
    const { directory } = this.#options;
    const from = await readText(directory, path);
    if (from !== to) await swapAll(directory, [{ path, from, to }]);
  }
}
