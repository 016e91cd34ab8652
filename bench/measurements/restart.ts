import { cp } from "node:fs/promises";
import { join } from "node:path";
import { call, timeToByte } from "../harness/api.ts";
import { type Measurement, under } from "../harness/figure.ts";
import { tempDirectory, warmCache } from "../harness/machine.ts";
import { launchParley, startParley } from "../harness/server.ts";
import { manySessions } from "../harness/sessions.ts";
import { median, timed } from "../harness/stats.ts";

const SIZES = {
  full: { sessions: 1000, open: 50, runs: 5, lists: 20 },
  tiny: { sessions: 20, open: 5, runs: 1, lists: 2 },
};

interface Sessions {
  sessions: { turn: unknown }[];
}

/** From the start of the process until the log takes writes, with what is in a copy of the data directory. */
async function startOn(data: string | undefined): Promise<number> {
  await using scope = new AsyncDisposableStack();
  const directory = await tempDirectory(scope);
  const dataDirectory = join(directory, "data");
  if (data !== undefined) await cp(data, dataDirectory, { recursive: true });
  return await timed(async () => {
    const { url } = await launchParley(scope, directory, { dataDirectory, compileCache: warmCache() });
    await timeToByte(`${url}/ready`);
  });
}

/** A start after a crash. */
export const restart: Measurement = {
  name: "restart",
  async run(size) {
    const { sessions, open, runs, lists } = SIZES[size];
    await using scope = new AsyncDisposableStack();
    const data = await tempDirectory(scope);
    await manySessions(data, sessions, open);
    const times = { empty: [] as number[], full: [] as number[] };
    await startOn(undefined);
    for (let run = 0; run < runs; run++) {
      times.empty.push(await startOn(undefined));
      times.full.push(await startOn(data));
    }
    const server = await startParley(scope, { dataDirectory: data });
    const listed = await call<Sessions>(server, "GET", "/v1/sessions?limit=200");
    const left = listed.sessions.filter(({ turn }) => turn).length;
    const list: number[] = [];
    const health: number[] = [];
    for (let run = 0; run < lists; run++) {
      list.push(await timeToByte(`${server.url}/v1/sessions?limit=50`));
      health.push(await timeToByte(`${server.url}/health`));
    }
    const value = median(times.full);
    return {
      figures: [
        {
          work: "restart",
          faults: left > 0 ? [`${left} turns still open`] : [],
          value,
          unit: "ms",
          anchor: { name: "empty data directory", value: median(times.empty) },
          goal: { text: "under 1000 ms", met: value < 1000 && left === 0 },
        },
        {
          work: "list sessions",
          value: median(list),
          unit: "ms",
          anchor: { name: "GET /health", value: median(health) },
          goal: under(100, "ms", median(list)),
        },
      ],
      method:
        `Spawn of the process to the answer of GET /ready with ${sessions} sessions, ${open} turns of them open; median of ` +
        `${runs} starts on copies of one data directory, in turns with an empty one; afterwards no turn may be open. The ` +
        `list: 50 of the sessions, median of ${lists}.`,
    };
  },
};
