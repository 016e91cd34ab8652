import { call, wholeBody } from "../harness/api.ts";
import { type Figure, type Measurement, under } from "../harness/figure.ts";
import { writeLongTurns } from "../harness/long-turns.ts";
import { residentMb, tempDirectory } from "../harness/machine.ts";
import { type Server, startParley } from "../harness/server.ts";
import { manySessions } from "../harness/sessions.ts";
import { median } from "../harness/stats.ts";

/** A session of turns with many calls. */
export interface LongTurns {
  turns: number;
  calls: number;
  /** How many of them the model makes at once: each such step is a message. */
  perStep: number;
}

const SIZES = {
  full: { turns: 4, calls: 12_750, few: 20, runs: 20, wholes: 3, sessions: 10_000 },
  tiny: { turns: 2, calls: 50, few: 5, runs: 2, wholes: 1, sessions: 50 },
};
const PAGE = 2;
const LISTED = 50;
/** How much more the tenfold may take where only the page counts. */
const GROWTH = 1.5;

async function serve(scope: AsyncDisposableStack, directory: string): Promise<Server> {
  const server = await startParley(scope, { dataDirectory: directory });
  // The surfaces are imported by their first request, which is no part of this.
  await call(server, "GET", "/session?limit=1");
  return server;
}

/** The time of one more request: of the same each time. */
function again(url: string): () => Promise<number> {
  return async () => (await wholeBody(url)).ms;
}

/** The time of one more page: of the next older one each time, because Parley keeps those that were read. */
function older(url: string): () => Promise<number> {
  let next = url;
  return async () => {
    const { ms, headers } = await wholeBody(next);
    const cursor = headers["x-next-cursor"];
    next = typeof cursor === "string" ? `${url}&before=${encodeURIComponent(cursor)}` : url;
    return ms;
  };
}

/** Medians of two requests, made in turns. */
async function inTurns(
  runs: number,
  ours: () => Promise<number>,
  anchor: () => Promise<number>,
): Promise<{ value: number; anchor: number }> {
  const times = { ours: [] as number[], anchor: [] as number[] };
  for (let run = 0; run <= runs; run++) {
    const [first, second] = [await ours(), await anchor()];
    if (run === 0) continue;
    times.ours.push(first);
    times.anchor.push(second);
  }
  return { value: median(times.ours), anchor: median(times.anchor) };
}

/** Pages of sessions whose turns are long, and lists of many sessions, in OpenCode's API. */
export const pages: Measurement = {
  name: "pages",
  async run(size) {
    const { turns, calls, few, runs, wholes, sessions } = SIZES[size];
    await using scope = new AsyncDisposableStack();
    const data = await tempDirectory(scope);
    const small = await writeLongTurns(data, { turns, calls: few, perStep: 1 });
    const steps = await writeLongTurns(data, { turns, calls, perStep: 1 });
    const single = await writeLongTurns(data, { turns, calls, perStep: calls });
    const server = await serve(scope, data);
    const messages = (session: string, query = ""): string => `${server.url}/session/${session}/message${query}`;
    const page = (session: string): string => messages(session, `?limit=${PAGE}`);
    const figures: Figure[] = [];

    const ofSteps = await inTurns(runs, older(page(steps)), older(page(small)));
    const anchor = { name: `turns of ${few} calls`, value: ofSteps.anchor };
    figures.push({
      work: "page, many steps",
      value: ofSteps.value,
      unit: "ms",
      anchor,
      goal: under(50, "ms", ofSteps.value),
    });
    const whole = await inTurns(wholes, older(page(single)), older(page(small)));
    const inOne = { name: `turns of ${few} calls`, value: whole.anchor };
    figures.push({ work: "page, one message", value: whole.value, unit: "ms", anchor: inOne });

    figures.push(...(await allMessages(scope, { turns, calls, perStep: calls })));
    figures.push(await lists(scope, sessions, runs));
    return {
      figures,
      method:
        `Sessions of ${turns} turns with ${calls} calls each, all in one step and one a step, beside such turns of ${few} calls: whole answers of ` +
        `GET /session/{id}/message?limit=${PAGE}, each of older messages than the one before, medians of ${runs} (${wholes} for the page that has all ${calls} calls of a turn in one message), in ` +
        `turns. All messages: VmRSS after they were read ${wholes} times from a server of their own, beside a session of one turn. The list: ${LISTED} of ` +
        `${sessions} sessions, beside ${LISTED} of a tenth of them.`,
    };

    async function allMessages(inner: AsyncDisposableStack, shape: LongTurns): Promise<Figure[]> {
      const read = async (wanted: LongTurns): Promise<{ ms: number; mb: number }> => {
        const directory = await tempDirectory(inner);
        const session = await writeLongTurns(directory, wanted);
        const own = await serve(inner, directory);
        const times: number[] = [];
        for (let run = 0; run < wholes; run++)
          times.push((await wholeBody(`${own.url}/session/${session}/message`)).ms);
        return { ms: median(times), mb: residentMb(own.child.pid) };
      };
      const [one, all] = [await read({ ...shape, turns: 1 }), await read(shape)];
      const name = "one turn";
      const goal = { text: `within ${GROWTH}x`, met: all.mb <= GROWTH * one.mb };
      return [
        { work: "all messages", value: all.ms, unit: "ms", anchor: { name, value: one.ms } },
        { work: "all messages, memory", value: all.mb, unit: "MB", anchor: { name, value: one.mb }, goal },
      ];
    }
  },
};

async function lists(scope: AsyncDisposableStack, sessions: number, runs: number): Promise<Figure> {
  const [many, tenth] = [await tempDirectory(scope), await tempDirectory(scope)];
  await manySessions(many, sessions, 0);
  await manySessions(tenth, sessions / 10, 0);
  const listOf = async (directory: string): Promise<string> => {
    const query = `limit=${LISTED}&directory=${encodeURIComponent(directory)}`;
    return `${(await serve(scope, directory)).url}/session?${query}`;
  };
  const { value, anchor } = await inTurns(runs, again(await listOf(many)), again(await listOf(tenth)));
  const name = `of ${(sessions / 10).toLocaleString("en")}`;
  const goal = { text: `within ${GROWTH}x`, met: value <= GROWTH * anchor };
  return { work: "list, by last change", value, unit: "ms", anchor: { name, value: anchor }, goal };
}
