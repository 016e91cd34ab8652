import { type AcpPlaces, foundAgent } from "../agents/acp/found-agent.ts";
import { findCommand, findKnown, type Search } from "../agents/acp/known/find.ts";
import { KNOWN, knownAgent } from "../agents/acp/known/known.ts";
import type { Agent, Agents } from "../agents/contract.ts";
import { commandName, isCommandName, readCommandName } from "../core/command-name.ts";
import { unknownAgentWords } from "../core/unknown-agent.ts";

export interface NamedAgentsOptions extends AcpPlaces {
  /** Whether known agents that are installed are listed. All of them can be named. */
  listKnown: boolean;
}

/** So long a look at what is installed counts. */
const FRESH_MS = 5_000;

/** An agent that was named. */
interface Named {
  agent: Agent;
  search(): Search;
  /** It is listed because it was named, not because it is installed. */
  unlisted: boolean;
}

/**
 * The agents that sessions may name: those that ship with Parley and the configured ones, known ACP agents, and any command line (`acp:…`). The last two are made
 * when they are first named, and kept.
 */
export class NamedAgents implements Agents {
  readonly #fixed: ReadonlyMap<string, Agent>;
  readonly #options: NamedAgentsOptions;
  readonly #named = new Map<string, Named>();
  #looked: { at: number; names: readonly string[] } | undefined;

  constructor(fixed: ReadonlyMap<string, Agent>, options: NamedAgentsOptions) {
    this.#fixed = fixed;
    this.#options = options;
  }

  get(name: string): Agent | undefined {
    const whole = this.#whole(name);
    return this.#fixed.get(whole) ?? this.#find(whole)?.agent;
  }

  *keys(): Generator<string> {
    yield* this.#fixed.keys();
    yield* this.#installed();
  }

  *values(): Generator<Agent> {
    for (const name of this.keys()) {
      const agent = this.get(name);
      if (agent) yield agent;
    }
  }

  objection(name: string): string | undefined {
    const whole = this.#whole(name);
    if (this.#fixed.has(whole)) return undefined;
    const named = this.#find(whole);
    const command = isCommandName(name) ? readCommandName(name) : undefined;
    if (command && "problem" in command) return command.problem;
    if (!named) return this.#unknown(name);
    const found = named.search();
    return "missing" in found ? `agent ${whole} is not installed: ${found.missing}` : undefined;
  }

  /** Known agents that are not listed: most are not installed. */
  further(): string[] {
    const listed = new Set(this.keys());
    return KNOWN.map(({ name }) => name).filter((name) => !listed.has(name));
  }

  /** Ends programs that agents keep beside their sessions. */
  async close(): Promise<void> {
    const named = [...this.#named.values()].map(({ agent }) => agent);
    await Promise.allSettled([...this.#fixed.values(), ...named].map((agent) => agent.close?.()));
  }

  #unknown(name: string): string {
    const further = this.further();
    const more = `${further.length} more are known: "parley agents --all" lists them`;
    return `${unknownAgentWords(name, [...this.keys()], further)}; ${more}`;
  }

  /** The one name of an agent that has others. */
  #whole(name: string): string {
    if (this.#fixed.has(name)) return name;
    const command = isCommandName(name) ? readCommandName(name) : undefined;
    return command && "argv" in command ? commandName(command.argv) : (knownAgent(name)?.name ?? name);
  }

  #installed(): readonly string[] {
    const now = performance.now();
    if (this.#looked && now - this.#looked.at < FRESH_MS) return this.#looked.names;
    const isThere = (search: Search): boolean => !("missing" in search);
    const known = this.#options.listKnown ? KNOWN.filter(({ unlisted }) => !unlisted) : [];
    const names = [
      ...known.filter((entry) => isThere(findKnown(entry, this.#options))).map(({ name }) => name),
      ...[...this.#named].filter(([, { unlisted, search }]) => unlisted && isThere(search())).map(([name]) => name),
    ].filter((name) => !this.#fixed.has(name));
    this.#looked = { at: now, names };
    return names;
  }

  #find(whole: string): Named | undefined {
    const made = this.#named.get(whole) ?? this.#known(whole) ?? this.#command(whole);
    if (made && !this.#named.has(whole)) {
      this.#named.set(whole, made);
      this.#looked = undefined;
    }
    return made;
  }

  #known(name: string): Named | undefined {
    const entry = knownAgent(name);
    if (!entry) return undefined;
    const { title, env, login, files } = entry;
    const search = (): Search => findKnown(entry, this.#options);
    const agent = foundAgent({ name, title, env, login, files, search }, this.#options);
    return { agent, search, unlisted: entry.unlisted ?? !this.#options.listKnown };
  }

  #command(name: string): Named | undefined {
    const command = isCommandName(name) ? readCommandName(name) : undefined;
    if (!command || "problem" in command) return undefined;
    const search = (): Search => findCommand(command.argv, this.#options);
    return { agent: foundAgent({ name, search }, this.#options), search, unlisted: true };
  }
}
