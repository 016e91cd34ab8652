import type { Discovery } from "../../../agents/contract.ts";
import { messageOf } from "../../../core/errors.ts";
import { within } from "../../../core/within.ts";

export interface KnownAgent {
  name: string;
  discovery: Discovery;
}

export interface DiscoveriesOptions {
  agents(): readonly string[];
  discover(name: string): Promise<Discovery>;
  now(): number;
  /** How long the first callers wait for an agent. */
  firstMs?: number;
  /** How old an answer may be before the agent is asked again. */
  freshMs?: number;
  /** Something is known that was not, or has changed. */
  changed?(): void;
}

interface Entry {
  /** When it was last asked. */
  asked: number;
  asking?: Promise<void>;
  discovery?: Discovery;
  /** The same as text, to see whether it changed. */
  text?: string;
}

export const FIRST_MS = 5_000;
const FRESH_MS = 60_000;

/** Stands for an agent that takes longer than anybody waits. */
const SILENT: Discovery = {
  installed: false,
  credentials: "unknown",
  detail: "it has not answered yet",
  models: [],
  modes: [],
};

/**
 * The discoveries of all agents. A discovery may start a program, so only the first callers wait for it, and not for
 * ever. Later callers get the last answer, which is renewed in the background when it is old.
 */
export class Discoveries {
  readonly #options: DiscoveriesOptions;
  readonly #entries = new Map<string, Entry>();
  #first: Promise<unknown> | undefined;
  #revision = 0;

  constructor(options: DiscoveriesOptions) {
    this.#options = options;
  }

  /** Changes with what is known. */
  get revision(): number {
    return this.#revision;
  }

  /** Each agent, in the order of the gateway. */
  async all(): Promise<KnownAgent[]> {
    this.#ask(this.#options.freshMs ?? FRESH_MS);
    const asking = [...this.#entries.values()].map((entry) => entry.asking);
    this.#first ??= within(Promise.all(asking), this.#options.firstMs ?? FIRST_MS);
    await this.#first;
    return this.#options.agents().map((name) => ({ name, discovery: this.#entries.get(name)?.discovery ?? SILENT }));
  }

  /** Asks every agent anew. Callers get the old answers meanwhile. */
  refresh(): void {
    this.#ask(0);
  }

  #ask(freshMs: number): void {
    const now = this.#options.now();
    for (const name of this.#options.agents()) {
      const entry = this.#entries.get(name) ?? { asked: Number.NEGATIVE_INFINITY };
      this.#entries.set(name, entry);
      if (entry.asking || now - entry.asked < freshMs) continue;
      entry.asked = now;
      entry.asking = this.#learn(name, entry).finally(() => {
        entry.asking = undefined;
      });
    }
  }

  async #learn(name: string, entry: Entry): Promise<void> {
    const discovery = await this.#discover(name);
    const text = JSON.stringify(discovery);
    if (text === entry.text) return;
    entry.discovery = discovery;
    entry.text = text;
    this.#revision += 1;
    this.#options.changed?.();
  }

  async #discover(name: string): Promise<Discovery> {
    try {
      return await this.#options.discover(name);
    } catch (error) {
      return { ...SILENT, detail: messageOf(error) };
    }
  }
}
