import { join } from "node:path";
import { timeToByte } from "../harness/api.ts";
import { startNode } from "../harness/child.ts";
import type { BriefMeasurement, Figure } from "../harness/figure.ts";
import { tempDirectory, warmCache } from "../harness/machine.ts";
import { CHECKOUT, installedParley } from "../harness/package.ts";
import { launchParley, type Server, startPlainServer } from "../harness/server.ts";
import { median, timed } from "../harness/stats.ts";

const RUNS = { full: 9, brief: 3, tiny: 1 };

type Kind = "node" | "plain" | "warm" | "cold" | "checkout" | "coldCheckout";

async function health(start: (scope: AsyncDisposableStack) => Promise<Server>): Promise<number> {
  await using scope = new AsyncDisposableStack();
  return await timed(async () => timeToByte(`${(await start(scope)).url}/health`));
}

async function bareNode(): Promise<number> {
  await using child = startNode(["-e", "0"]);
  return await timed(() => child.exited());
}

async function parley(program: string, cold: boolean): Promise<number> {
  await using scope = new AsyncDisposableStack();
  const directory = await tempDirectory(scope);
  const compileCache = cold ? join(directory, "cache") : warmCache();
  return await health((inner) => launchParley(inner, directory, { program, compileCache }));
}

/** From the start of the process to its first 200. */
export const start: BriefMeasurement = {
  name: "start",
  async run(size) {
    const runs = RUNS[size];
    const installed = installedParley();
    const starts: Readonly<Record<Kind, () => Promise<number>>> = {
      node: bareNode,
      plain: () => health(startPlainServer),
      warm: () => parley(installed, false),
      cold: () => parley(installed, true),
      checkout: () => parley(CHECKOUT, false),
      coldCheckout: () => parley(CHECKOUT, true),
    };
    const times: Record<Kind, number[]> = { node: [], plain: [], warm: [], cold: [], checkout: [], coldCheckout: [] };
    for (const begin of Object.values(starts)) await begin();
    for (let run = 0; run < runs; run++) {
      for (const [kind, begin] of Object.entries(starts)) times[kind as Kind].push(await begin());
    }
    const of = (kind: Kind): number => median(times[kind]);
    const figure = (work: string, kind: Kind, goal?: Figure["goal"]): Figure => {
      const anchor = { name: "node -e 0", value: of("node") };
      return { work, value: of(kind), unit: "ms", anchor, goal };
    };
    const within = (times: number, kind: Kind): Figure["goal"] => ({
      text: `within ${times}x`,
      met: of(kind) <= times * of("node"),
    });
    return {
      figures: [
        figure("start", "warm", within(4, "warm")),
        figure("start, cold", "cold"),
        figure("start, checkout", "checkout"),
        figure("start, cold checkout", "coldCheckout", within(8, "coldCheckout")),
        { work: "start", value: of("warm"), unit: "ms", anchor: { name: "plain node server", value: of("plain") } },
      ],
      method:
        `Spawn of the process to the answer of GET /health, median of ${runs} starts each, taken in turns after one ` +
        "unmeasured start of each. The package is built as it is published; a checkout runs TypeScript. The compile " +
        "cache holds what Node and the checkout compiled, as on every start but the first; it is empty for a cold start.",
    };
  },
};
