import { realAgent } from "../../test/support/real-agent.ts";
import { timeToByte, wholeBody } from "../harness/api.ts";
import { type Figure, type Measurement, type Size, under } from "../harness/figure.ts";
import { hear } from "../harness/listen.ts";
import { residentMb } from "../harness/machine.ts";
import { compareDelays, Passed, pacedAnswer } from "../harness/paced.ts";
import { installedParley } from "../harness/package.ts";
import { percentile, timed } from "../harness/stats.ts";
import { type Both, versus as beside, each, inTurns, type Side, samples } from "../harness/versus.ts";
import { attachOnce } from "../opencode/attach.ts";
import { type Contest, openContest, type Running } from "../opencode/contest.ts";
import { newSession, promptAsync, readEvent } from "../opencode/deltas.ts";

const SIZES = {
  full: {
    starts: 5,
    attaches: 15,
    requests: 100,
    pages: 50,
    sets: 7,
    turns: 5_000,
    rounds: 7,
    pieces: 300,
    periodMs: 5,
  },
  tiny: { starts: 1, attaches: 1, requests: 3, pages: 2, sets: 1, turns: 60, rounds: 1, pieces: 20, periodMs: 2 },
};
type Sizes = (typeof SIZES)[Size];

const PAGE = 100;

const versus = beside("opencode serve");

function faster({ native, parley }: Both<number>): Figure["goal"] {
  return { text: "below OpenCode's", met: parley < native };
}

async function starts(contest: Contest, { starts: rounds }: Sizes): Promise<Figure[]> {
  const times = samples();
  // The first of either prepares its home and is not counted.
  await inTurns(rounds + 1, async (side, round) => {
    await using scope = new AsyncDisposableStack();
    const ms = await timed(async () => timeToByte(`${(await contest[side].start(scope)).url}/global/health`));
    if (round > 0) times[side].push(ms);
  });
  const medians = each(times, 0.5);
  return [versus("opencode, start", medians, "ms", faster(medians))];
}

async function attaches(contest: Contest, servers: Both<Running>, { attaches: rounds }: Sizes): Promise<Figure[]> {
  const [usable, served] = [samples(), samples()];
  await inTurns(rounds + 1, async (side, round) => {
    const attached = await attachOnce(contest, servers[side]);
    if (round === 0) return;
    usable[side].push(attached.usable);
    served[side].push(attached.served);
  });
  const [whole, part] = [each(usable, 0.5), each(served, 0.5)];
  return [
    versus("attach, from start", whole, "ms", faster(whole)),
    versus("attach, from request", part, "ms", faster(part)),
  ];
}

async function providers(servers: Both<Running>, { requests }: Sizes): Promise<Figure[]> {
  const times = samples();
  const size = { native: 0, parley: 0 };
  await inTurns(requests + 1, async (side, round) => {
    const { ms, text } = await wholeBody(`${servers[side].url}/provider`);
    size[side] = Buffer.byteLength(text) / 1000;
    if (round > 0) times[side].push(ms);
  });
  const slow = each(times, 0.95);
  return [
    versus("provider, median", each(times, 0.5), "ms"),
    versus("provider, p95", slow, "ms", under(50, "ms", slow.parley)),
    versus("provider, size", size, "kB"),
  ];
}

async function pages(contest: Contest, servers: Both<Running>, sizes: Sizes): Promise<Figure[]> {
  const { pages: rounds, sets, turns } = sizes;
  const messages = Math.min(PAGE, turns * 2);
  const [medians, slowest] = [samples(), samples()];
  for (let set = 0; set < sets; set++) {
    const times = samples();
    await inTurns(rounds + 1, async (side, round) => {
      const path = `/session/${contest[side].longSession}/message?limit=${PAGE}`;
      const { ms, text } = await wholeBody(servers[side].url + path);
      const got = (JSON.parse(text) as unknown[]).length;
      if (got !== messages) throw new Error(`expected ${messages} messages from ${side}, got ${got}`);
      if (round > 0) times[side].push(ms);
    });
    for (const side of ["native", "parley"] as const) {
      medians[side].push(percentile(times[side], 0.5));
      slowest[side].push(percentile(times[side], 1));
    }
  }
  const [usual, slow] = [each(medians, 0.5), each(slowest, 0.5)];
  return [
    versus("messages, median", usual, "ms", faster(usual)),
    versus("messages, slowest", slow, "ms", faster(slow)),
  ];
}

/** A page that nobody has read yet each time: the newest, then always the next older one. */
async function olderPages(contest: Contest, servers: Both<Running>, { pages: rounds }: Sizes): Promise<Figure[]> {
  const times = samples();
  const before = { native: "", parley: "" };
  await inTurns(rounds + 1, async (side, round) => {
    const path = `/session/${contest[side].longSession}/message?limit=${PAGE}${before[side]}`;
    const { ms, headers } = await wholeBody(servers[side].url + path);
    const cursor = headers["x-next-cursor"];
    before[side] = typeof cursor === "string" ? `&before=${cursor}` : "";
    if (round > 0) times[side].push(ms);
  });
  const [medians, slowest] = [each(times, 0.5), each(times, 1)];
  return [
    versus("older messages, median", medians, "ms", faster(medians)),
    versus("older messages, slowest", slowest, "ms"),
  ];
}

async function deltas(servers: Both<Running>, sent: Passed, { rounds, pieces }: Sizes): Promise<Figure[]> {
  const session = { native: await newSession(servers.native), parley: await newSession(servers.parley) };
  const turn = (side: Side) => () => {
    const begin = () => promptAsync(servers[side], session[side], "[[paced]] go");
    return hear({ url: `${servers[side].url}/event`, read: readEvent(session[side]), pieces, sent, begin });
  };
  const { median, p90, p99, first } = await compareDelays(rounds, { native: turn("native"), parley: turn("parley") });
  return [
    versus("piece, median", median, "ms", faster(median)),
    versus("piece, p90", p90, "ms"),
    versus("piece, p99", p99, "ms"),
    versus("piece, first", first, "ms"),
  ];
}

function methodOf({ starts, attaches, requests, pages, sets, turns, rounds, pieces, periodMs }: Sizes): string {
  return (
    "OpenCode 1.18.33 and Parley's own agent, each in a process of its own and both on one scripted model, do everything in " +
    `turns, after one time that is not counted. Medians of ${starts} starts to the first 200 of /global/health on homes that had been started before; of ` +
    `${attaches} starts of the terminal interface, until its screen shows prompt and model, which is mostly its own work: ` +
    `hence also from its first request; of ${requests} whole answers of GET /provider. Pieces: ${rounds} turns of ${pieces}, ` +
    `one every ${periodMs} ms, the first from the prompt, each from the model's write to the event at a client of /event, both by one clock; the median of the ` +
    `turns is shown. Messages: ${sets} sets of ${pages} times the page of the ${PAGE} newest of ${turns * 2} messages, which OpenCode got by its import ` +
    `and Parley through its log; the slowest of a set is often the machine's own doing, so the median of the sets is shown; older messages: ${pages} pages of it that were not read before, each by the cursor of the one before. Memory: VmRSS right after.`
  );
}

/** OpenCode's API as Parley serves it, beside OpenCode's own server. */
export const opencode: Measurement = {
  name: "opencode",
  async run(size) {
    const { program, skip } = await realAgent("opencode");
    if (program === undefined) return { figures: [], method: "not measured, for there is no OpenCode", skipped: skip };
    installedParley();
    const sizes = SIZES[size];
    const sent = new Passed();
    const script = { prompts: { "*": [{ text: "Yes." }], paced: [pacedAnswer(sizes.pieces, sizes.periodMs)] } };
    const onPiece = (data: string): void => sent.note(data);
    await using scope = new AsyncDisposableStack();
    const contest = await openContest(scope, { program, script, turns: sizes.turns, onPiece });
    const figures = await starts(contest, sizes);
    const servers = { native: await contest.native.start(scope), parley: await contest.parley.start(scope) };
    figures.push(...(await attaches(contest, servers, sizes)));
    figures.push(...(await providers(servers, sizes)));
    figures.push(...(await deltas(servers, sent, sizes)));
    figures.push(...(await pages(contest, servers, sizes)));
    figures.push(...(await olderPages(contest, servers, sizes)));
    const memory = { native: residentMb(servers.native.pid), parley: residentMb(servers.parley.pid) };
    figures.push(versus("opencode, memory", memory, "MB", faster(memory)));
    return { figures, method: methodOf(sizes) };
  },
};
