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
  /** The agent that lists wait for. */
  defaultAgent?: string;
  /** How long the first callers wait for the agent that they chose. */
  firstMs?: number;
  /** How long the first lists wait for agents that nobody chose. */
  listMs?: number;
  /** How old an answer may be before the agent is asked again. */
  freshMs?: number;
  /** Something is known that was not, or has changed. */
  changed?(): void;
  /** The same, after a caller was told something else. */
  outdated?(): void;
}

interface Entry {
  /** When it was last asked. */
  asked: number;
  asking?: Promise<void>;
  /** The waits of first callers, by their length. */
  waits: Map<number, Promise<unknown>>;
  discovery?: Discovery;
  /** The same as text, to see whether it changed. */
  text?: string;
  /** Whether a caller was told the discovery, or that there is none yet. */
  told: boolean;
}

export const FIRST_MS = 5_000;
export const LIST_MS = 1_000;
const FRESH_MS = 60_000;

/** Stands for an agent that takes longer than anybody waits. */
const SILENT: Discovery = {
  installed: false,
  credentials: "unknown",
  detail: "it has not answered yet",
  models: [],
  modes: [],
};

/** Whether nothing is known of an agent: that is no word on whether it can be used. */
export function isSilent(discovery: Discovery): boolean {
  return discovery === SILENT;
}

/**
 * The discoveries of all agents. A discovery may start a program, so only the first callers wait for it, and not for
 * ever. Later callers get the last answer, which is renewed in the background when it is old.
 */
export class Discoveries {
  readonly #options: DiscoveriesOptions;
  readonly #entries = new Map<string, Entry>();
  #revision = 0;

  constructor(options: DiscoveriesOptions) {
    this.#options = options;
  }

  /** Changes with what is known. */
  get revision(): number {
    return this.#revision;
  }

  /** Each agent, in the order of the gateway. A list waits for the default agent, and for the others a moment only. */
  async all(): Promise<KnownAgent[]> {
    const { firstMs = FIRST_MS, listMs = LIST_MS, defaultAgent } = this.#options;
    this.#ask();
    const limit = (name: string): number => (name === defaultAgent ? firstMs : Math.min(listMs, firstMs));
    await Promise.all(this.#options.agents().map((name) => this.#answered(name, limit(name))));
    return this.known();
  }

  /** One agent, for a caller that chose it. Nobody waits for the others. */
  async one(name: string): Promise<Discovery> {
    this.#ask();
    await this.#answered(name, this.#options.firstMs ?? FIRST_MS);
    return this.#tell(name);
  }

  /** Each agent as far as it is known now. */
  known(): KnownAgent[] {
    return this.#options.agents().map((name) => ({ name, discovery: this.#tell(name) }));
  }

  /** Asks every agent anew. Callers get the old answers meanwhile. */
  refresh(): void {
    this.#ask(0);
  }

  /** Asks the agents of that kind again whose answers are old. */
  renew(which: (discovery: Discovery) => boolean): void {
    this.#ask(undefined, ({ discovery }) => discovery !== undefined && which(discovery));
  }

  #tell(name: string): Discovery {
    const entry = this.#entries.get(name);
    if (entry) entry.told = true;
    return entry?.discovery ?? SILENT;
  }

  async #answered(name: string, ms: number): Promise<void> {
    const entry = this.#entries.get(name);
    if (!entry || entry.discovery) return;
    const wait = entry.waits.get(ms) ?? within(entry.asking ?? Promise.resolve(), ms);
    entry.waits.set(ms, wait);
    await wait;
  }

  #ask(freshMs = this.#options.freshMs ?? FRESH_MS, which: (entry: Entry) => boolean = () => true): void {
    const now = this.#options.now();
    for (const name of this.#options.agents()) {
      const entry: Entry = this.#entries.get(name) ?? {
        asked: Number.NEGATIVE_INFINITY,
        waits: new Map(),
        told: false,
      };
      this.#entries.set(name, entry);
      if (entry.asking || now - entry.asked < freshMs || !which(entry)) continue;
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
    if (entry.told) this.#options.outdated?.();
    entry.told = false;
  }

  async #discover(name: string): Promise<Discovery> {
    try {
      return await this.#options.discover(name);
    } catch (error) {
      return { ...SILENT, detail: messageOf(error) };
    }
  }
}
