import { dirname, join } from "node:path";
import type { BrowserContext } from "playwright-core";
import { writeConsole } from "../../scripts/console/write.ts";
import { findBrowser, startBrowser } from "../../test/support/browser.ts";
import { realAgent } from "../../test/support/real-agent.ts";
import { boardScrolls } from "../console/board.ts";
import { clickUntil, frameTimes, openWatched, timeUntil } from "../console/page.ts";
import { type Figure, type Measurement, type Size, under } from "../harness/figure.ts";
import { hear } from "../harness/listen.ts";
import { Passed, pacedAnswer } from "../harness/paced.ts";
import { installedParley } from "../harness/package.ts";
import { WORDS } from "../harness/sessions.ts";
import { median } from "../harness/stats.ts";
import { type Both, versus as beside, each, inTurns, type Side, samples } from "../harness/versus.ts";
import { type Contest, openContest, type Running } from "../opencode/contest.ts";
import { promptAsync, readEvent } from "../opencode/deltas.ts";

export const SIZES = {
  full: { loads: 7, opens: 7, turns: 5_000, pieces: 6_000, periodMs: 5, sessions: 1_000, active: 20, wheels: 160 },
  tiny: { loads: 1, opens: 1, turns: 60, pieces: 50, periodMs: 5, sessions: 40, active: 2, wheels: 20 },
};
type Sizes = (typeof SIZES)[Size];

const versus = beside("OpenCode's web page");

interface Stage {
  context: BrowserContext;
  contest: Contest;
  servers: Both<Running>;
}

const HOME: Both<{ selector: string; words?: string }> = {
  native: { selector: "[contenteditable=true]" },
  parley: { selector: ".side-list a" },
};

function addressOf({ contest, servers }: Stage, side: Side, session?: string): string {
  const { url } = servers[side];
  if (side === "parley") return session === undefined ? `${url}/console/` : `${url}/console/s/${session}`;
  const directory = Buffer.from(contest.directory).toString("base64url");
  return `${url}/${directory}/session${session === undefined ? "" : `/${session}`}`;
}

/** The first load of a page, with nothing kept from before. */
async function firstLoads(stage: Stage, { loads }: Sizes): Promise<Figure[]> {
  const [times, sizes] = [samples(), samples()];
  await inTurns(loads + 1, async (side, round) => {
    const watched = await openWatched(stage.context);
    const ms = await timeUntil(watched, addressOf(stage, side), HOME[side]);
    if (round > 0) {
      times[side].push(ms);
      sizes[side].push(watched.kilobytes());
    }
    await watched.page.close();
  });
  const [time, size] = [each(times, 0.5), each(sizes, 0.5)];
  return [
    versus("console, first load", size, "kB", under(60, "kB", size.parley)),
    versus("console, usable", time, "ms", under(500, "ms", time.parley)),
  ];
}

/** A long session, from the request until its newest words are there. */
async function opens(stage: Stage, { opens: rounds }: Sizes): Promise<Figure> {
  const times = samples();
  const words = WORDS.slice(0, 60);
  await inTurns(rounds + 1, async (side, round) => {
    const watched = await openWatched(stage.context, { cache: true });
    const ms = await timeUntil(watched, addressOf(stage, side, stage.contest[side].longSession), {
      selector: "body",
      words,
    });
    if (round > 0) times[side].push(ms);
    await watched.page.close();
  });
  const time = each(times, 0.5);
  return versus("console, open session", time, "ms", under(300, "ms", time.parley));
}

/** The same session, by a click on its name in a console that is open. */
async function clicks(stage: Stage, { opens: rounds }: Sizes, loaded: number): Promise<Figure> {
  const times: number[] = [];
  const { longSession } = stage.contest.parley;
  for (let round = 0; round <= rounds; round++) {
    const watched = await openWatched(stage.context, { cache: true });
    await timeUntil(watched, addressOf(stage, "parley"), HOME.parley);
    const ms = await clickUntil(watched, `.side-list a[href*="${longSession}"]`, WORDS.slice(0, 60));
    if (round > 0) times.push(ms);
    await watched.page.close();
  }
  const value = median(times);
  const anchor = { name: "loading that page", value: loaded };
  return { work: "console, open by click", value, unit: "ms", anchor, goal: under(300, "ms", value) };
}

/** An answer that streams into the long session while its page is open. */
async function streams(stage: Stage, sent: Passed, { pieces }: Sizes): Promise<Figure[]> {
  const frames = { native: Number.NaN, parley: Number.NaN };
  const growth = { native: Number.NaN, parley: Number.NaN };
  for (const side of ["native", "parley"] as const) {
    const { url } = stage.servers[side];
    const session = stage.contest[side].longSession;
    const watched = await openWatched(stage.context);
    await timeUntil(watched, addressOf(stage, side, session), { selector: "body", words: WORDS.slice(0, 60) });
    const before = await watched.heapMb();
    const begin = (): Promise<void> => promptAsync(stage.servers[side], session, "[[paced]] go");
    frames[side] = await frameTimes(watched, async () => {
      await hear({ url: `${url}/event`, read: readEvent(session), pieces, sent, begin });
      await watched.page
        .getByText(`word <${pieces - 1}>`)
        .first()
        .waitFor();
    });
    growth[side] = Math.max(0, (await watched.heapMb()) - before);
    await watched.page.close();
  }
  return [
    versus("console, frame p95", frames, "ms", under(33, "ms", frames.parley)),
    versus("console, heap growth", growth, "MB", under(10, "MB", growth.parley)),
  ];
}

function methodOf({ loads, opens: rounds, turns, pieces, periodMs, sessions, active }: Sizes): string {
  return (
    "Parley's console, from the package, beside the web page that OpenCode 1.18.33 serves, in one headless Chromium, on one scripted model, each with its own server. " +
    `First load: medians of ${loads} loads without a cache, the kilobytes over the wire and the time from the request until the sessions (of OpenCode: the field for a prompt) are there. ` +
    `Open: the median of ${rounds} loads, with a cache, of the page of a session of ${turns * 2} messages, until its newest words are there. ` +
    `Frames and heap: while ${pieces} pieces of an answer, one every ${periodMs} ms, come into that session: the 95th percentile of the times between two frames, ` +
    "and by how much the heap has grown after it, both after a collection of garbage. " +
    "By click: the same session, from a click on its name in a page that is open, as a person clicks. " +
    `Board: the same percentile while the wheel scrolls a list of ${sessions} sessions to its end and back, when nothing happens and while turns begin and end in ${active} of them.`
  );
}

/** The console in a browser, beside OpenCode's own web page on the same session. */
export const console: Measurement = {
  name: "console",
  async run(size) {
    const { program, skip } = await realAgent("opencode");
    const chromium = await findBrowser();
    if (program === undefined || chromium === undefined) {
      const skipped = skip ?? "no Chromium was found";
      return { figures: [], method: "not measured, for there is no OpenCode or no Chromium", skipped: String(skipped) };
    }
    await writeConsole(join(dirname(installedParley()), "..", "dist", "console"));
    const sizes = SIZES[size];
    const sent = new Passed();
    const script = { prompts: { "*": [{ text: "Yes." }], paced: [pacedAnswer(sizes.pieces, sizes.periodMs)] } };
    await using scope = new AsyncDisposableStack();
    const contest = await openContest(scope, {
      program,
      script,
      turns: sizes.turns,
      onPiece: (data) => sent.note(data),
    });
    const servers = { native: await contest.native.start(scope), parley: await contest.parley.start(scope) };
    const env = contest.surroundings.env({}, "browser");
    const { context } = scope.use(await startBrowser(chromium, { env }));
    const stage = { context, contest, servers };
    const figures = await firstLoads(stage, sizes);
    const opened = await opens(stage, sizes);
    figures.push(opened, await clicks(stage, sizes, opened.value));
    figures.push(...(await streams(stage, sent, sizes)));
    figures.push(...(await boardScrolls(scope, context, sizes)));
    return { figures, method: methodOf(sizes) };
  },
};
