import { join } from "node:path";
import { timeToByte } from "../harness/api.ts";
import { startNode } from "../harness/child.ts";
import { type Figure, type Measurement, under } from "../harness/figure.ts";
import { tempDirectory, warmCache } from "../harness/machine.ts";
import { launchParley, type Server, startPlainServer } from "../harness/server.ts";
import { median, timed } from "../harness/stats.ts";

const RUNS = { full: 11, tiny: 1 };

async function health(start: (scope: AsyncDisposableStack) => Promise<Server>): Promise<number> {
  await using scope = new AsyncDisposableStack();
  return await timed(async () => timeToByte(`${(await start(scope)).url}/health`));
}

async function bareNode(): Promise<number> {
  await using child = startNode(["-e", "0"]);
  return await timed(() => child.exited());
}

async function parley(cold: boolean): Promise<number> {
  await using scope = new AsyncDisposableStack();
  const directory = await tempDirectory(scope);
  const compileCache = cold ? join(directory, "cache") : warmCache();
  return await health((inner) => launchParley(inner, directory, { compileCache }));
}

/** From the start of the process to its first 200. */
export const start: Measurement = {
  name: "start",
  async run(size) {
    const runs = RUNS[size];
    const times = { node: [] as number[], plain: [] as number[], warm: [] as number[], cold: [] as number[] };
    await parley(false);
    await health(startPlainServer);
    for (let run = 0; run < runs; run++) {
      times.node.push(await bareNode());
      times.plain.push(await health(startPlainServer));
      times.warm.push(await parley(false));
      times.cold.push(await parley(true));
    }
    const [node, plain, warm, cold] = [times.node, times.plain, times.warm, times.cold].map(median) as Four;
    const bare = { name: "node -e 0", value: node };
    const figure = (work: string, value: number, goal: Figure["goal"]): Figure => ({
      work,
      value,
      unit: "ms",
      anchor: bare,
      goal,
    });
    return {
      figures: [
        figure("start to first 200", warm, under(400, "ms", warm)),
        figure("start to first 200, as a multiple", warm, { text: "within 5x", met: warm <= 5 * node }),
        figure("start to first 200, nothing compiled yet", cold, under(400, "ms", cold)),
        { ...figure("the same beside a plain server", warm, undefined), anchor: { name: "plain node", value: plain } },
      ],
      method:
        `Spawn of the process to the answer of GET /health, median of ${runs} starts each, taken in turns after one ` +
        "unmeasured start. Warm: Node's compile cache holds the code, as on every start but the first.",
    };
  },
};

type Four = [number, number, number, number];
