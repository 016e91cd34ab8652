import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { AgentSession } from "../../../src/agents/contract.ts";
import { codexRig } from "../contract/rigs.ts";

async function opened(t: TestContext): Promise<{ session: AgentSession; left: () => string[] }> {
  const { agent, directory } = await codexRig(t);
  const session = agent.open({ session: "ses_1", directory, trusted: true, emit: () => {} });
  t.after(() => session.kill(0));
  await session.ready();
  const left = (): string[] => readdirSync(join(directory, "codex-calls"));
  assert.equal(left().length, 1);
  return { session, left };
}

test("nothing of the calls is left when a session is closed", async (t) => {
  const { session, left } = await opened(t);
  await session.close();
  assert.deepEqual(left(), []);
});

test("nothing of the calls is left when a session is killed while it is paused", async (t) => {
  const { session, left } = await opened(t);
  session.pause();
  await session.kill(0);
  assert.deepEqual(left(), []);
});
