import { randomBytes } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Kept {
  directory: string;
  /** The texts of its prompts, oldest first. */
  prompts: string[];
  given: Given[];
}

/** The ids of a prompt and of the session in which it was given. */
interface Given {
  session: string;
  prompt: string;
}

/** The agent's memory of its sessions: a file for each, where it was given a folder for them. */
export class Memory {
  readonly #folder: string | undefined;

  constructor(folder: string | undefined) {
    this.#folder = folder;
    if (folder !== undefined) mkdirSync(folder, { recursive: true });
  }

  newId(): string {
    return `scripted-${randomBytes(8).toString("hex")}`;
  }

  /** Without a folder every session is known, and nothing of it. */
  knows(id: string): boolean {
    return this.#folder === undefined ? !id.startsWith("lost") : existsSync(this.#file(this.#folder, id));
  }

  prompts(id: string): string[] {
    return this.#folder !== undefined && this.knows(id) ? this.#read(this.#folder, id).prompts : [];
  }

  add(id: string, directory: string, text: string, given: Given): void {
    if (this.#folder === undefined) return;
    const before = this.knows(id) ? this.#read(this.#folder, id) : { prompts: [], given: [] };
    this.#write(this.#folder, id, { directory, prompts: [...before.prompts, text], given: [...before.given, given] });
  }

  /** Drops turns by the ids of their prompts, and those that it got in another session by their order. Answers with the reason why it cannot. */
  rewind(id: string, session: string, turns: readonly (readonly string[])[]): string | undefined {
    if (this.#folder === undefined || !this.knows(id)) return "it remembers nothing of this session";
    const { directory, prompts, given } = this.#read(this.#folder, id);
    for (const turn of turns.toReversed()) {
      const first = given.findIndex((one) => one.session === session && turn.includes(one.prompt));
      if (first >= 0) given.splice(first);
      else if (given.length > 0 && given.at(-1)?.session !== session) given.pop();
    }
    this.#write(this.#folder, id, { directory, prompts: prompts.slice(0, given.length), given });
    return undefined;
  }

  copy(id: string): string {
    const copy = this.newId();
    if (this.#folder !== undefined) copyFileSync(this.#file(this.#folder, id), this.#file(this.#folder, copy));
    return copy;
  }

  list(directory: string): { id: string; title?: string; updated: number }[] {
    const folder = this.#folder;
    if (folder === undefined) return [];
    const ids = readdirSync(folder).map((name) => name.replace(/\.json$/, ""));
    return ids
      .filter((id) => this.#read(folder, id).directory === directory)
      .map((id) => ({ id, title: this.prompts(id)[0], updated: statSync(this.#file(folder, id)).mtimeMs }))
      .sort((one, other) => other.updated - one.updated);
  }

  #write(folder: string, id: string, kept: Kept): void {
    writeFileSync(this.#file(folder, id), JSON.stringify(kept));
  }

  #read(folder: string, id: string): Kept {
    return JSON.parse(readFileSync(this.#file(folder, id), "utf8")) as Kept;
  }

  #file(folder: string, id: string): string {
    return join(folder, `${id}.json`);
  }
}
