import type { Discovery } from "../../../agents/contract.ts";
import { keepNewest } from "../../../core/entries.ts";
import { within } from "../../../core/within.ts";
import type { Gateway } from "../../../gateway/gateway.ts";
import type { KnownAgent } from "./discoveries.ts";

/** So many answers are kept. */
const KEPT = 64;

export interface ByDirectoryOptions {
  gateway: Pick<Gateway, "discover" | "discoversProjects">;
  /** A client was told something else before. */
  outdated?: (() => void) | undefined;
}

/** The agents as they are in a directory, where they differ by it. */
export class ByDirectory {
  readonly #options: ByDirectoryOptions;
  /** The answers that came last. */
  readonly #came = new Map<string, Discovery>();
  /** The questions whose answers somebody did not wait for. */
  readonly #late = new Set<string>();

  constructor(options: ByDirectoryOptions) {
    this.#options = options;
  }

  /** An agent as it says in time that it is there, else as it said last, else as it is in general. */
  async there({ name, discovery }: KnownAgent, directory: string | undefined, ms: number): Promise<KnownAgent> {
    const { gateway } = this.#options;
    if (directory === undefined || !gateway.discoversProjects(name)) return { name, discovery };
    const key = JSON.stringify([name, directory]);
    // A directory that is not there, or is not to be worked in, is refused where something is done in it.
    const asked = gateway.discover(name, directory).catch(() => discovery);
    const found = await within(asked, ms);
    if (found) keepNewest(this.#came, key, found.value, KEPT);
    else this.#hearLate(key, asked, discovery);
    return { name, discovery: this.#came.get(key) ?? discovery };
  }

  /** Clients read their lists anew where an answer that came late is otherwise than they were told: once, however many of them did not wait for it. */
  #hearLate(key: string, asked: Promise<Discovery>, general: Discovery): void {
    if (this.#late.has(key)) return;
    this.#late.add(key);
    const told = JSON.stringify(this.#came.get(key) ?? general);
    void asked.then((found) => {
      this.#late.delete(key);
      keepNewest(this.#came, key, found, KEPT);
      if (JSON.stringify(found) !== told) this.#options.outdated?.();
    });
  }
}
