import { performance } from "node:perf_hooks";
import type { Doomed } from "./doomed.ts";
import type { Call, Down, FencedAgent, Read, Records, Seen, Time, Watch } from "./records.ts";

/** Everything that clients asked for and were told, and what was done to the nodes meanwhile. */
export class Book {
  readonly calls: Call[] = [];
  readonly reads: Read[] = [];
  readonly watches: (Watch & { events: { position: number; session: string; seq: number }[] })[] = [];
  readonly downs: Down[] = [];
  readonly agents: FencedAgent[] = [];
  readonly surprises: string[] = [];
  readonly left: string[] = [];
  /** Sessions that are deleted, by their ids. Nobody else works with them. */
  readonly doomed = new Map<string, Doomed>();
  /** Sessions that clients know of. */
  readonly sessions: string[] = [];
  private readonly known = new Map<string, Seen>();

  /** The machine's clock, which this process does not set. */
  now(): Time {
    return performance.timeOrigin + performance.now();
  }

  get seen(): Seen[] {
    return [...this.known.values()];
  }

  get eventsSeen(): number {
    return this.known.size;
  }

  /** An event that came to a client. Who comes later must be told the same, but for the count of folded numbers. */
  saw(seen: Seen): void {
    const key = `${seen.session}:${seen.seq}`;
    const before = this.known.get(key);
    if (!before) this.known.set(key, seen);
    else if (before.json !== seen.json && withoutFold(before.json) !== withoutFold(seen.json))
      this.surprises.push(`${before.client} and ${seen.client} were told ${key} differently`);
  }

  watch(client: string, after: number): Book["watches"][number] {
    const watch = { client, after, events: [] };
    this.watches.push(watch);
    return watch;
  }

  /** Begins a time in which a node is down. Returns the function that ends it. */
  down(node: string, why: string): () => void {
    const down: Down = { node, from: this.now(), to: Number.POSITIVE_INFINITY, why };
    this.downs.push(down);
    return () => {
      down.to = Math.min(down.to, this.now());
    };
  }

  records(tables: Records["tables"]): Records {
    const { reads, watches, downs, agents, surprises, left } = this;
    // What was seen of a session that is deleted is gone with it, and with its sub-agents' sessions.
    const there = new Set(tables.sessions.map(({ id }) => id));
    const gone = (session: string): boolean => this.doomed.size > 0 && !there.has(session);
    const known = new Set(this.sessions);
    const calls = this.calls.filter(({ session = "" }) => !this.doomed.has(session));
    const seen = this.seen.filter(({ session }) => known.has(session) || !gone(session));
    return { doomed: [...this.doomed.values()], calls, reads, seen, watches, downs, agents, surprises, left, tables };
  }
}

const withoutFold = (json: string): string => json.replace(/,"folded":\d+\}$/, "}");
