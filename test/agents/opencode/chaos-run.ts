import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { ParleyEvent } from "../../../src/core/events/event.ts";
import { type Fields, fieldsIn } from "../../../src/core/json/fields.ts";
import { completed, of } from "../../support/agent-stage.ts";
import type { Api } from "../../support/api.ts";
import { anyRates } from "../../support/chaos/faults.ts";
import { ChaosProxy } from "../../support/chaos/proxy.ts";
import { Closers } from "../../support/closers.ts";
import { eventually } from "../../support/eventually.ts";
import { assertLaws } from "../../support/laws.ts";
import { Random } from "../../support/random.ts";
import { startServer } from "../../support/server.ts";
import type { SseReader } from "../../support/sse.ts";
import { MARKERS } from "./chaos-script.ts";
import type { Kept } from "./replay/recorded-server.ts";
import { keptIn, type Transcript, toldIn } from "./replay/transcript.ts";

const MOST_TURNS = 3;
/** Turns that a person stops somewhere. */
const STOPPED = 0.25;
const STEERED = 0.15;
const LAST_WORDS_MS = 10_000;

export interface ChaosPlace {
  /** The real server. */
  url: string;
  directory: string;
  /** The first end of each call, by its part, as the server told it. */
  ends: ReadonlyMap<string, Fields>;
}

async function get<T>({ url, directory }: ChaosPlace, path: string): Promise<T> {
  const response = await fetch(`${url}${path}?directory=${encodeURIComponent(directory)}`);
  assert.equal(response.status, 200, path);
  return (await response.json()) as T;
}

/** Answers each ask as chance wants. An ask may be over before its answer. */
function answerAll(api: Api, stream: SseReader, random: Random): void {
  let looked = 0;
  void stream
    .when(({ events }) => {
      for (; looked < events.length; looked++) {
        const event = events[looked];
        const answer = event && answerTo(event, random);
        if (answer)
          void api.call("POST", `/v1/sessions/${event.session}/asks/${answer.ask}`, answer.body).catch(() => undefined);
      }
      return undefined;
    }, "for ever")
    .catch(() => undefined);
}

function answerTo(event: ParleyEvent, random: Random): { ask: string; body: object } | undefined {
  if (event.type === "permission.requested") {
    const feedback = random.chance(0.5) ? { feedback: "use another way" } : {};
    const outcome = random.pick(["once", "once", "always", "reject"]);
    return { ask: event.data.ask, body: outcome === "reject" ? { outcome, ...feedback } : { outcome } };
  }
  if (event.type !== "question.requested") return undefined;
  const body = random.chance(0.7) ? { outcome: "answered", answers: [["Blue"]] } : { outcome: "rejected" };
  return { ask: event.data.ask, body };
}

/** Waits for some events of the turn, or for its end. */
function after(stream: SseReader, session: string, from: number, count: number): Promise<unknown> {
  return stream.when(({ events }) => {
    const own = events.slice(from).filter((event) => event.session === session);
    return own.length >= count || own.some(({ type }) => type === "turn.ended");
  }, `${count} events of ${session}`);
}

function isQuiet(stream: SseReader): boolean {
  return stream.count("turn.started") > 0 && stream.count("turn.started") === stream.count("turn.ended");
}

/** One session of some turns, with everything between Parley and the real server going wrong as the seed wants it. */
export async function chaosRun(place: ChaosPlace, seed: number): Promise<string> {
  const random = new Random(seed);
  const closers = new Closers();
  const proxy = await ChaosProxy.start({ target: place.url, seed, rates: anyRates(random) });
  const done: string[] = [];
  try {
    const { api } = await startServer(closers, { defaultAgent: "opencode", opencodeUrl: proxy.url });
    const stream = await api.stream(null, "?after=0");
    closers.after(() => stream.close());
    const { id } = await api.create({ directory: place.directory });
    answerAll(api, stream, random);
    const turns = random.between(1, MOST_TURNS);
    for (let turn = 0; turn < turns; turn++) {
      const marker = random.pick(MARKERS);
      const from = stream.events.length;
      const running = api.ask(id, `[[${marker}]] number ${turn}`);
      const act = random.chance(STOPPED) ? "cancel" : random.chance(STEERED) ? "steer" : "";
      done.push(`${marker}${act && ` (${act})`}`);
      if (act !== "") await after(stream, id, from, random.between(1, 30));
      if (act === "cancel") await api.cancel(id);
      if (act === "steer")
        await api.call("POST", `/v1/sessions/${id}/prompts`, { text: "and this", delivery: "steer" });
      const { reason, error } = await running;
      done.push(`-> ${reason}${error ? ` (${error.message})` : ""}`);
      // Words that came too late for the turn have one of their own.
      await stream.when(isQuiet, "every turn is over");
    }
    await assertSame(place, api, id);
    return `${proxy}; ${done.join(" ")}`;
  } catch (thrown) {
    throw new Error(`${proxy}; ${done.join(" ")}`, { cause: thrown });
  } finally {
    await closers.close().finally(() => proxy[Symbol.asyncDispose]());
  }
}

/** A call that ends in the moment of a stop may be told as completed, and be kept as aborted: it ends once, by the end that Parley heard first. */
function asHeard({ ends }: ChaosPlace, message: Kept, told: Transcript): Kept {
  const parts = message.parts.map((part) => {
    const first = ends.get(String(part.id));
    const isAborted = fieldsIn(fieldsIn(part, "state"), "metadata").interrupted === true;
    if (!isAborted || first?.status !== "completed") return part;
    return keptIn([{ ...message, parts: [part] }]).every((line) => told.includes(line))
      ? part
      : { ...part, state: first };
  });
  return { ...message, parts };
}

/** The transcript that Parley has is the one that the server keeps; each turn ended once, each call is settled. */
async function assertSame(place: ChaosPlace, api: Api, id: string): Promise<void> {
  const idle = async (): Promise<boolean> => Object.keys(await get<Fields>(place, "/session/status")).length === 0;
  await eventually("the server is idle", idle);
  const pairs: [parley: string, native: string][] = [];
  const collect = async (session: string): Promise<void> => {
    const { nativeId } = await api.session(session);
    if (nativeId !== undefined) pairs.push([session, nativeId]);
  };
  await collect(id);
  const events = await api.events(id);
  assertLaws(id, events, { final: true });
  assert.equal(of(events, "turn.started").length, of(events, "turn.ended").length);
  assert.deepEqual(
    completed(events, "tool_call").filter(({ status }) => status === "running" || status === "pending"),
    [],
  );
  for (const call of completed(events, "tool_call")) if (typeof call.child === "string") await collect(call.child);
  for (const [session, native] of pairs) {
    const told = toldIn(await api.events(session));
    let kept: Transcript = [];
    const isSame = async (): Promise<boolean> => {
      const messages = await get<Kept[]>(place, `/session/${native}/message`);
      kept = keptIn(messages.map((message) => asHeard(place, message, told)));
      return isDeepStrictEqual(told, kept);
    };
    // The server says that it is idle before it has written the last words of a turn that was stopped.
    await eventually("all is written", isSame, LAST_WORDS_MS).catch(() => {});
    assert.deepEqual(told, kept, `${session} is ${native}`);
  }
}
