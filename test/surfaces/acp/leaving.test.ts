import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { type NewSessionResponse, type PromptResponse, RequestError } from "@agentclientprotocol/sdk";
import { type ClientOptions, createClient, type ParleyClient } from "../../../src/client/index.ts";
import { FewAtOnce } from "../../../src/core/few-at-once.ts";
import { silentLogger } from "../../../src/core/logger.ts";
import { Beginnings } from "../../../src/surfaces/acp/session/beginnings.ts";
import type { Front } from "../../../src/surfaces/acp/session/front.ts";
import { prime, replay } from "../../../src/surfaces/acp/session/history.ts";
import { Prompts } from "../../../src/surfaces/acp/session/prompts.ts";
import { Sessions } from "../../../src/surfaces/acp/session/sessions.ts";
import { eventually } from "../../support/eventually.ts";
import { type Cleanup, startServer } from "../../support/server.ts";
import { LogClient } from "./log-client.ts";
import { type Stage, stage, textOf } from "./stage.ts";
import { told } from "./watcher.ts";

const say = (text: string) => [{ type: "text" as const, text }];

interface Working extends Stage {
  id: string;
  /** What was logged as a warning. */
  warned: string[];
  first: Promise<PromptResponse>;
}

/** A client of a server that ends with it, whose first prompt is being answered. */
async function working(t: Cleanup, send: ClientOptions["fetch"] = fetch): Promise<Working> {
  const warned: string[] = [];
  const logger = { ...silentLogger, warn: (_: object, words: string) => void warned.push(words) };
  const server = await startServer(t);
  const client = async () => createClient({ url: server.api.url, name: "editor", fetch: send });
  const opened = await stage(t, { server, acp: { client, endsWithClient: () => true, logger } });
  const { sessionId: id } = await opened.agent.request<NewSessionResponse>("session/new", {
    cwd: server.directory,
    mcpServers: [],
  });
  const prompt = { sessionId: id, prompt: say("[[slow 1000000]]") };
  const first = opened.agent.request<PromptResponse>("session/prompt", prompt);
  first.catch(() => {});
  await eventually("it works", () => textOf(opened.updates) !== "");
  return { ...opened, id, warned, first };
}

/** Has another client's shell run in the session, in place of the first turn: it takes no words. */
async function shellOf({ server, id, first }: Working) {
  const other = createClient({ url: server.api.url }).session(id);
  await other.cancel({ queue: "keep" });
  await first;
  await other.shell("sleep 1000");
  await eventually("the shell runs", async () => (await server.api.session(id)).status === "busy");
  return other;
}

describe("when a client goes", () => {
  test("a prompt that is on its way is taken back, though its session can be read no more", async (t) => {
    const gate = Promise.withResolvers<void>();
    let isOnItsWay = false;
    const client = await working(t, async (to, init) => {
      if (!to.endsWith("/prompts") || !String(init.body).includes("second")) return fetch(to, init);
      isOnItsWay = true;
      await gate.promise;
      return fetch(to, init);
    });
    await client.raw({
      jsonrpc: "2.0",
      id: "second",
      method: "session/prompt",
      params: { sessionId: client.id, prompt: say("second") },
    } as Parameters<Stage["raw"]>[0]);
    await eventually("it is on its way", () => isOnItsWay);
    const closed = client.close();
    // The stream of the session ends at its next event.
    const { last } = await client.server.api.session(client.id);
    await eventually("an event came", async () => (await client.server.api.session(client.id)).last > last);
    gate.resolve();
    await closed;
    assert.deepEqual((await client.server.api.session(client.id)).queue, []);
    assert.deepEqual(client.warned, [], "going is no fault");
  });

  test("words that a turn did not take are taken back like a prompt", async (t) => {
    const client = await working(t);
    const other = await shellOf(client);
    const steered = { sessionId: client.id, prompt: say("and words") };
    const { outcome } = await client.agent.request<{ outcome: string }>("_session/steering", steered);
    assert.equal(outcome, "startedNewTurn");
    assert.equal((await client.server.api.session(client.id)).queue.length, 1);
    await client.close();
    assert.deepEqual((await client.server.api.session(client.id)).queue, []);
    await other.cancel({ queue: "keep" });
  });

  test("sessions that begin free their requests for being deleted", async () => {
    let deleted = 0;
    let begun = 0;
    const json = (body: object) =>
      new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } });
    const answer = async (url: string, init: RequestInit): Promise<Response> => {
      const { pathname } = new URL(url);
      if (init.method === "DELETE") {
        deleted += 1;
        return new Response(null, { status: 204 });
      }
      if (pathname === "/v1/sessions") return json({ id: `ses_${begun++}`, agent: "a", directory: "/tmp" });
      if (!pathname.endsWith("/start"))
        return json({ name: "a", installed: true, credentials: "found", models: [], modes: [], capabilities: {} });
      return new Promise((_, reject) => init.signal?.addEventListener("abort", () => reject(init.signal?.reason)));
    };
    const few = new FewAtOnce(4);
    const client = createClient({ url: "http://127.0.0.1", fetch: (url, init) => few.do(() => answer(url, init)) });
    const sessions = new Sessions({ client: async () => client, version: "1", logger: silentLogger }, {} as Front);
    const all = Array.from({ length: 4 }, () => sessions.create({ cwd: "/tmp", mcpServers: [] }));
    const refused = Promise.all(all.map((one) => assert.rejects(one)));
    await eventually("all begin", () => begun === 4);
    await sessions.leave();
    await refused;
    assert.equal(deleted, 4);
  });
});

test("a cancel takes back words that another client's turn did not take, and nothing else", async (t) => {
  const client = await working(t);
  const other = await shellOf(client);
  const before = await client.server.api.session(client.id);
  await client.agent.request("_session/steering", { sessionId: client.id, prompt: say("and words") });
  await client.agent.notify("session/cancel", { sessionId: client.id });
  await eventually("they are gone", async () => (await client.server.api.session(client.id)).queue.length === 0);
  assert.equal((await client.server.api.session(client.id)).turn?.id, before.turn?.id, "the shell runs on");
  await other.cancel({ queue: "keep" });
});

test("a cancel that crosses the response of session/new leaves the session there", async () => {
  const removed: string[] = [];
  const beginnings = new Beginnings(async (id) => void removed.push(id));
  const stop = new AbortController();
  const begun = await beginnings.begin(stop.signal, async (beginning) => {
    beginning.named("ses_1");
    return "ses_1";
  });
  stop.abort(RequestError.requestCancelled());
  await beginnings.takeBackAll(new Error("the client is gone"));
  assert.equal(begun, "ses_1");
  assert.deepEqual(removed, []);
});

test("a request that waits for all prompts waits for none that was dropped", async () => {
  const prompts = new Prompts();
  void prompts.add("joined");
  const ends = prompts.ends();
  prompts.drop("joined");
  await ends;
  assert.deepEqual(prompts.all(), []);
});

/** A session with a turn and a prompt that waits behind it, whose client loads it at this moment. */
async function loading(t: TestContext, endsWithClient: boolean) {
  const log = new LogClient().begin("ses_root");
  const gate = Promise.withResolvers<void>();
  const withdrawn: string[] = [];
  let isHeld = false;
  const client = async (): Promise<ParleyClient> => {
    const base = log.client();
    const sessions = Object.assign(Object.create(base.sessions) as ParleyClient["sessions"], {
      get: async (id: string) => {
        if (isHeld) await gate.promise;
        return base.sessions.get(id);
      },
    });
    const session: ParleyClient["session"] = (one) =>
      Object.assign(base.session(one), { withdraw: async (id: string) => void withdrawn.push(id) });
    return { ...base, sessions, session };
  };
  const front: Front = { update: async () => {}, permission: async () => undefined };
  const options = { client, version: "1", logger: silentLogger, endsWithClient: () => endsWithClient };
  const sessions = new Sessions(options, front);
  t.after(() => sessions.close());
  const session = await sessions.attach("ses_root", prime);
  const { id, end } = session.sender.send(async () => undefined);
  end.catch(() => {});
  isHeld = true;
  const loaded = sessions.attach("ses_root", replay);
  loaded.catch(() => {});
  await told();
  return { sessions, session, id, loaded, withdrawn, gate };
}

for (const endsWithClient of [true, false])
  test(`a prompt that waits is ${endsWithClient ? "" : "not "}taken back where its client goes in the middle of a load`, async (t) => {
    const { sessions, id, loaded, withdrawn, gate } = await loading(t, endsWithClient);
    const left = sessions.leave();
    gate.resolve();
    await left;
    await assert.rejects(loaded, /the client is gone/);
    assert.deepEqual(withdrawn, endsWithClient ? [id] : []);
  });

test("a session that is loaded while it is closed takes no prompts", async (t) => {
  const { session, loaded, gate } = await loading(t, false);
  const closing = Promise.withResolvers<void>();
  const closed = session.sender.leaving(() => closing.promise);
  gate.resolve();
  const again = await loaded;
  let isSent = false;
  const { end } = again.sender.send(async () => {
    isSent = true;
    return undefined;
  });
  assert.equal((await end).reason, "withdrawn");
  assert.equal(isSent, false);
  await assert.rejects(again.sender.steer([{ type: "text", text: "more" }]), /being closed/);
  closing.resolve();
  await closed;
});

test("a copy that is being made when its client goes, or takes the request back, is deleted", async () => {
  for (const isTakenBack of [true, false]) {
    const gate = Promise.withResolvers<void>();
    const deleted: string[] = [];
    const log = new LogClient().begin("ses_root").begin("ses_copy");
    const client = async (): Promise<ParleyClient> => {
      const base = log.client();
      const fork = async () => {
        await gate.promise;
        return base.sessions.get("ses_copy");
      };
      const sessions = Object.assign(Object.create(base.sessions) as ParleyClient["sessions"], {
        delete: async (id: string) => void deleted.push(id),
      });
      return { ...base, sessions, session: (one) => Object.assign(base.session(one), { fork }) };
    };
    const front: Front = { update: async () => {}, permission: async () => undefined };
    const sessions = new Sessions({ client, version: "1", logger: silentLogger }, front);
    const stop = new AbortController();
    const copied = assert.rejects(sessions.fork("ses_root", stop.signal));
    if (isTakenBack) stop.abort(RequestError.requestCancelled());
    const left = isTakenBack ? undefined : sessions.leave();
    gate.resolve();
    await Promise.all([copied, left]);
    await eventually("it is deleted", () => deleted.includes("ses_copy"));
    await sessions.close();
  }
});
