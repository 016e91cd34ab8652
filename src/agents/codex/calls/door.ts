import { constants, type FSWatcher, mkdirSync, mkdtempSync, watch } from "node:fs";
import { open, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { callIn, type HookCall, verdictText } from "./hook.ts";

/** A call whose words are more than this is refused unread. */
const MAX_BYTES = 32 * 1024 * 1024;
const BELL = /^(\w+)\.bell$/;
const UNREAD = "Parley could not read this call, so its rules could not be held against it";

/** Commands without a sandbox can put anything there, also while it is removed. The next start of Parley removes all that is left. */
async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => {});
}

/** A directory in which the program's hook tells of calls and hears the verdicts. The file of a call is whole when its bell is there. */
export class CallDoor {
  /** Told to the hook by `CALLS_VARIABLE`. */
  readonly directory: string;
  readonly #hear: (id: string, call: HookCall) => void;
  readonly #watcher: FSWatcher;
  /** Calls that were heard and have no verdict yet. */
  readonly #open = new Set<string>();
  #looking: Promise<void> | undefined;
  #again = false;
  #closing: Promise<void> | undefined;

  private constructor(directory: string, hear: (id: string, call: HookCall) => void) {
    this.directory = directory;
    this.#hear = hear;
    this.#watcher = watch(directory, { persistent: false }, () => this.look());
    this.#watcher.on("error", () => this.look());
  }

  /** `hear` is told of each call once, and gives the verdict by `answer`. */
  static open(parent: string, hear: (id: string, call: HookCall) => void): CallDoor {
    mkdirSync(parent, { recursive: true, mode: 0o700 });
    return new CallDoor(mkdtempSync(join(parent, "calls-")), hear);
  }

  /** Looks for calls; for a platform that tells late of new files, too. */
  look(): void {
    this.#again = true;
    this.#looking ??= this.#lookAll().finally(() => {
      this.#looking = undefined;
    });
  }

  /** Lets a call pass, or refuses it with words that the model reads. A call that has its verdict, or whose hook is gone, is passed over. */
  async answer(id: string, refusal?: string): Promise<void> {
    if (!this.#open.has(id) || this.#closing) return;
    const verdict = this.#path(id, "verdict");
    const draft = this.#path(id, "draft");
    try {
      await writeFile(draft, verdictText(refusal), { mode: 0o600 });
      await rename(draft, verdict);
      await this.#ring(id);
    } catch {
      // A full disk, or a directory that is gone: the hook hears nothing, and its call waits until the turn is stopped.
    } finally {
      this.#open.delete(id);
    }
  }

  /** Hooks that still wait hear nothing any more; the program's end ends them. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#watcher.close();
    await this.#looking;
    await remove(this.directory);
  }

  #path(id: string, kind?: "bell" | "draft" | "verdict"): string {
    return join(this.directory, kind ? `${id}.${kind}` : id);
  }

  async #lookAll(): Promise<void> {
    while (this.#again && !this.#closing) {
      this.#again = false;
      for (const name of await readdir(this.directory).catch(() => [])) {
        const id = BELL.exec(name)?.[1];
        if (id !== undefined) await this.#read(id);
      }
    }
  }

  async #read(id: string): Promise<void> {
    const path = this.#path(id);
    const text = await this.#text(path);
    // A bell without a call is one that was heard before.
    if (text === undefined || this.#closing) return;
    this.#open.add(id);
    await remove(path);
    const call = text === null ? undefined : callIn(text);
    if (call) this.#hear(id, call);
    else await this.answer(id, UNREAD);
  }

  /** `null` where it cannot be read, undefined where there is none. */
  async #text(path: string): Promise<string | null | undefined> {
    const there = await stat(path).catch(() => undefined);
    if (!there) return undefined;
    if (!there.isFile() || there.size > MAX_BYTES) return null;
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined);
    if (!file) return null;
    try {
      return await file.readFile("utf8");
    } catch {
      return null;
    } finally {
      await file.close();
    }
  }

  /** A hook that does not listen yet sees the verdict by itself; one that is gone needs none. */
  async #ring(id: string): Promise<void> {
    const bell = await open(this.#path(id, "bell"), constants.O_WRONLY | constants.O_NONBLOCK).catch(() => undefined);
    try {
      await bell?.write("\n");
    } catch {
      // It left in this moment.
    } finally {
      await bell?.close();
    }
  }
}
