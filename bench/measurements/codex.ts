import { INSTALLABLE } from "../../src/install/catalog.ts";
import { realAgent } from "../../test/support/real-agent.ts";
import { type Contest, openContest } from "../codex/contest.ts";
import type { Contestant } from "../harness/contestant.ts";
import type { Figure, Measurement, Size } from "../harness/figure.ts";
import { familyMb } from "../harness/machine.ts";
import { compareDelays, pacedAnswer } from "../harness/paced.ts";
import { installedParley } from "../harness/package.ts";
import { type Both, closeTo, versus } from "../harness/versus.ts";

const SIZES = {
  full: { rounds: 15, pieces: 300, periodMs: 5 },
  tiny: { rounds: 1, pieces: 20, periodMs: 2 },
};
type Sizes = (typeof SIZES)[Size];

const beside = versus("codex app-server");
const FACTOR = 1.1;
const MORE_MS = 1;

async function delays(sides: Both<Contestant>, { rounds }: Sizes): Promise<Figure[]> {
  const { native, parley } = sides;
  const [thread, session] = [await native.open(), await parley.open()];
  const turn = { native: () => native.turn(thread), parley: () => parley.turn(session) };
  const { median, p90, p99, first } = await compareDelays(rounds, turn);
  return [
    beside("codex, first piece", first, "ms", closeTo(first, FACTOR, MORE_MS)),
    beside("codex, piece, median", median, "ms", closeTo(median, FACTOR, MORE_MS)),
    beside("codex, piece, p90", p90, "ms"),
    beside("codex, piece, p99", p99, "ms"),
  ];
}

/** What another session costs that has had a turn, in megabytes of all processes. */
async function another({ pid, open, turn }: Contestant): Promise<number> {
  const before = familyMb(pid);
  await turn(await open());
  return familyMb(pid) - before;
}

async function memory(contest: Contest, sides: Both<Contestant>): Promise<Figure[]> {
  const parley = await another(sides.parley);
  const thread = await another(sides.native);
  await using scope = new AsyncDisposableStack();
  const second = await contest.plain(scope);
  await second.turn(await second.open());
  const process = familyMb(second.pid);
  const work = "codex, 2nd session";
  return [
    { work, value: parley, unit: "MB", anchor: { name: "second app-server", value: process } },
    { work, value: parley, unit: "MB", anchor: { name: "second thread in one", value: thread } },
  ];
}

function methodOf({ rounds, pieces, periodMs }: Sizes): string {
  return (
    `Codex ${INSTALLABLE.codex.version} by itself, driven by lines on its pipe, and through Parley, prompted by POST …/prompts and heard by the session's stream, both on ` +
    `one scripted model, in turns, after one turn that is not counted. ${rounds} turns of ${pieces} pieces, one every ${periodMs} ms: the first from the prompt, each ` +
    "from the model's write to the client, all by one clock; the median of the turns is shown. Memory: VmRSS of the family, after one turn of a second session less " +
    "before it; shared pages count for each process."
  );
}

/** Codex through Parley, beside Codex. */
export const codex: Measurement = {
  name: "codex",
  async run(size) {
    const { program, skip } = await realAgent("codex");
    if (program === undefined) return { figures: [], method: "not measured, for there is no Codex", skipped: skip };
    installedParley();
    const sizes = SIZES[size];
    await using scope = new AsyncDisposableStack();
    const { pieces, periodMs } = sizes;
    const contest = await openContest(scope, program, pacedAnswer(pieces, periodMs), pieces);
    const sides = { native: await contest.plain(scope), parley: await contest.parley(scope) };
    const figures = [...(await delays(sides, sizes)), ...(await memory(contest, sides))];
    return { figures, method: methodOf(sizes) };
  },
};
