import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { OpencodeEvent } from "../../../src/surfaces/opencode/shapes/event.ts";
import type { MessageWithParts } from "../../../src/surfaces/opencode/shapes/message.ts";
import type { Session } from "../../../src/surfaces/opencode/shapes/session.ts";
import { eventually } from "../../support/eventually.ts";
import { OpencodeClient } from "../../support/opencode.ts";
import { Random, seedOf } from "../../support/random.ts";
import { startServer } from "../../support/server.ts";
import { Listener } from "./listener.ts";

const PROMPTS = [
  "hello",
  "[[tools 3]]",
  "[[reasoning]] [[tools 2]]",
  "[[error]]",
  "[[ask ls]]",
  "[[question]]",
  "[[subagent ask]]",
  "[[flood 100]]",
  "[[retry]]",
  "[[die 3]]",
  "[[read-edit]]",
  "[[late]]",
] as const;
const TURNS = 6;

const say = (text: string): { body: object } => ({ body: { parts: [{ type: "text", text }] } });

/** One of the things that people do with a session, whatever it is doing. */
async function act(client: OpencodeClient, random: Random, id: string): Promise<void> {
  const { status } = await (() => {
    switch (random.between(0, 7)) {
      case 0:
        return client.call("POST", `/session/${id}/abort`);
      case 1:
        return client.call("PATCH", `/session/${id}`, { body: { title: `title ${random.between(1, 99)}` } });
      case 2:
        return client.call("POST", `/session/${id}/shell`, { body: { command: "echo one; echo two" } });
      case 3:
        return client.call("POST", `/session/${id}/message`, say(random.pick(PROMPTS)));
      default:
        return client.call("POST", `/session/${id}/prompt_async`, say(random.pick(PROMPTS)));
    }
  })();
  assert.ok(status < 300 || status === 409, `got ${status}`);
}

/** Answers whatever is asked, twice and at once, as two people do. */
async function answerAll(client: OpencodeClient, random: Random): Promise<void> {
  for (const { id } of await client.get<{ id: string }[]>("/permission")) {
    const reply = (): Promise<unknown> =>
      client.call("POST", `/permission/${id}/reply`, { body: { reply: random.pick(["once", "always", "reject"]) } });
    await Promise.all([reply(), reply()]);
  }
  for (const { id } of await client.get<{ id: string }[]>("/question"))
    await client.call("POST", `/question/${id}/reject`);
}

/** Listens for a while, goes, and comes back, until told to stay. */
async function come(listener: Listener, random: Random, resume: boolean, stay: () => boolean): Promise<void> {
  while (!stay()) {
    let left = random.between(1, 60);
    const some = listener.until(() => --left === 0, "some events").catch(() => undefined);
    await Promise.race([some, delay(random.between(20, 400))]);
    await listener.leave();
    await listener.connect({ resume });
  }
}

const byId = (a: MessageWithParts, b: MessageWithParts): number => (a.info.id < b.info.id ? -1 : 1);

test("D6 clients that come and go while sessions work show in the end what the server has", async (t) => {
  const seed = seedOf();
  t.diagnostic(`PARLEY_SEED=${seed}`);
  const random = new Random(seed);
  const { parley } = await startServer(t);
  const client = new OpencodeClient(parley.url);
  const create = (): Promise<Session> => client.expect(200, "POST", "/session", { body: {} });
  const sessions = await Promise.all(Array.from({ length: 4 }, create));
  let over = false;
  const listeners = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      // OpenCode's own clients have no cursor, and hear of everything.
      const path = index % 3 === 0 ? "/global/event" : "/event";
      const listener = new Listener(`${parley.url}${path}`);
      await listener.connect();
      const coming = come(listener, new Random(seed + index), index % 3 !== 0, () => over);
      return { listener, coming };
    }),
  );
  const driving = Promise.all(
    sessions.map(async ({ id }, index) => {
      const own = new Random(seed - index);
      for (let turn = 0; turn < TURNS; turn++) await act(client, own, id);
    }),
  ).finally(() => {
    over = true;
  });
  await eventually("all to be done", async () => {
    await answerAll(client, random);
    return over && Object.keys(await client.get<object>("/session/status")).length === 0;
  });
  await driving;
  const last = await create();
  const isLast = ({ type, properties }: OpencodeEvent): boolean =>
    type === "session.created" && properties.sessionID === last.id;
  for (const { listener, coming } of listeners) {
    await coming;
    if (!listener.mirror.sessions.has(last.id)) await listener.until(isLast, "the last session");
    await listener.leave();
  }
  for (const info of await client.get<Session[]>("/session")) {
    const messages = (await client.get<MessageWithParts[]>(`/session/${info.id}/message`)).sort(byId);
    for (const {
      listener: { mirror },
    } of listeners) {
      assert.deepEqual(mirror.transcript(info.id), messages, `PARLEY_SEED=${seed}`);
      assert.deepEqual(mirror.sessions.get(info.id), info, `PARLEY_SEED=${seed}`);
      assert.notEqual(mirror.status.get(info.id), "busy", `PARLEY_SEED=${seed}`);
      assert.deepEqual([...mirror.asks], [], `PARLEY_SEED=${seed}`);
      assert.deepEqual(mirror.faults, [], `PARLEY_SEED=${seed}`);
    }
  }
});
