import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { RequestError } from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { Closers } from "../../support/closers.ts";
import { eventually } from "../../support/eventually.ts";
import { type Cleanup, startServer, type TestServer } from "../../support/server.ts";
import { staysSo } from "../../support/time.ts";
import { failsWith, openV2, prompted, texts } from "./v2-stage.ts";

describe("prompts of version 2 that wait", () => {
  const closers = new Closers();
  let server: TestServer;
  before(async () => {
    server = await startServer(closers);
  });
  after(() => closers.close());

  /** A session whose first turn runs, and a prompt of the same client that waits behind it. */
  async function held(t: Cleanup, { at = server, send, signal, second = "held" }: HeldOptions = {}) {
    const session = await openV2(t, at, send ? { send } : {});
    const begun = await session.prompt("[[slow]]");
    await eventually("it works", () => texts(session.updates).includes("still"));
    const waiting = session.prompt(second, signal);
    waiting.catch(() => {});
    const queue = async () => (await at.api.session(session.id)).queue;
    await eventually("it waits", async () => (await queue()).length === 1);
    const [{ id = "" } = {}] = await queue();
    return { ...session, begun, waiting, heldId: id };
  }
  interface HeldOptions {
    at?: TestServer;
    send?: typeof fetch;
    signal?: AbortSignal;
    second?: string;
  }
  /** Stops the turn that runs, for the prompt that waits. */
  const goOn = (id: string) => server.api.expect(200, "POST", `/v1/sessions/${id}/cancel`, { queue: "keep" });
  async function staysOpen(request: Promise<unknown>): Promise<void> {
    let isOpen = true;
    const answered = () => {
      isOpen = false;
    };
    request.then(answered, answered);
    await staysSo("the prompt has no answer", () => isOpen);
  }

  test("PROMPT-003 a prompt is answered when its turn begins, with the id of its message", async (t) => {
    const session = await held(t);
    await staysOpen(session.waiting);
    assert.deepEqual(prompted(session.updates), [session.begun.messageId]);
    await goOn(session.id);
    const { messageId } = await session.waiting;
    assert.equal(messageId, session.heldId);
    await eventually("all is over", () => session.idles().length === 2);
    assert.deepEqual(prompted(session.updates), [session.begun.messageId, messageId]);
    const kinds = session.messages.flatMap(({ from, message }) => {
      if (from === "client") return [];
      const result = message.result as { messageId?: string } | undefined;
      const { update } = (message.params ?? {}) as { update?: { state?: string } };
      return result?.messageId === messageId ? ["answer"] : (update?.state ?? []);
    });
    assert.ok(kinds.indexOf("idle") < kinds.indexOf("answer"), "the turn before it is over");
  });

  test("CLOSE-002 closing the session refuses them, and the turn is told to its end before the response", async (t) => {
    const session = await held(t);
    assert.deepEqual(await session.agent.request("session/close", { sessionId: session.id }), {});
    assert.deepEqual(
      session.idles().map(({ stopReason }) => stopReason),
      ["cancelled"],
    );
    await assert.rejects(session.waiting, failsWith(-32800));
    assert.deepEqual(prompted(session.updates), [session.begun.messageId]);
    assert.equal((await server.api.session(session.id)).turns, 1);
  });

  test("CANCEL-002 session/cancel and a deletion refuse them", async (t) => {
    const cancelled = await held(t);
    await cancelled.agent.notify("session/cancel", { sessionId: cancelled.id });
    await assert.rejects(cancelled.waiting, failsWith(-32800));
    await eventually("it is over", () => cancelled.idles().length === 1);
    const deleted = await held(t);
    assert.deepEqual(await deleted.agent.request("session/delete", { sessionId: deleted.id }), {});
    await assert.rejects(deleted.waiting, failsWith(-32800));
    for (const { updates, begun } of [cancelled, deleted]) assert.deepEqual(prompted(updates), [begun.messageId]);
  });

  test("CANCEL-003 $/cancel_request takes back the prompt that waits alone", async (t) => {
    const stop = new AbortController();
    const session = await held(t, { signal: stop.signal });
    stop.abort();
    await assert.rejects(session.waiting, failsWith(-32800));
    assert.notEqual((await server.api.session(session.id)).status, "idle");
    assert.deepEqual((await server.api.session(session.id)).queue, []);
    await session.agent.notify("session/cancel", { sessionId: session.id });
    await eventually("it is over", () => session.idles().length === 1);
  });

  test("a prompt that another client withdraws, or whose session it deletes, is refused", async (t) => {
    const withdrawn = await held(t);
    await server.api.expect(204, "DELETE", `/v1/sessions/${withdrawn.id}/prompts/${withdrawn.heldId}`);
    await assert.rejects(withdrawn.waiting, failsWith(-32800));
    await server.api.cancel(withdrawn.id);
    const deleted = await held(t);
    await server.api.expect(204, "DELETE", `/v1/sessions/${deleted.id}`);
    await assert.rejects(deleted.waiting, failsWith(-32800));
  });

  test("a prompt is answered once where its session is resumed while it waits and while it begins", async (t) => {
    const session = await held(t);
    const cwd = server.directory;
    const again = () =>
      session.agent.request("session/resume", { sessionId: session.id, cwd, replayFrom: { type: "start" } });
    await again();
    await staysOpen(session.waiting);
    await goOn(session.id);
    while ((await server.api.session(session.id)).turns < 2) await again();
    assert.equal((await session.waiting).messageId, session.heldId);
  });

  for (const [when, second, isIdle] of [
    ["begins", "[[slow]]", false],
    ["begins and ends", "held", true],
  ] as const) {
    test(`a prompt that ${when} while its session is opened anew is answered`, async (t) => {
      const gate = Promise.withResolvers<void>();
      let isLate = false;
      const session = await held(t, {
        second,
        send: async (url, init) => {
          if (isLate && new URL(String(url)).pathname.endsWith(sessionId)) await gate.promise;
          return fetch(url, init);
        },
      });
      const sessionId = session.id;
      isLate = true;
      const replayFrom = { type: "start" as const };
      const again = session.agent.request("session/resume", { sessionId, cwd: server.directory, replayFrom });
      await goOn(sessionId);
      await eventually("it is so far", async () => {
        const { turns, status } = await server.api.session(sessionId);
        return turns === 2 && (status === "idle") === isIdle;
      });
      gate.resolve();
      await again;
      assert.equal((await session.waiting).messageId, session.heldId);
      assert.equal((await server.api.session(sessionId)).status === "idle", isIdle, "answered before the turn's end");
      await server.api.cancel(sessionId);
    });
  }

  test("a prompt of a session that can no longer be read is refused with the reason", async (t) => {
    let isLost = false;
    const session = await held(t, {
      send: async (url, init) =>
        isLost && String(url).includes("/stream") ? new Response("{}", { status: 403 }) : fetch(url, init),
    });
    isLost = true;
    server.parley.cutStreams();
    await assert.rejects(session.waiting, (error) => error instanceof RequestError && error.code !== -32800);
    isLost = false;
    await server.api.cancel(session.id);
  });

  test("a prompt that waits while the server is started anew is answered when it begins", async (t) => {
    const at = await startServer(t);
    const send: typeof fetch = (url, init) => {
      const { pathname, search } = new URL(String(url));
      return fetch(new URL(pathname + search, at.api.url), init);
    };
    const session = await held(t, { at, send });
    await at.restart();
    await eventually("its turn is over", () => session.idles().length > 0);
    assert.equal((await session.waiting).messageId, session.heldId);
  });

  test("a client that goes away takes nothing back", async (t) => {
    const session = await held(t);
    await session.close();
    await goOn(session.id);
    await eventually("both are over", async () => {
      const { turns, status } = await server.api.session(session.id);
      return turns === 2 && status === "idle";
    });
  });

  test("$/cancel_request of a prompt that is answered does not stop its turn", async (t) => {
    const stop = new AbortController();
    const session = await openV2(t, server);
    await session.prompt("[[slow 700]]", stop.signal);
    await eventually("it works", () => texts(session.updates).includes("still"));
    stop.abort();
    await session.agent.notify("$/cancel_request", { requestId: 2 });
    await eventually("it is over", () => session.idles().length === 1);
    assert.equal(session.idles()[0]?.stopReason, "end_turn");
  });
});
