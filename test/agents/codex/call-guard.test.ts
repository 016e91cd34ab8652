import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { CallGuard } from "../../../src/agents/codex/calls/guard.ts";
import { newDecodeState } from "../../../src/agents/codex/decode/state.ts";
import { opened } from "../../../src/agents/codex/decode/written.ts";
import { decodeLine } from "../../../src/agents/codex/decode.ts";
import type { PermissionSignal, Signal } from "../../../src/core/ledger/signals.ts";
import { eventually } from "../../support/eventually.ts";
import { temporary } from "../../support/server.ts";
import { hookInput, runHook } from "./hook-run.ts";

const started = { method: "turn/started", params: { threadId: "thread", turn: { id: "turn" } } };
const STATE = decodeLine(
  opened(newDecodeState("/project", "start"), "thread", false),
  JSON.stringify(started),
  0,
).state;

/** A guard that was told of a call, which a person has allowed. */
async function allowed(t: TestContext): Promise<{ guard: CallGuard; ask: PermissionSignal }> {
  const said: Signal[] = [];
  const guard = new CallGuard({
    directory: "/project",
    parent: await temporary(t),
    state: () => STATE,
    servers: async () => ({}),
    say: (signals) => said.push(...signals.map(({ signal }) => signal)),
    told: () => {},
    failed: (why) => assert.fail(why),
  });
  t.after(() => guard.close());
  const { ended } = runHook(guard.environment.PARLEY_CODEX_CALLS ?? "", hookInput({ command: "ls" }));
  await eventually("the call is told", () => said.length === 1);
  const [intent] = said;
  assert.ok(intent?.type === "intent");
  guard.decide(intent.ask, "ask");
  guard.answer(`${intent.ask}?`, { kind: "permission", outcome: "once" });
  assert.equal((await ended).out, "");
  return { guard, ask: { type: "permission", ask: "start:0", action: "bash", command: "ls", call: "turn:call_1" } };
}

const OTHERS: [name: string, more: Partial<PermissionSignal>][] = [
  ["another line", { command: "ls; rm x" }],
  ["a host", { action: "webfetch" }],
  ["words for a terminal", { action: "terminal" }],
  ["more rights", { metadata: { permissions: { network: { enabled: true } } } }],
  ["no sandbox", { metadata: { reason: "it wants out" } }],
  ["another call", { call: "turn:call_2" }],
];

test("an allowed call is asked about once more when the program asks for something else by it", async (t) => {
  const { guard, ask } = await allowed(t);
  for (const [name, more] of OTHERS) assert.equal(guard.hasAllowed({ ...ask, ...more }), false, name);
  assert.equal(guard.hasAllowed(ask), true);
  assert.equal(guard.hasAllowed(ask), false, "a second time");
});

test("an allowed call is forgotten with its turn", async (t) => {
  const { guard, ask } = await allowed(t);
  guard.over("another");
  guard.over("thread");
  assert.equal(guard.hasAllowed(ask), false);
});
