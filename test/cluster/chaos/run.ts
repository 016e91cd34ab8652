import type { ParleyEvent } from "../../../src/core/events/event.ts";
import { Random } from "../../support/random.ts";
import { Book } from "./book.ts";
import { checkRecords } from "./check/run.ts";
import { Clients } from "./clients.ts";
import { Cluster } from "./cluster.ts";
import { Deleter } from "./doomed.ts";
import type { Fault, Stage } from "./faults.ts";
import { pauser } from "./moments.ts";
import type { NodeOptions } from "./node.ts";
import type { Limits, Violation } from "./records.ts";
import { Watcher } from "./watchers.ts";

export interface ChaosOptions {
  seed: number;
  leaseMs: number;
  /** The faults, one after the other. */
  faults: Iterable<Fault>;
  clients: number;
  /** What nodes answer to asks while no client watches; `wait` unless told. */
  unattended?: NodeOptions["unattended"];
  limits: Omit<Limits, "leaseMs">;
  /** The database may lose what was acknowledged: only what must hold even then is looked at. */
  lossy?: boolean;
  /** Hears of each step. */
  tell?(line: string): void;
}

export interface ChaosReport {
  violations: Violation[];
  counts: Record<string, number>;
  figures: Record<string, number[]>;
  /** The nodes' own words. */
  stderr: string;
}

/** Between two faults clients work for so long, at most. */
const REST_MS = 1_500;
/** Lines of a node's own words in a report. */
const SAID = 40;

/** Runs nodes, clients and faults, and holds what they left behind against the rules. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { seed, leaseMs, faults, limits, lossy = false, tell = () => {} } = options;
  const random = new Random(seed);
  const book = new Book();
  const figures: Record<string, number[]> = {};
  const figure = (name: string, value: number): void => {
    figures[name] = [...(figures[name] ?? []), Math.round(value)];
  };
  const counts: Record<string, number> = {};
  const ends: (() => void)[] = [];
  const cluster = await Cluster.start({ ...options, book, nodes: 3, bouncer: true });
  try {
    const people = startPeople(cluster, options, random);
    const pause = pauser();
    for (const fault of faults) {
      await pause(random.between(0, REST_MS));
      tell(fault.name);
      const stage: Stage = { cluster, random, pause, figure, atEnd: (work) => ends.push(work) };
      await fault.run(stage);
      counts[fault.name] = (counts[fault.name] ?? 0) + 1;
    }
    await cluster.heal();
    await people.finish();
    tell("all is at rest");
    await cluster.stop();
    const tables = await cluster.tables();
    const all = checkRecords(book.records(tables), { ...limits, leaseMs });
    const violations = lossy ? all.filter(({ rule }) => EVEN_THEN.has(rule)) : all;
    counts["asks answered by the policy"] = tables.events.filter(({ json }) => isByPolicy(json)).length;
    return { violations, counts: { ...counts, ...countsOf(book) }, figures, stderr: stderrOf(cluster) };
  } catch (thrown) {
    throw new Error(`PARLEY_SEED=${seed}: ${String(thrown)}\n${stderrOf(cluster)}`, { cause: thrown });
  } finally {
    await cluster.drop();
    for (const end of ends) end();
  }
}

/** Rules that hold also where the database lost its end. */
const EVEN_THEN = new Set(["no-hole", "laws", "one-end", "epochs-grow", "ordered", "one-writer", "left-running"]);

/** Clients of all kinds. They are there while there are faults, and some until all is at rest. */
function startPeople(cluster: Cluster, { clients, seed, lossy = false }: ChaosOptions, random: Random) {
  const { book, nodes } = cluster;
  const working = new AbortController();
  const watching = new AbortController();
  const chance = (): Random => new Random(random.between(0, 2 ** 31) + seed);
  const patienceMs = 60_000;
  const mostSessions = 60;
  const options = { nodes, book, patienceMs, mostSessions };
  const doers = new Clients({ ...options, random: chance(), signal: working.signal });
  const answerers = new Clients({ ...options, random: chance(), signal: watching.signal });
  const names = Array.from({ length: clients }, (_, index) => `client ${index + 1}`);
  const deleter = new Deleter({ nodes, book, random: chance(), signal: working.signal });
  const work = [...names.map((name) => doers.live(name)), deleter.live()];
  const answering = answerers.answer("answerer");
  const seeing = { nodes, book, signal: watching.signal };
  const all = ["all 1", "all 2"].map((name) => new Watcher(name, { ...seeing, random: chance() }));
  const some = ["sessions 1", "sessions 2"].map((name) => new Watcher(name, { ...seeing, random: chance() }));
  const seen = [...all.map((one) => one.watchAll()), ...some.map((one) => one.watchSessions())];
  return {
    /** Has them end what they do, and resolves when nothing is left to do. */
    async finish(): Promise<void> {
      working.abort();
      await Promise.all(work);
      await cluster.settled();
      const position = await cluster.position();
      // A client whose cursor lies beyond what a lossy database has left never comes to its end.
      if (!lossy) await Promise.all(all.map((one) => one.reached(position)));
      watching.abort();
      await Promise.all([answering, ...seen]);
    },
  };
}

function countsOf(book: Book): Record<string, number> {
  const counts: Record<string, number> = { sessions: book.sessions.length, "events seen": book.eventsSeen };
  for (const { kind, outcome } of book.calls) counts[`${kind} ${outcome}`] = (counts[`${kind} ${outcome}`] ?? 0) + 1;
  counts["sessions deleted"] = [...book.doomed.values()].filter(({ outcome }) => outcome === "ok").length;
  counts["reads through another node"] = book.reads.length;
  return counts;
}

/** Whether an event says that the policy answered, because nobody was there to ask. */
function isByPolicy(json: string): boolean {
  if (!json.includes('"policy"')) return false;
  const { type, data } = JSON.parse(json) as ParleyEvent;
  return type === "permission.resolved" && "by" in data && data.by === "policy";
}

/** The last words of each node, without stacks. */
function stderrOf({ nodes, bouncerSaid }: Cluster): string {
  return [...nodes, { name: "pgbouncer", stderr: bouncerSaid }]
    .map(({ name, stderr }) => [`── ${name}`, ...stderr.split("\n").slice(-SAID).map(short)].join("\n"))
    .join("\n");
}

function short(line: string): string {
  try {
    const { time, msg, err, ...more } = JSON.parse(line) as Record<string, unknown> & { err?: { message?: string } };
    return `${time} ${msg} ${err?.message ?? ""} ${JSON.stringify(more)}`.slice(0, 400);
  } catch {
    return line.slice(0, 400);
  }
}
