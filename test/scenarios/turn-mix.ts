import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Outcome } from "../../src/core/receipt.ts";
import type { Api } from "../support/api.ts";
import { lawfulEvents } from "../support/laws.ts";
import { Random } from "../support/random.ts";
import { startServer } from "../support/server.ts";
import { Watcher } from "../support/watcher.ts";

interface Lane {
  api: Api;
  session: string;
  random: Random;
}

/** Does something with a session and answers with the outcomes of the turns that it made. */
type Act = (lane: Lane) => Promise<Outcome[]>;

const one =
  (text: string, reason: string): Act =>
  async ({ api, session }) => {
    const outcome = await api.ask(session, text);
    assert.equal(outcome.reason, reason, `${text}: ${JSON.stringify(outcome)}`);
    return [outcome];
  };

const cancelled: Act = async ({ api, session, random }) => {
  const pending = api.ask(session, `[[slow ${random.between(0, 60)}]]`);
  await delay(random.between(0, 40));
  await api.cancel(session);
  const outcome = await pending;
  assert.ok(outcome.reason === "cancelled" || outcome.reason === "end_turn", outcome.reason);
  return [outcome];
};

const overlapping: Act = async ({ api, session, random }) => {
  const texts = Array.from({ length: random.between(2, 4) }, () => random.pick(["hi", "[[error]]", "[[tools 2]]"]));
  return Promise.all(texts.map((text) => api.ask(session, text)));
};

const abandoned: Act = async ({ api, session, random }) => {
  const leaving = new AbortController();
  const body = { id: `msg_${random.between(0, 2 ** 31)}_${random.between(0, 2 ** 31)}`, text: "[[reasoning]]" };
  const waiting = fetch(`${api.url}/v1/sessions/${session}/prompts?wait=true`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: leaving.signal,
  }).then((answer) => answer.text());
  await delay(random.between(0, 20));
  leaving.abort();
  await waiting.catch(() => undefined);
  return [await api.ask(session, body)];
};

const ACTS: [weight: number, act: Act][] = [
  [6, one("hello", "end_turn")],
  [3, one("[[tools 3]]", "end_turn")],
  [2, one("[[late]]", "end_turn")],
  [1, one("[[retry]]", "end_turn")],
  [3, one("[[error]]", "error")],
  [1, one("[[die 1]]", "error")],
  [1, one("[[die SIGKILL]]", "error")],
  [4, cancelled],
  [2, overlapping],
  [2, abandoned],
];
const DECK = ACTS.flatMap(([weight, act]) => Array<Act>(weight).fill(act));

export interface MixOptions {
  turns: number;
  sessions: number;
  seed: number;
}

/** A random mix of turns over several sessions, watched by a client that keeps losing its connection. */
export async function runTurnMix(t: TestContext, { turns, sessions, seed }: MixOptions): Promise<void> {
  t.diagnostic(`PARLEY_SEED=${seed}`);
  const { api } = await startServer(t, { keepNative: false });
  const watcher = new Watcher(api);
  await watcher.start();
  let made = 0;
  const lane = async (at: number): Promise<string> => {
    const random = new Random(seed + at);
    const { id } = await api.create();
    while (made < turns) {
      const outcomes = await random.pick(DECK)({ api, session: id, random });
      made += outcomes.length;
      if (random.chance(0.05)) await watcher.lose();
    }
    return id;
  };
  const ids = await Promise.all(Array.from({ length: sessions }, (_, at) => lane(at)));
  await watcher.untilIdle(made);
  for (const id of ids) {
    const session = await api.session(id);
    assert.equal(session.status, "idle");
    await lawfulEvents(api, id);
  }
  watcher.assertRight(made);
  await watcher.close();
  assert.ok(made >= turns);
  t.diagnostic(`${made} turns, ${watcher.losses} lost connections`);
}
