import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createProcessTable } from "../../src/host/process-table.ts";
import { lawfulEvents } from "../support/laws.ts";
import { Random } from "../support/random.ts";
import { startServer } from "../support/server.ts";

const PROMPTS = [
  "[[slow 60000]]",
  "[[flood 3000]] [[slow 60000]]",
  "[[tools 3]] [[ask]]",
  "[[reasoning]] [[question]]",
];

export interface DeathOptions {
  deaths: number;
  sessions: number;
  seed: number;
  /** The longest that the end of a turn may take. */
  withinMs: number;
}

/** Kills agents at random points of their turns: each turn ends once, as an error, soon, and the next prompt works. */
export async function runAgentDeaths(t: TestContext, options: DeathOptions): Promise<void> {
  const { deaths, sessions, seed, withinMs } = options;
  t.diagnostic(`PARLEY_SEED=${seed}`);
  const { api, dataDirectory } = await startServer(t, { keepNative: false });
  const table = createProcessTable(join(dataDirectory, "run"));
  const times: number[] = [];
  let left = deaths;
  const lane = async (at: number): Promise<void> => {
    const random = new Random(seed + at);
    const { id } = await api.create();
    const stream = await api.stream(id);
    while (left-- > 0) {
      const { turn } = await api.prompt(id, random.pick(PROMPTS));
      const first = await stream.event((event) => event.turn === turn && event.source === "agent", "the agent at work");
      const moment = first.seq + random.between(0, 20);
      const enough = (seq: number): boolean => seq >= moment;
      await stream.event(
        ({ seq, type }) => enough(seq) || (type.endsWith(".requested") && seq > first.seq),
        "its moment",
      );
      const [entry, ...more] = table.list().filter((one) => one.session === id);
      assert.ok(entry && more.length === 0, "one agent serves the session");
      const killed = performance.now();
      process.kill(entry.pid, "SIGKILL");
      const end = await stream.event((event) => event.type === "turn.ended" && event.turn === turn, "the turn's end");
      times.push(performance.now() - killed);
      assert.ok(end.type === "turn.ended");
      assert.equal(end.data.reason, "error");
      assert.equal(end.data.error?.code, "agent_exited");
      assert.equal((await api.ask(id, "hello")).reason, "end_turn");
    }
    await lawfulEvents(api, id);
    await stream.close();
  };
  await Promise.all(Array.from({ length: sessions }, (_, at) => lane(at)));
  times.sort((a, b) => a - b);
  const [median = 0, worst = 0] = [times[Math.floor(times.length / 2)], times.at(-1)];
  t.diagnostic(
    `${times.length} deaths; the turn's end took ${median.toFixed(1)} ms (median), ${worst.toFixed(1)} ms (worst)`,
  );
  assert.ok(worst < withinMs, `${worst} ms`);
}
