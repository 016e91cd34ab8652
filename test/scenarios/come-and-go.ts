import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { OpencodeEvent } from "../../src/surfaces/opencode/shapes/event.ts";
import type { MessageWithParts } from "../../src/surfaces/opencode/shapes/message.ts";
import type { Session } from "../../src/surfaces/opencode/shapes/session.ts";
import { eventually } from "../support/eventually.ts";
import { OpencodeClient } from "../support/opencode.ts";
import { Random } from "../support/random.ts";
import { startServer } from "../support/server.ts";
import { Listener } from "../surfaces/opencode/listener.ts";

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

const PATIENCE_MS = 300_000;

const say = (text: string): { body: object } => ({ body: { parts: [{ type: "text", text }] } });

/** An act of a client on a session in any state. */
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

/** Answers every ask twice at the same time, as two people may. */
async function answerAll(client: OpencodeClient, random: Random): Promise<void> {
  for (const { id } of await client.get<{ id: string }[]>("/permission")) {
    const reply = (): Promise<unknown> =>
      client.call("POST", `/permission/${id}/reply`, { body: { reply: random.pick(["once", "always", "reject"]) } });
    await Promise.all([reply(), reply()]);
  }
  for (const { id } of await client.get<{ id: string }[]>("/question"))
    await client.call("POST", `/question/${id}/reject`);
}

interface Comings {
  readonly sessions: readonly string[];
  over: boolean;
  disconnects: number;
}

/** The state of things that a client without a cursor is told first ends, for each session, with its status. */
async function hearSnapshot(listener: Listener, sessions: readonly string[]): Promise<void> {
  const missing = new Set(sessions);
  const take = ({ type, properties }: OpencodeEvent): boolean => {
    if (type === "session.status") missing.delete(properties.sessionID as string);
    return missing.size === 0;
  };
  await listener.until(take, "the status of each session");
}

/** Listens for a while, goes, and comes back, until all is over. */
async function come(listener: Listener, random: Random, resume: boolean, comings: Comings): Promise<void> {
  for (; !comings.over; comings.disconnects++) {
    let left = random.between(1, 60);
    const some = listener.until(() => --left === 0, "some events").catch(() => undefined);
    await Promise.race([some, delay(random.between(20, 400))]);
    await listener.leave();
    await listener.connect({ resume });
    // One that is cut again and again before it has heard all of it would miss more turns than are told.
    if (!resume) await hearSnapshot(listener, comings.sessions);
  }
}

const byId = (a: MessageWithParts, b: MessageWithParts): number => (a.info.id < b.info.id ? -1 : 1);

export interface ComingOptions {
  listeners: number;
  turns: number;
  /** The sessions work on until the clients have gone so often. */
  disconnects: number;
  seed: number;
}

/** Clients come and go while sessions work; in the end each shows what the server has. */
export async function runComings(t: TestContext, options: ComingOptions): Promise<void> {
  const { seed } = options;
  t.diagnostic(`PARLEY_SEED=${seed}`);
  const random = new Random(seed);
  const { parley } = await startServer(t);
  const client = new OpencodeClient(parley.url);
  const create = (): Promise<Session> => client.expect(200, "POST", "/session", { body: {} });
  const sessions = await Promise.all(Array.from({ length: 4 }, create));
  const comings: Comings = { sessions: sessions.map(({ id }) => id), over: false, disconnects: 0 };
  const listeners = await Promise.all(
    Array.from({ length: options.listeners }, async (_, index) => {
      // OpenCode's own clients have no cursor, and hear of everything.
      const path = index % 2 === 0 ? "/global/event" : "/event";
      const listener = new Listener(`${parley.url}${path}`);
      await listener.connect();
      const coming = come(listener, new Random(seed + index), index % 2 !== 0, comings);
      return { listener, coming };
    }),
  );
  const driving = Promise.all(
    sessions.map(async ({ id }, index) => {
      const own = new Random(seed - index);
      for (let turn = 0; turn < options.turns || comings.disconnects < options.disconnects; turn++) {
        await act(client, own, id);
        // A client without a cursor is told of the last eight turns, so no more than a few may pass while it is away.
        if (turn % options.turns === options.turns - 1)
          await eventually(
            `${id} to rest`,
            async () => !(id in (await client.get<object>("/session/status"))),
            PATIENCE_MS,
          );
      }
    }),
  ).finally(() => {
    comings.over = true;
  });
  await eventually(
    "all to be done",
    async () => {
      await answerAll(client, random);
      return comings.over && Object.keys(await client.get<object>("/session/status")).length === 0;
    },
    PATIENCE_MS,
  );
  await driving;
  t.diagnostic(`${comings.disconnects} disconnects`);
  const last = await create();
  for (const { listener, coming } of listeners) {
    await coming;
    const knows = (): boolean => listener.mirror.sessions.has(last.id);
    if (!knows()) await listener.until(knows, "the last session");
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
}
