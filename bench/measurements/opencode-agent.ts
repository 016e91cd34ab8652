import { INSTALLABLE } from "../../src/install/catalog.ts";
import { realAgent } from "../../test/support/real-agent.ts";
import type { Contestant } from "../harness/contestant.ts";
import { type Figure, type Measurement, type Size, under } from "../harness/figure.ts";
import { familyMb, residentMb } from "../harness/machine.ts";
import { type Heard, laterBy, Passed, pacedAnswer, summed } from "../harness/paced.ts";
import { installedParley } from "../harness/package.ts";
import { type Settling, settled } from "../harness/settled.ts";
import { median, percentile } from "../harness/stats.ts";
import { type Both, inTurns, versus } from "../harness/versus.ts";
import { openStage, type Stage } from "../opencode/stage.ts";
import { hearTwice, startDriving } from "../opencode-agent/contest.ts";
import { type Asking, startPlain } from "../opencode-agent/plain.ts";

const SIZES = {
  full: { rounds: 15, pieces: 300, periodMs: 5, directories: 5, looks: 12, pauseMs: 500 },
  tiny: { rounds: 1, pieces: 20, periodMs: 2, directories: 1, looks: 2, pauseMs: 50 },
};
type Sizes = (typeof SIZES)[Size];

const beside = versus("opencode serve");
const MORE_MS = 1.5;
const MORE_MB = 60;

async function delays(stage: Stage, asking: Asking, { rounds }: Sizes): Promise<Figure[]> {
  await using scope = new AsyncDisposableStack();
  const plain = await startPlain(scope, stage, asking);
  const driving = await startDriving(scope, stage, asking, plain.url);
  const session = { native: await plain.open(), parley: await driving.open() };
  const alone: Heard[] = [];
  const twice: Both<Heard>[] = [];
  await inTurns(rounds + 1, async (side, round) => {
    if (side === "native") {
      const turn = await plain.turn(session.native);
      if (round > 0) alone.push(turn);
    } else {
      const turn = await hearTwice(plain, asking.sent, () => driving.turn(session.parley));
      if (round > 0) twice.push(turn);
    }
  });
  const parley = twice.map((turn) => turn.parley);
  const { first } = summed({ native: alone, parley });
  const { median: middle, p99 } = summed({ native: twice.map((turn) => turn.native), parley });
  const later = twice.map((turn) => laterBy(turn.parley, turn.native));
  const value = median(later.map(median));
  const most = median(later.map((turn) => percentile(turn, 0.99)));
  return [
    beside("oc-agent, first piece", first, "ms"),
    beside("oc-agent, piece, p50", middle, "ms"),
    beside("oc-agent, piece, p99", p99, "ms"),
    beside("oc-agent, later, p50", { native: middle.native, parley: value }, "ms", {
      text: `at most ${MORE_MS} ms`,
      met: value <= MORE_MS,
    }),
    beside("oc-agent, later, p99", { native: p99.native, parley: most }, "ms"),
  ];
}

/** The memory of all processes, and that of the first of them. */
interface Memory {
  all: number;
  own: number;
}

async function memoryOf({ pid }: Contestant, { looks, pauseMs }: Sizes): Promise<Memory> {
  const settling: Settling = { pauseMs, looks, tolerance: 2, most: looks * 5 };
  return { all: await settled(() => familyMb(pid), settling), own: residentMb(pid) };
}

/** The cost of a session in another directory that has had a turn: the median of some, after the first session has had as many turns. */
async function another(stage: Stage, contestant: Contestant, sizes: Sizes): Promise<Memory> {
  const names = Array.from({ length: sizes.directories }, (_, at) => `other-${at}`);
  const session = await contestant.open();
  for (const _ of names) await contestant.turn(session);
  const costs: Memory[] = [];
  let before = await memoryOf(contestant, sizes);
  for (const name of names) {
    const directory = stage.surroundings.project(name, { "README.md": "# Project\n" });
    await contestant.turn(await contestant.open(directory));
    const after = await memoryOf(contestant, sizes);
    costs.push({ all: after.all - before.all, own: after.own - before.own });
    before = after;
  }
  return { all: median(costs.map(({ all }) => all)), own: median(costs.map(({ own }) => own)) };
}

async function memory(stage: Stage, asking: Asking, sizes: Sizes): Promise<Figure[]> {
  await using scope = new AsyncDisposableStack();
  const through = await another(stage, await startDriving(scope, stage, asking), sizes);
  const plain = await startPlain(scope, stage, asking);
  const directory = await another(stage, plain, sizes);
  const second = await startPlain(scope, stage, asking);
  await second.turn(await second.open());
  const server = await memoryOf(second, sizes);
  const work = "oc-agent, 2nd session";
  const goal = under(MORE_MB, "MB", through.all);
  return [
    {
      work,
      value: through.all,
      unit: "MB",
      anchor: { name: "second opencode serve", value: server.all },
      ...(goal ? { goal } : {}),
    },
    { work, value: through.all, unit: "MB", anchor: { name: "second directory in one", value: directory.all } },
    { work: "oc-agent, its Parley", value: through.own, unit: "MB", anchor: { name: "of all", value: through.all } },
  ];
}

function methodOf({ rounds, pieces, periodMs, directories, looks, pauseMs }: Sizes): string {
  return (
    `One server of OpenCode ${INSTALLABLE.opencode.version}, one scripted model. A plain reader of its /event, and Parley, attached to the same server by --opencode-url and heard by the session's stream. ` +
    `${rounds} turns of ${pieces} pieces, one every ${periodMs} ms, given to Parley and to OpenCode itself in turns, after one of either that is not counted. The first piece is timed from the prompt, in turns of its own ` +
    "on either side; each other from the model's write, in the turns that were given to Parley, at both clients. Later: the same piece at Parley's client less at the plain reader, which was connected before Parley. " +
    "All by one clock; the median of the turns is shown. " +
    `Memory: VmRSS of all processes, of a Parley that starts the server itself: after one turn of a session in another directory less before it, each at rest (${looks} looks every ${pauseMs} ms within 2 MB), the median of ${directories} ` +
    "directories; the first session had as many turns before. Beside it the same in a plain server, and all of a second plain server after one turn."
  );
}

/** OpenCode as an agent through Parley, beside OpenCode's own server. */
export const opencodeAgent: Measurement = {
  name: "opencode-agent",
  async run(size) {
    const { program, skip } = await realAgent("opencode");
    if (program === undefined) return { figures: [], method: "not measured, for there is no OpenCode", skipped: skip };
    installedParley();
    const sizes = SIZES[size];
    const { pieces, periodMs } = sizes;
    const sent = new Passed();
    const asking: Asking = { text: "go", pieces, sent };
    await using scope = new AsyncDisposableStack();
    const script = { prompts: { "*": [pacedAnswer(pieces, periodMs)] } };
    const stage = await openStage(scope, { program, script, onPiece: (data) => sent.note(data) });
    const figures = [...(await delays(stage, asking, sizes)), ...(await memory(stage, asking, sizes))];
    return { figures, method: methodOf(sizes) };
  },
};
