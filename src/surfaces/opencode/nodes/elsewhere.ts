import { createHash } from "node:crypto";
import { keepNewest } from "../../../core/entries.ts";
import { jsonIn } from "../../../core/json/fields.ts";
import { learnProject } from "../workspace/project.ts";
import type { Nodes, SeenDirectory } from "./contract.ts";

/** How long an answer serves. */
const FRESH_MS = 10_000;
/** The same for a directory that nobody has: sessions outlive their directories. */
const NONE_FRESH_MS = 60_000;
const MAX_KNOWN = 2_000;

interface Known {
  /** Undefined where this node has the directory, or where nothing is known of it. */
  seen: SeenDirectory | undefined;
  until: number;
}

/** Long paths are no keys. */
function nameFor(directory: string): string {
  return `opencode.directory.${createHash("sha256").update(directory).digest("hex")}`;
}

/**
 * Directories that only other places have, as a node there sees them. The last answer is kept in the database, so that sessions are shown in the
 * same project while no node of their place is up.
 */
export class Elsewhere {
  readonly #nodes: Nodes;
  readonly #now: () => number;
  readonly #known = new Map<string, Known>();
  readonly #looking = new Map<string, Promise<Known>>();

  constructor(nodes: Nodes, now: () => number = () => performance.now()) {
    this.#nodes = nodes;
    this.#now = now;
  }

  /** The path under which the sessions of a directory of another place are stored. Undefined for one that this node has, or nobody. */
  async spelled(directory: string): Promise<string | undefined> {
    return (await this.#seen(directory))?.real;
  }

  /** Learns the projects of directories, for all that is shown of them afterwards. */
  async know(directories: Iterable<string>): Promise<void> {
    await Promise.all([...new Set(directories)].map((directory) => this.#seen(directory)));
  }

  /** Only the first who asks waits; later ones get the last answer, which is renewed when it is old. */
  async #seen(directory: string): Promise<SeenDirectory | undefined> {
    const known = this.#known.get(directory);
    if (known && this.#now() < known.until) return known.seen;
    const looking = this.#looking.get(directory) ?? this.#lookOnce(directory);
    return (known ?? (await looking)).seen;
  }

  #lookOnce(directory: string): Promise<Known> {
    const before = { seen: this.#known.get(directory)?.seen, until: this.#now() + FRESH_MS };
    const looking = this.#look(directory)
      .catch(() => before)
      .then((known) => {
        keepNewest(this.#known, directory, known, MAX_KNOWN);
        this.#looking.delete(directory);
        return known;
      });
    this.#looking.set(directory, looking);
    return looking;
  }

  async #look(directory: string): Promise<Known> {
    const nodes = this.#nodes;
    if (await nodes.has(directory)) {
      learnProject(directory, undefined);
      return { seen: undefined, until: this.#now() + FRESH_MS };
    }
    const name = nameFor(directory);
    const kept = await nodes.read(name);
    const found = await nodes.look(directory);
    const text = JSON.stringify(found);
    if (found && text !== kept) await nodes.change(name, () => text);
    const seen = found ?? (jsonIn(kept ?? "") as SeenDirectory | undefined);
    learnProject(directory, seen?.project);
    return { seen, until: this.#now() + (seen ? FRESH_MS : NONE_FRESH_MS) };
  }
}
