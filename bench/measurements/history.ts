import { call, timeToByte } from "../harness/api.ts";
import { type Figure, type Measurement, under } from "../harness/figure.ts";
import { residentMb, tempDirectory } from "../harness/machine.ts";
import { type Server, startParley } from "../harness/server.ts";
import { longSession } from "../harness/sessions.ts";
import { percentile } from "../harness/stats.ts";

const SIZES = {
  full: { large: 100_000, small: 1_000, runs: 50 },
  tiny: { large: 2_000, small: 200, runs: 2 },
};
const PAGE = 500;
const GROWTH = 1.25;

interface Place {
  server: Server;
  session: string;
  last: number;
}

async function place(scope: AsyncDisposableStack, events: number): Promise<Place> {
  const dataDirectory = await tempDirectory(scope);
  const made = await longSession(dataDirectory, events);
  const server = await startParley(scope, { dataDirectory });
  // The surfaces are imported by their first request, which is no part of this.
  await call(server, "GET", "/v1/agents");
  return { server, ...made };
}

const REQUESTS: Readonly<Record<string, (place: Place) => string>> = {
  open: () => "",
  "first page": () => `/events?limit=${PAGE}`,
  "last page": ({ last }) => `/events?after=${Math.max(0, last - PAGE)}&limit=${PAGE}`,
  "resume by SSE": ({ last }) => `/stream?after=${last - 1}`,
};

async function times(at: Place, path: (place: Place) => string, runs: number): Promise<number[]> {
  const url = `${at.server.url}/v1/sessions/${at.session}${path(at)}`;
  const seen: number[] = [];
  for (let run = 0; run < runs; run++) seen.push(await timeToByte(url, (text) => /"id"/.test(text)));
  return seen;
}

/** Reads as many events as the large session has, page by page, as often through the session as that takes. */
async function readThrough({ server, session, last }: Place, events: number): Promise<number> {
  interface Page {
    events: unknown[];
    next: number;
    more: boolean;
  }
  let read = 0;
  for (let after = 0; read < events; ) {
    const path = `/v1/sessions/${session}/events?after=${after}&limit=${PAGE}`;
    const page = await call<Page>(server, "GET", path);
    read += page.events.length;
    after = page.next >= last ? 0 : page.next;
  }
  return residentMb(server.child.pid);
}

/** A session with a long past. */
export const history: Measurement = {
  name: "history",
  async run(size) {
    const { large, small, runs } = SIZES[size];
    await using scope = new AsyncDisposableStack();
    const [few, many] = [await place(scope, small), await place(scope, large)];
    const figures: Figure[] = [];
    for (const [name, path] of Object.entries(REQUESTS)) {
      const [ofFew, ofMany] = [await times(few, path, runs), await times(many, path, runs)];
      const work = `history, ${name}`;
      const anchor = { name: `${small.toLocaleString("en")} events`, value: percentile(ofFew, 1) };
      const value = percentile(ofMany, 1);
      figures.push({ work, value, unit: "ms", anchor, goal: under(100, "ms", value) });
    }
    const anchor = { name: `${small.toLocaleString("en")} events`, value: await readThrough(few, large) };
    const value = await readThrough(many, large);
    const goal = { text: `within ${GROWTH}x`, met: value <= GROWTH * anchor.value };
    figures.push({ work: "history, memory", value, unit: "MB", anchor, goal });
    return {
      figures,
      method:
        `Sessions of ${large} and of ${small} events written through the log, then served. Time to the first event in the answer, the slowest of ${runs}, pages ` +
        `of ${PAGE}. Memory: VmRSS after ${large} events were read in pages from either, so that only the history differs.`,
    };
  },
};
