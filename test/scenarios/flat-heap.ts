import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Api } from "../support/api.ts";
import { type Grown, grown } from "../support/heap/kinds.ts";
import { type Memory, startProbedHeap } from "../support/heap/probed-heap.ts";
import { lawfulEvents } from "../support/laws.ts";
import { Passer } from "../support/passer.ts";

/** Turns of one session, or time. */
export type Amount = { turns: number } | { minutes: number };

export interface FlatHeapOptions {
  /** The agent of each session. */
  agents: readonly ("scripted" | "house")[];
  /** Before the first look, and once more after it: caches fill, and code is compiled. */
  warmUp: Amount;
  /** Between the two looks. */
  work: Amount;
  /** Idle agents that are kept: with fewer than sessions, agents end and begin anew all the time. */
  idleAgents: number;
  /** Milliseconds that a turn lasts at least. */
  turnMs?: number;
  /** A module that is loaded into the server. */
  imports?: string;
}

/** Prompts for the scripted agent and the house agent, in turns. */
const PROMPTS = {
  scripted: ["hello", "[[tools 3]]", "[[reasoning]]", "[[flood 50]]", "[[error]]", "[[late]]", "[[plan]]", "[[retry]]"],
  house: ["run: echo hello", "run: false"],
} as const;

/** Commands of the house agent that nobody is asked about. */
const RULES = ["echo *", "false", "sleep *"].map((pattern) => ({ action: "bash", pattern, verdict: "allow" }));

/** After so many turns clients lose their connections, and a conversation is made short. */
const BREAK_EVERY = 20;
const COMPACT_EVERY = 50;

/** Megabytes. What V8 compiles and how it lays out the heap moves by some of them, whatever the program does. */
const MOST: Readonly<Memory> = { heap: 1.5, external: 1.5, resident: 24 };
/** Objects of one constructor for each turn. A leak keeps at least one; a few are left over by chance. */
const MOST_A_TURN = 0.25;
/**
 * Bytes of strings and lists, and for each turn. Tables of maps keep room for what was in them once, and the house agent
 * remembers the name of each call, so that no two have the same.
 */
const MOST_BYTES = 256 * 1024;
const MOST_BYTES_A_TURN = 100;
const SHOWN = 12;

interface Stage {
  api: Api;
  passers: readonly Passer[];
  turnMs: number;
}

/** A client that asks instead of listening, by both surfaces. */
async function poll(api: Api, session: string): Promise<void> {
  const { last } = await api.session(session);
  await api.page(session, `?after=${Math.max(0, last - 50)}`);
  await api.expect(200, "GET", "/v1/sessions?limit=20");
  for (const path of [`/session/${session}/message?limit=5`, `/session/${session}`, "/session/status", "/session"]) {
    const response = await fetch(api.url + path);
    assert.equal(response.status, 200, path);
    await response.arrayBuffer();
  }
}

class Worker {
  turns = 0;
  private readonly stage: Stage;
  private readonly agent: "scripted" | "house";
  readonly id: string;

  constructor(stage: Stage, agent: "scripted" | "house", id: string) {
    this.stage = stage;
    this.agent = agent;
    this.id = id;
  }

  async work(over: (turns: number) => boolean): Promise<number> {
    const { api, turnMs, passers } = this.stage;
    let done = 0;
    for (; !over(done); done++) {
      const prompts = PROMPTS[this.agent];
      const slow = turnMs === 0 ? "" : this.agent === "house" ? `; sleep ${turnMs / 1_000}` : ` [[slow ${turnMs}]]`;
      await api.ask(this.id, `${prompts[this.turns % prompts.length]}${slow}`);
      await poll(api, this.id);
      this.turns++;
      if (this.turns % BREAK_EVERY === 0) passers[(this.turns / BREAK_EVERY) % passers.length]?.comeBack();
      if (this.turns % COMPACT_EVERY === 0) await this.shorten();
    }
    return done;
  }

  /** A conversation of the house agent is in this process, so that it grows until it is compacted. */
  async shorten(): Promise<void> {
    if (this.agent !== "house") return;
    await this.stage.api.expect(200, "POST", `/v1/sessions/${this.id}/compact?wait=true`);
  }
}

/** All sessions work for that long; returns how many turns that were. */
async function workFor(workers: readonly Worker[], amount: Amount): Promise<number> {
  const until = "minutes" in amount ? performance.now() + amount.minutes * 60_000 : 0;
  const over = (turns: number): boolean => ("turns" in amount ? turns >= amount.turns : performance.now() >= until);
  const turns = await Promise.all(workers.map((worker) => worker.work(over)));
  for (const worker of workers) await worker.shorten();
  return turns.reduce((sum, count) => sum + count, 0);
}

/** Both looks at the heap, and the growth between them of what it holds and of the memory. */
interface Looks {
  grown: readonly Grown[];
  before: Memory;
  after: Memory;
  turns: number;
}

function assertFlat({ grown: all, before, after, turns }: Looks): void {
  const line = ({ kind, count, bytes }: Grown): string => `${kind}: ${count} more, ${(bytes / 1024).toFixed(1)} kB`;
  const most = all.slice(0, SHOWN).map(line).join("\n");
  const rise = (part: keyof Memory): string =>
    `${part} from ${before[part].toFixed(1)} to ${after[part].toFixed(1)} MB`;
  const told = `in ${turns} turns: ${rise("heap")}, ${rise("external")}, ${rise("resident")}; what grew most:\n${most}`;
  const kept = all.filter(({ kind, count, bytes }) =>
    kind.startsWith("(") ? bytes > MOST_BYTES + turns * MOST_BYTES_A_TURN : count > turns * MOST_A_TURN,
  );
  assert.deepEqual(kept.map(line), [], `expected no kind of object to grow with the turns ${told}`);
  for (const part of ["heap", "external", "resident"] as const) {
    const rose = after[part] - before[part];
    assert.ok(rose < MOST[part], `expected ${part} to grow by less than ${MOST[part]} MB ${told}`);
  }
}

/** Sessions work while clients follow, poll, leave and come back: what the server holds after it is what it held before. */
export async function runFlatHeap(t: TestContext, options: FlatHeapOptions): Promise<void> {
  const { agents, warmUp, work, idleAgents, turnMs = 0, imports } = options;
  const flags = ["--no-native", "--log-level", "error", "--idle-agents", String(idleAgents)];
  const { api, memory, kinds } = await startProbedHeap(t, flags, imports);
  const ids = await Promise.all(agents.map(async (agent) => (await api.create({ agent, permissions: RULES })).id));
  const paths = ["/v1/stream?after=latest", "/event", `/v1/sessions/${ids[0]}/stream?after=latest`];
  const passers = paths.map((path) => new Passer(api.url + path));
  for (const passer of passers) passer.connect();
  t.after(() => {
    for (const passer of passers) passer.leave();
  });
  const stage = { api, passers, turnMs };
  const workers = agents.map((agent, at) => new Worker(stage, agent, ids[at] ?? ""));
  await workFor(workers, warmUp);
  const first = await kinds();
  // A snapshot takes memory, which the same work uses again: so the figures are taken later, and no snapshot between them.
  const again = await workFor(workers, warmUp);
  const before = await memory();
  const turns = again + (await workFor(workers, work));
  const after = await memory();
  const looks = { grown: grown(first, await kinds()), before, after, turns };
  const facts = (one: Memory): object =>
    Object.fromEntries(Object.entries(one).map(([part, mb]) => [part, Number(mb.toFixed(2))]));
  t.diagnostic(JSON.stringify({ turns, before: facts(before), after: facts(after), grown: looks.grown.slice(0, 3) }));
  assertFlat(looks);
  for (const id of ids) await lawfulEvents(api, id);
}
