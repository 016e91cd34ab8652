import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { createAcpAgent } from "../../../src/agents/acp/agent.ts";
import { ended, rig, text } from "../../gateway/rig.ts";
import { eventually } from "../../support/eventually.ts";
import { openPuppet, Puppet, SESSION } from "./puppet.ts";

const initialize = { protocolVersion: 1, agentCapabilities: { loadSession: true } };
const LIMIT_MS = 500;

test("a session/load that is never answered fails as not ready, in time, and the past that was begun is over", async () => {
  const answers = { initialize, "session/load": undefined };
  const { session, signals } = openPuppet(tmpdir(), undefined, {
    answers,
    readyMs: LIMIT_MS,
    resume: SESSION,
    tellPast: true,
  });
  await assert.rejects(session.ready(), new RegExp(`not ready within ${LIMIT_MS} ms: it did not open a session`));
  await eventually("the program is ended", () => signals.at(-1)?.type === "exited");
  const types = signals.map(({ type }) => type);
  assert.deepEqual(types, ["replay.begun", "replay.ended", "exited"]);
});

test("a prompt that takes longer than a start may take ends as its agent says", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { puppet, session, signals } = openPuppet(tmpdir(), undefined, { readyMs: LIMIT_MS });
  await session.ready();
  await session.prompt({ id: "msg_1", parts: [{ type: "text", text: "go" }] });
  t.mock.timers.tick(1_000 * LIMIT_MS);
  // A program that was too slow would be ended by now.
  await new Promise((resolve) => setImmediate(resolve));
  puppet.answer("session/prompt", { stopReason: "end_turn" });
  assert.deepEqual(
    signals.flatMap((signal) => (signal.type === "turn.finished" ? [signal.reason] : [])),
    ["end_turn"],
  );
  assert.ok(!signals.some(({ type }) => type === "exited"));
  await session.kill(0);
});

test("a session whose agent did not open it again in time takes the next prompt", async (t) => {
  // The program answers each prompt, and its second start does not answer session/load.
  let [starts, left] = [0, 0];
  const host = {
    spawn: (...given: Parameters<Puppet["spawn"]>) => {
      starts += 1;
      const answers = { initialize, "session/prompt": { stopReason: "end_turn" } };
      const program = new Puppet({ ...answers, "session/load": starts === 2 ? undefined : {} }).spawn(...given);
      void program.exited.then(() => {
        left += 1;
      });
      return program;
    },
    run: () => {
      throw new Error("no command is run here");
    },
  };
  const argv = async () => ({ argv: ["puppet"] as const });
  const agent = createAcpAgent({ name: "slow", argv, host, readyMs: LIMIT_MS });
  const agents = new Map([["slow", agent]]);
  // Without work an agent is let go at once, so that each prompt has a start.
  const { gateway, until, assertLawful, directory } = await rig(t, { agents, defaultAgent: "slow", idleAgents: 0 });
  const { id } = await gateway.create({ directory });
  const ends: string[] = [];
  let last = 0;
  for (const count of [1, 2, 3]) {
    await gateway.prompt(id, text("go"));
    const end = await until(id, (event) => ended(event) && event.seq > last);
    last = end.seq;
    if (end.type === "turn.ended") ends.push(end.data.error?.message ?? end.data.reason);
    await eventually("the agent is let go", () => left === count);
  }
  assert.match(ends[1] ?? "", new RegExp(`not ready within ${LIMIT_MS} ms: it did not open a session`));
  assert.deepEqual([ends[0], ends[2]], ["end_turn", "end_turn"]);
  await assertLawful(id);
});
