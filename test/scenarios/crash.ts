import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { reap } from "../../src/host/reaper.ts";
import { instanceOf } from "../../src/server/instance.ts";
import type { Api } from "../support/api.ts";
import { eventually } from "../support/eventually.ts";
import { dataDirectoryOf, type ServerProcess, startProcess, straysOf } from "../support/process.ts";
import { Random } from "../support/random.ts";
import { agent } from "../support/server.ts";
import type { SseReader } from "../support/sse.ts";
import { Book } from "./crash-book.ts";

const AGENTS = { lingers: agent("agents/lingers") };
const FLAGS = ["--log-level", "error", "--unattended", "allow"];
const PROMPTS = ["hello", "[[slow 400]]", "[[slow 150]]", "[[tools 5]]", "[[flood 400]]", "[[ask]]", "[[reasoning]]"];
const LONGER = [
  "[[slow 400]] [[tools 3]]",
  "[[flood 2000]] [[slow 300]]",
  "[[ask]] [[slow 400]]",
  "[[subagent]] [[slow 300]]",
];

/** The longest that a kill waits for its moment, once a turn runs. */
const MOMENT_MS = 700;

interface Life {
  api: Api;
  book: Book;
  random: Random;
}

/** A request to a server that is killed gets no answer, which promises nothing. Every other error is a failure. */
async function unlessKilled(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    const text = `${error} ${error instanceof Error ? error.cause : ""}`;
    if (!/fetch failed|terminated|ECONNRE|other side closed|socket/i.test(text)) throw error;
  }
}

async function prompt({ api, book }: Life, session: string, text: string): Promise<void> {
  book.accepted(session, await api.prompt(session, text));
}

async function live(life: Life): Promise<void> {
  const { api, book, random } = life;
  let session = random.chance(0.3) ? undefined : book.sessions.at(-random.between(1, 4));
  if (session === undefined || !(await isRoot(api, session))) {
    session = (await api.create(random.chance(0.4) ? { agent: "lingers" } : {})).id;
    book.created(session);
  }
  await prompt(life, session, random.pick(LONGER));
  for (let more = random.between(0, 2); more > 0; more--) await prompt(life, session, random.pick(PROMPTS));
  const what = random.next();
  if (what < 0.15) {
    const { cancelled, turn } = await api.cancel(session, { queue: random.pick(["clear", "keep"]) });
    if (cancelled && turn !== undefined) book.stopped(turn);
  } else if (what < 0.3) {
    const title = `Named ${random.between(0, 1e9)}`;
    await api.expect(200, "PATCH", `/v1/sessions/${session}`, { title });
    book.renamed(session, title);
  } else if (what < 0.35) {
    book.deleting(session);
    await api.expect(204, "DELETE", `/v1/sessions/${session}`);
    book.gone(session);
  }
}

const isRoot = async (api: Api, id: string): Promise<boolean> => (await api.session(id)).parent === undefined;

/** Everything is recorded as it comes, up to the moment the connection breaks. */
function record(stream: SseReader, book: Book): Promise<unknown> {
  let taken = 0;
  const take = ({ events }: SseReader): undefined => {
    for (; taken < events.length; taken++) {
      const event = events[taken];
      if (event) book.saw(event);
    }
    return undefined;
  };
  void stream.when(take, "the end").catch(() => undefined);
  return stream.over.then(() => take(stream));
}

/** Resolves when a turn begins that this server began. */
async function turnOf(stream: SseReader, since: number): Promise<void> {
  await stream.event(({ type, time }) => type === "turn.started" && time >= since, "a turn").catch(() => undefined);
}

export interface CrashOptions {
  kills: number;
  seed: number;
}

/** Kills a server again and again, at random points of its turns, and holds each next one against what was promised before. */
export async function runCrashes(t: TestContext, { kills, seed }: CrashOptions): Promise<void> {
  const random = new Random(seed);
  const home = await mkdtemp(join(tmpdir(), "parley-crash-"));
  const book = new Book();
  let server: ServerProcess | undefined;
  t.after(async () => {
    await server?.end("SIGKILL");
    const dataDirectory = dataDirectoryOf(home);
    await reap({ runDirectory: join(dataDirectory, "run"), instance: instanceOf(dataDirectory), graceMs: 0 });
    await rm(home, { recursive: true, force: true });
  });
  const boot = async (): Promise<ServerProcess> => {
    const since = Date.now();
    server = await startProcess({ home, agents: AGENTS, flags: FLAGS });
    assert.deepEqual(straysOf(home, server.pid), [], "an agent of the server that was killed still runs");
    await book.check(server.api, since);
    return server;
  };

  /** A server that does not live to open its port. */
  const dieAtBoot = async (): Promise<void> => {
    const kill = (child: ChildProcess) => setTimeout(() => child.kill("SIGKILL"), random.between(50, 400));
    await startProcess({ home, agents: AGENTS, flags: FLAGS, onSpawn: kill })
      .then((started) => started.end("SIGKILL"))
      .catch((error: Error) => assert.match(error.message, /ended before it was ready/));
  };

  let cursor = "all:0";
  for (let kill = 0; kill < kills; kill++) {
    if (random.chance(0.1)) await dieAtBoot();
    const since = Date.now();
    const { api, end } = await boot();
    const stream = await api.stream(null, "", { "last-event-id": cursor });
    const recorded = record(stream, book);
    const lives = Array.from({ length: random.between(1, 2) }, () => unlessKilled(live({ api, book, random })));
    // Some kills come at any moment, most of them while a turn runs, however long the machine takes to begin one.
    if (!random.chance(0.2)) await Promise.race([turnOf(stream, since), Promise.all(lives)]);
    const moment = stream.events.length + random.between(1, 60);
    await Promise.race([
      stream.when((reader) => reader.events.length >= moment, "the moment").catch(() => undefined),
      delay(random.between(0, MOMENT_MS)),
    ]);
    await end("SIGKILL");
    await recorded;
    await Promise.all(lives);
    cursor = stream.ids.at(-1) ?? cursor;
  }
  const { api, end, pid } = await boot();
  await eventually("every prompt that was accepted has run", async () => {
    const sessions = await Promise.all(book.sessions.map((id) => api.session(id)));
    return sessions.every((session) => session.turn === null && session.queue.length === 0);
  });
  const interrupted = await book.checkAtRest(api);
  assert.ok(interrupted >= kills / 4, `only ${interrupted} turns were hit`);
  assert.deepEqual(straysOf(home, pid), []);
  assert.deepEqual(await end("SIGTERM"), { code: 0, signal: null });
  assert.deepEqual(straysOf(home), []);
  t.diagnostic(`${kills} kills, ${interrupted} in a turn, ${book.sessions.length} sessions, ${book.size} events seen`);
}
