import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Closers } from "../../support/closers.ts";
import { eventually } from "../../support/eventually.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { connectV2, openV2, say, texts } from "./v2-stage.ts";

type Connection = Awaited<ReturnType<typeof connectV2>>;

describe("the state of a session that a client of version 2 resumes", () => {
  const closers = new Closers();
  let server: TestServer;
  before(async () => {
    server = await startServer(closers);
  });
  after(() => closers.close());

  /** The states that were told before the response of a resume, and the last update before it. */
  async function resume({ agent, messages }: Connection, sessionId: string, replays: boolean) {
    const from = messages.length;
    const replayFrom = replays ? { replayFrom: { type: "start" as const } } : {};
    await agent.request("session/resume", { sessionId, cwd: server.directory, ...replayFrom });
    const told = messages.slice(from);
    const end = told.findIndex(({ from: side, message }) => side === "agent" && "result" in message);
    const updates = told.slice(0, end).flatMap(({ message }) => {
      const params = message.params as { update?: { sessionUpdate: string; state?: string } } | undefined;
      return params?.update ? [params.update] : [];
    });
    return { states: updates.flatMap(({ state }) => state ?? []), last: updates.at(-1)?.sessionUpdate };
  }

  for (const replays of [false, true]) {
    const how = replays ? "with its past" : "without its past";

    test(`RESUME-003 ${how}: idle, where no turn runs`, async (t) => {
      const session = await openV2(t, server);
      await session.run("hello");
      const told = await resume(await connectV2(t, server), session.id, replays);
      assert.deepEqual(told, { states: ["idle"], last: "state_update" });
      assert.equal((await resume(session, session.id, replays)).states.at(-1), "idle");
      assert.deepEqual(
        session.idles().flatMap(({ stopReason }) => stopReason ?? []),
        ["end_turn"],
        "the end of the turn is told once",
      );
    });

    test(`RESUME-003 ${how}: running, while a turn runs`, async (t) => {
      const session = await openV2(t, server);
      await session.prompt("[[slow]]");
      await eventually("it works", () => texts(session.updates).includes("still"));
      const other = await connectV2(t, server);
      assert.deepEqual(await resume(other, session.id, replays), { states: ["running"], last: "state_update" });
      assert.equal((await resume(session, session.id, replays)).states.at(-1), "running");
      await session.agent.notify("session/cancel", { sessionId: session.id });
      for (const one of [session, other]) {
        await eventually("it is over", () => one.idles().length > 0);
        assert.deepEqual(
          one.idles().map(({ stopReason }) => stopReason),
          ["cancelled"],
        );
      }
    });

    for (const [who, text] of [
      ["the agent", "[[ask ls]]"],
      ["a sub-agent", "[[subagent ask]]"],
    ] as const) {
      test(`RESUME-003 ${how}: requires_action, while an ask of ${who} is open`, async (t) => {
        const allowed = Promise.withResolvers<void>();
        const session = await openV2(t, server, { allowed: allowed.promise });
        await session.prompt(text);
        await eventually("it asks", () => session.states().at(-1)?.state === "requires_action");
        const other = await connectV2(t, server, { allowed: allowed.promise });
        const told = await resume(other, session.id, replays);
        assert.equal(told.last, "state_update");
        assert.equal(told.states.at(-1), "requires_action");
        await eventually("it is asked, too", () => other.asked.length === 1);
        assert.equal((await resume(session, session.id, false)).states.at(-1), "requires_action");
        allowed.resolve();
        await eventually("it is over", () => other.idles().length > 0 && session.idles().length > 0);
        assert.equal(other.idles()[0]?.stopReason, "end_turn");
      });
    }
  }

  test("a prompt of a client that has not resumed is told like any other", async (t) => {
    const session = await openV2(t, server);
    const other = await connectV2(t, server);
    await other.agent.request("session/prompt", { sessionId: session.id, prompt: say("hello") });
    await eventually("it is over", () => other.idles().length > 0);
    assert.deepEqual(
      other.states().map(({ state }) => state),
      ["running", "idle"],
    );
  });
});
