import { INSTALLABLE } from "../../src/install/catalog.ts";
import { realAgent } from "../../test/support/real-agent.ts";
import type { Figure, Measurement, Size } from "../harness/figure.ts";
import { type Heard, laterBy, Passed, pacedAnswer, summed } from "../harness/paced.ts";
import { installedParley } from "../harness/package.ts";
import { median, percentile } from "../harness/stats.ts";
import { type Both, inTurns, type Side, versus } from "../harness/versus.ts";
import { openStage, type Stage } from "../opencode/stage.ts";
import { hearTwice, startDriving } from "../opencode-agent/contest.ts";
import { growthOf, memoryOf } from "../opencode-agent/memory.ts";
import { type Asking, startPlain } from "../opencode-agent/plain.ts";

const SIZES = {
  full: { rounds: 10, pieces: 300, periodMs: 5, directories: 5, looks: 8, pauseMs: 500 },
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
  const turns: Both<Both<Heard>[]> = { native: [], parley: [] };
  const turn = {
    native: () => plain.relayed(session.native),
    parley: () => driving.turn(session.parley),
  };
  await inTurns(rounds + 1, async (side, round) => {
    const twice = await hearTwice(plain, asking.sent, turn[side]);
    if (round > 0) turns[side].push(twice);
  });
  const parley = turns.parley.map((twice) => twice.parley);
  const { first } = summed({ native: turns.native.map((twice) => twice.native), parley });
  const { median: middle, p99 } = summed({ native: turns.parley.map((twice) => twice.native), parley });
  const later = (side: Side, share: number): number =>
    median(turns[side].map((twice) => percentile(laterBy(twice.parley, twice.native), share)));
  const value = later("parley", 0.5);
  const row = { work: "oc-agent, later, p50", value, unit: "ms" } as const;
  const goal = { text: `at most ${MORE_MS} ms`, met: value <= MORE_MS };
  const relay = (share: number) => ({ name: "plain relay", value: later("native", share) });
  return [
    beside("oc-agent, first piece", first, "ms"),
    beside("oc-agent, piece, p50", middle, "ms"),
    beside("oc-agent, piece, p99", p99, "ms"),
    { ...row, anchor: relay(0.5), goal },
    { ...row, work: "oc-agent, later, p99", value: later("parley", 0.99), anchor: relay(0.99) },
  ];
}

async function memory(stage: Stage, asking: Asking, { directories, looks, pauseMs }: Sizes): Promise<Figure[]> {
  const settling = { pauseMs, looks, tolerance: 2, most: looks * 5 };
  const others = Array.from({ length: directories }, (_, at) =>
    stage.surroundings.project(`other-${at}`, { "README.md": "# Project\n" }),
  );
  await using scope = new AsyncDisposableStack();
  const driven = await growthOf(await startDriving(scope, stage, asking), others, settling);
  const plain = await growthOf(await startPlain(scope, stage, asking), others, settling);
  const second = await startPlain(scope, stage, asking);
  await second.turn(await second.open());
  const { all: server } = await memoryOf(second, settling);
  const value = driven.before.all + driven.more.all;
  const row = { work: "oc-agent, 2 sessions", value, unit: "MB" } as const;
  const goal = { text: `under ${MORE_MB} MB more`, met: driven.more.all < MORE_MB };
  return [
    { ...row, anchor: { name: "one session", value: driven.before.all }, goal },
    { ...row, anchor: { name: "2 in one opencode serve", value: plain.before.all + plain.more.all } },
    { ...row, anchor: { name: "two opencode serve", value: plain.before.all + server } },
    {
      work: "oc-agent, Parley alone",
      value: driven.before.own + driven.more.own,
      unit: "MB",
      anchor: { name: "one session", value: driven.before.own },
    },
  ];
}

function methodOf({ rounds, pieces, periodMs, directories, looks, pauseMs }: Sizes): string {
  return (
    `One server of OpenCode ${INSTALLABLE.opencode.version}, one scripted model. A plain reader of its /event, and Parley, attached to the same server by --opencode-url and heard by the session's stream. ` +
    `${rounds} turns of ${pieces} pieces, one every ${periodMs} ms, given to Parley and to OpenCode itself in turns, after one of either that is not counted. The first piece is timed from the prompt, at the plain reader in OpenCode's own ` +
    "turns and at Parley's client in the others; each other from the model's write, in the turns that were given to Parley, at both. Later: the same piece at Parley's client less at the plain reader, which was connected before Parley; " +
    "beside it a client of a process that passes the bytes of /event on and does nothing else, in OpenCode's own turns. " +
    "All by one clock; the median of the turns is shown. " +
    `Memory: VmRSS of all processes at rest (${looks} looks every ${pauseMs} ms within 2 MB), of a Parley that starts the server itself, and of that Parley alone: with one session that has had ${directories} turns, and with one more ` +
    `in another directory after one turn, by the median of ${directories} that were opened one after the other. Beside it the same two in one plain server, and two plain servers with a session each.`
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
