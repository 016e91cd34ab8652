import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Api } from "../support/api.ts";
import { eventually } from "../support/eventually.ts";
import { lawfulEvents } from "../support/laws.ts";
import { Passer } from "../support/passer.ts";
import { startProcess } from "../support/process.ts";
import { Random } from "../support/random.ts";
import { temporary } from "../support/server.ts";

export interface SoakOptions {
  minutes: number;
  sessions: number;
  /** Streams of each session. */
  clients: number;
  seed: number;
}

interface Sample {
  /** Minutes since the first sample. */
  at: number;
  megabytes: number;
  descriptors: number;
}

const PROMPTS = ["hello", "[[tools 3]]", "[[reasoning]]", "[[flood 200]]", "[[error]]", "[[late]]"] as const;
const PAUSE_MS = 1_000;
const STORM_MS = 5_000;
/** The server gives memory back when it has had nothing to do for a while: what it holds then is measured. */
const REST_MS = 12_000;
const PATIENCE_MS = 120_000;
const ROUNDS = 10;
const WARM_UP = 3;
/** V8 keeps pages of a heap that was larger for a while: in a few minutes only a leak of kilobytes a turn can be told from that. */
const MOST_GROWN_MB = 48;
/** The requests of the test keep some connections open, more or fewer as they overlap; streams that leak are hundreds. */
const MOST_OPENED = 5;

function memoryOf(pid: number): number {
  const [, kilobytes = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

/** The least memory in a time of rest, which begins when all streams are back. */
async function rest({ api, pid, streams }: { api: Api; pid: number; streams: number }): Promise<Omit<Sample, "at">> {
  const back = async (): Promise<boolean> => {
    const metrics = await (await fetch(`${api.url}/metrics`)).text();
    return metrics.includes(`\nparley_sse_clients ${streams}\n`);
  };
  await eventually("all streams to be back", back, PATIENCE_MS);
  let megabytes = Number.POSITIVE_INFINITY;
  for (const until = performance.now() + REST_MS; performance.now() < until; await delay(250))
    megabytes = Math.min(megabytes, memoryOf(pid));
  return { megabytes, descriptors: readdirSync(`/proc/${pid}/fd`).length };
}

/** The growth of a line through all samples, in MB an hour. */
export function slope(samples: readonly Pick<Sample, "at" | "megabytes">[]): number {
  const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = mean(samples.map(({ at }) => at));
  const y = mean(samples.map(({ megabytes }) => megabytes));
  const covariance = mean(samples.map(({ at, megabytes }) => (at - x) * (megabytes - y)));
  const variance = mean(samples.map(({ at }) => (at - x) ** 2));
  return (60 * covariance) / variance;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** Takes turns in one session until the time is over, and says how many. */
async function work(api: Api, session: string, random: Random, over: () => boolean): Promise<number> {
  let turns = 0;
  for (; !over(); turns++) {
    await api.ask(session, random.pick(PROMPTS));
    await delay(random.between(0, 2 * PAUSE_MS));
  }
  return turns;
}

/** Takes turns in all sessions while streams break and come back. */
async function round(
  { api, ids, passers }: { api: Api; ids: readonly string[]; passers: readonly Passer[] },
  ms: number,
  seed: number,
): Promise<number> {
  const until = performance.now() + ms;
  const over = (): boolean => performance.now() >= until;
  const random = new Random(seed - 1);
  const working = Promise.all(ids.map((id, at) => work(api, id, new Random(seed + at), over)));
  while (!over()) {
    await delay(STORM_MS);
    const leaving = passers.filter(() => random.chance(0.3));
    for (const passer of leaving) passer.comeBack();
  }
  return (await working).reduce((sum, turns) => sum + turns, 0);
}

/** Sessions work, each with several streams that keep breaking: memory and descriptors at rest stay where they are. */
export async function runSoak(t: TestContext, { minutes, sessions, clients, seed }: SoakOptions): Promise<void> {
  t.diagnostic(`PARLEY_SEED=${seed}`);
  const home = await temporary(t, "parley-soak-");
  const { api, pid, end } = await startProcess({
    home,
    flags: ["--no-native", "--log-level", "error", "--idle-agents", String(sessions)],
  });
  t.after(async () => void (await end("SIGTERM")));
  const ids = await Promise.all(Array.from({ length: sessions }, async () => (await api.create()).id));
  const passers = ids.flatMap((id) =>
    Array.from({ length: clients }, (_, at) => {
      const path = at === 0 ? "/event" : `/v1/sessions/${id}/stream?after=latest`;
      return new Passer(`${api.url}${path}`);
    }),
  );
  for (const passer of passers) passer.connect();
  t.after(() => {
    for (const passer of passers) passer.leave();
  });

  const samples: Sample[] = [];
  let turns = 0;
  const begun = performance.now();
  for (let at = 0; at < ROUNDS; at++) {
    turns += await round({ api, ids, passers }, (minutes * 60_000) / ROUNDS, seed + at * sessions);
    samples.push({ at: (performance.now() - begun) / 60_000, ...(await rest({ api, pid, streams: passers.length })) });
  }
  for (const id of ids) {
    assert.equal((await api.session(id)).status, "idle");
    await lawfulEvents(api, id);
  }
  const warm = samples.slice(WARM_UP);
  const growth = slope(warm);
  const facts = JSON.stringify({
    turns,
    megabytesAnHour: growth.toFixed(2),
    megabytes: samples.map(({ megabytes }) => Math.round(megabytes)),
    descriptors: samples.map(({ descriptors }) => descriptors),
  });
  t.diagnostic(facts);
  const grown = (of: "megabytes" | "descriptors"): number =>
    median(warm.slice(-3).map((one) => one[of])) - median(warm.slice(0, 3).map((one) => one[of]));
  const [memory, opened] = [grown("megabytes"), grown("descriptors")];
  assert.ok(memory < MOST_GROWN_MB, `memory at rest grew by ${memory.toFixed(1)} MB: ${facts}`);
  assert.ok(opened <= MOST_OPENED, `descriptors at rest grew by ${opened}: ${facts}`);
}
