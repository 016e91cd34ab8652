import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Api } from "../support/api.ts";
import { eventually } from "../support/eventually.ts";
import { lawfulEvents } from "../support/laws.ts";
import { Random } from "../support/random.ts";
import { startServer } from "../support/server.ts";

interface World {
  api: Api;
  random: Random;
  sessions: string[];
}

/** One request of any sort to any session. Each answer is held against the API's description by the client. */
type Act = (world: World, session: string) => Promise<{ status: number }>;

const TEXTS = [
  "hello",
  "[[slow 80]]",
  "[[tools 3]]",
  "[[ask]]",
  "[[question]]",
  "[[error]]",
  "[[late]]",
  "[[flood 200]]",
  "[[die 1]]",
  "[[background 20]]",
  "[[subagent ask]]",
];

const prompt =
  (query: string): Act =>
  ({ api, random }, session) => {
    const id = random.chance(0.3) ? { id: `msg_${random.between(1, 5)}` } : {};
    const delivery = random.chance(0.3) ? { delivery: random.pick(["queue", "steer", "reject"]) } : {};
    return api.call("POST", `/v1/sessions/${session}/prompts${query}`, {
      text: random.pick(TEXTS),
      ...id,
      ...delivery,
    });
  };

const answer: Act = async ({ api, random }, session) => {
  const { body } = await api.call<{ asks?: { id: string; kind: string }[] }>("GET", `/v1/sessions/${session}/asks`);
  const ask = body.asks?.[0] ?? { id: "per_none", kind: "permission" };
  const outcome =
    ask.kind === "permission"
      ? { outcome: random.pick(["once", "always", "reject"]) }
      : { outcome: "answered", answers: [["red"]] };
  return api.call("POST", `/v1/sessions/${session}/asks/${ask.id}`, outcome);
};

const watch: Act = async ({ api, random }, session) => {
  const { status, body } = await api.call<{ last: number }>("GET", `/v1/sessions/${session}`);
  if (status !== 200) return { status };
  const stream = await api.stream(session, `?after=${random.between(0, body.last)}`).catch(() => undefined);
  await stream?.close();
  return { status };
};

const ACTS: [weight: number, act: Act][] = [
  [6, prompt("")],
  [1, prompt("?wait=false")],
  [
    3,
    ({ api, random }, session) =>
      api.call("POST", `/v1/sessions/${session}/cancel`, { queue: random.pick(["clear", "keep"]) }),
  ],
  [2, ({ api, random }, session) => api.call("DELETE", `/v1/sessions/${session}/prompts/msg_${random.between(1, 5)}`)],
  [5, answer],
  [
    2,
    ({ api, random }, session) =>
      api.call("PATCH", `/v1/sessions/${session}`, { mode: random.pick(["build", "plan"]) }),
  ],
  [3, watch],
  [2, ({ api }, session) => api.call("GET", `/v1/sessions/${session}/events?limit=50`)],
  [1, ({ api }) => api.call("GET", "/v1/asks")],
  [1, ({ api }, session) => api.call("DELETE", `/v1/sessions/${session}`)],
];
const DECK = ACTS.flatMap(([weight, act]) => Array<Act>(weight).fill(act));

export interface AnyOrderOptions {
  requests: number;
  clients: number;
  seed: number;
}

/** Clients that know nothing of each other do anything at any time to the same few sessions. */
export async function runAnyOrder(t: TestContext, { requests, clients, seed }: AnyOrderOptions): Promise<void> {
  t.diagnostic(`PARLEY_SEED=${seed}`);
  const { api } = await startServer(t, { keepNative: false });
  const sessions = await Promise.all([1, 2, 3].map(async () => (await api.create()).id));
  const statuses = new Map<number, number>();
  let left = requests;
  const client = async (at: number): Promise<void> => {
    const random = new Random(seed + at);
    while (left-- > 0) {
      const session = random.pick(sessions);
      const { status } = await random.pick(DECK)({ api, random, sessions }, session);
      assert.notEqual(status, 500);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 404 && (await api.call("GET", `/v1/sessions/${session}`)).status === 404) {
        sessions.splice(0, sessions.length, ...sessions.filter((one) => one !== session), (await api.create()).id);
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, at) => client(at)));
  for (const id of sessions) {
    await api.call("POST", `/v1/sessions/${id}/cancel`, {});
    await eventually(`session ${id} is quiet`, async () => {
      const { status, body } = await api.call<{ turn: unknown; queue: unknown[] }>("GET", `/v1/sessions/${id}`);
      return status === 404 || (body.turn === null && body.queue.length === 0);
    });
    if ((await api.call("GET", `/v1/sessions/${id}`)).status === 200) await lawfulEvents(api, id);
  }
  t.diagnostic(
    [...statuses]
      .sort()
      .map(([status, count]) => `${status}: ${count}`)
      .join(", "),
  );
}
