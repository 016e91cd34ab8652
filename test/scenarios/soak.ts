import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { type ClientRequest, get } from "node:http";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Api } from "../support/api.ts";
import { lawfulEvents } from "../support/laws.ts";
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
  /** Minutes since the warm-up ended. */
  at: number;
  megabytes: number;
  descriptors: number;
}

const PROMPTS = ["hello", "[[tools 3]]", "[[reasoning]]", "[[flood 200]]", "[[error]]", "[[late]]"] as const;
const PAUSE_MS = 2_000;
const STORM_MS = 5_000;
const SAMPLE_MS = 2_000;

/** A client that reads a stream, keeps nothing but its cursor, and comes back with it. */
class Passer {
  private request: ClientRequest | undefined;
  private cursor: string | undefined;
  private readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  connect(): void {
    const headers = this.cursor === undefined ? {} : { "last-event-id": this.cursor };
    this.request = get(this.url, { headers, agent: false }, (response) => {
      response.setEncoding("utf8");
      assert.equal(response.statusCode, 200, `a stream from ${this.cursor}`);
      let rest = "";
      response.on("data", (text: string) => {
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        this.cursor = lines.findLast((line) => line.startsWith("id: "))?.slice("id: ".length) ?? this.cursor;
      });
      response.on("error", () => {});
    });
    this.request.on("error", () => {});
  }

  leave(): void {
    this.request?.destroy();
  }
}

function sampleOf(pid: number, at: number): Sample {
  const [, kilobytes = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return { at, megabytes: Number(kilobytes) / 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length };
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

/** Sessions that work, each with several streams that keep breaking: memory and descriptors stay where they are. */
export async function runSoak(t: TestContext, { minutes, sessions, clients, seed }: SoakOptions): Promise<void> {
  t.diagnostic(`PARLEY_SEED=${seed}`);
  const home = await temporary(t, "parley-soak-");
  const server = await startProcess({ home, flags: ["--no-native", "--log-level", "error"] });
  t.after(async () => void (await server.end("SIGTERM")));
  const { api, pid } = server;
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

  const begun = performance.now();
  const minutesNow = (): number => (performance.now() - begun) / 60_000;
  const over = (): boolean => minutesNow() >= minutes;
  const working = Promise.all(ids.map((id, at) => work(api, id, new Random(seed + at), over)));
  const warm = minutes / 3;
  const samples: Sample[] = [];
  const random = new Random(seed - 1);
  for (let storm = performance.now(); !over(); await delay(SAMPLE_MS)) {
    if (performance.now() - storm > STORM_MS) {
      storm = performance.now();
      const leaving = passers.filter(() => random.chance(0.3));
      for (const passer of leaving) passer.leave();
      for (const passer of leaving) passer.connect();
    }
    if (minutesNow() > warm) samples.push(sampleOf(pid, minutesNow() - warm));
  }
  const turns = await working;

  for (const id of ids) {
    assert.equal((await api.session(id)).status, "idle");
    await lawfulEvents(api, id);
  }
  const half = Math.floor(samples.length / 2);
  const [first, second] = [samples.slice(0, half), samples.slice(half)];
  const grown = median(second.map((one) => one.megabytes)) - median(first.map((one) => one.megabytes));
  const opened = median(second.map((one) => one.descriptors)) - median(first.map((one) => one.descriptors));
  const facts = {
    turns: turns.reduce((sum, one) => sum + one, 0),
    samples: samples.length,
    megabytes: [first, second].map((part) => median(part.map((one) => one.megabytes)).toFixed(1)),
    megabytesAnHour: slope(samples).toFixed(2),
    descriptors: [first, second].map((part) => median(part.map((one) => one.descriptors))),
  };
  t.diagnostic(JSON.stringify(facts));
  assert.ok(samples.length >= 10, JSON.stringify(facts));
  assert.ok(grown < Math.max(8, minutes / 60), `memory grew by ${grown.toFixed(1)} MB: ${JSON.stringify(facts)}`);
  assert.ok(Math.abs(opened) <= 5, `descriptors grew by ${opened}: ${JSON.stringify(facts)}`);
}
