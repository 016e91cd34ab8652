import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { type RuledSession, SessionRules } from "../../../../src/agents/opencode/session-rules.ts";
import type { PermissionRule } from "../../../../src/core/events/values.ts";
import { CUT, StandIn } from "../stand-in.ts";

const ALLOW = { permission: "*", pattern: "*", action: "allow" };
const PLAN = { permission: "edit", pattern: "*", action: "deny" };
const ASK: PermissionRule = { action: "edit", pattern: "*", verdict: "ask" };
const DENY: PermissionRule = { action: "bash", pattern: "*", verdict: "deny" };
const GRANT: PermissionRule = { action: "bash", pattern: "ls *", verdict: "allow" };
const NO_BASH = { permission: "bash", pattern: "*", action: "deny" };
const NO_TASK = { permission: "task", pattern: "*", action: "deny" };
const asking = (rule: object): object => ({ ...rule, action: "ask" });
const REQUEST = { permission: "edit", patterns: ["a"] };

async function ruled(
  t: TestContext,
  more: Partial<RuledSession> = {},
): Promise<{ rules: SessionRules; stand: StandIn; given(): unknown[]; now: PermissionRule[] }> {
  const stand = await StandIn.open(t);
  const now: PermissionRule[] = [];
  stand.on("PATCH /session/ses_1", {}).on("GET /agent", [
    { name: "build", permission: [ALLOW] },
    { name: "plan", permission: [ALLOW, PLAN] },
  ]);
  const rules = new SessionRules({ api: stand.api(), id: "ses_1", isGated: false, rules: () => now, ...more });
  const given = (): unknown[] => stand.of("PATCH /session/ses_1").map(({ body }) => (body as RuleBody).permission);
  return { rules, stand, given, now };
}

interface RuleBody {
  permission: unknown;
}

describe("the session's rules", { concurrency: true }, () => {
  test("are not given where there are none, and the program is not asked for its own", async (t) => {
    const { rules, stand, now } = await ruled(t);
    await rules.give(undefined);
    now.push(GRANT);
    await rules.give(undefined);
    assert.deepEqual(stand.heard, []);
    assert.ok(!rules.isIntent(REQUEST));
  });

  test("have a server ask for everything that does not ask Parley by itself", async (t) => {
    const { rules, given, now } = await ruled(t);
    now.push(ASK);
    await rules.give(undefined);
    assert.deepEqual(given(), [[asking(ALLOW), NO_TASK]]);
    assert.ok(rules.isIntent(REQUEST), "the program would do it by itself");
  });

  test("are those of the agent that is chosen", async (t) => {
    const { rules, given, now } = await ruled(t);
    now.push(ASK);
    await rules.give("plan");
    assert.deepEqual(given(), [[asking(ALLOW), PLAN, NO_TASK]]);
    assert.ok(!rules.isIntent(REQUEST), "the program asks for it by itself");
    await rules.give("build");
    assert.deepEqual(given().at(-1), [asking(ALLOW), NO_TASK]);
  });

  test("take tools away that they deny, also from a server that asks by itself", async (t) => {
    const { rules, given, now } = await ruled(t, { isGated: true });
    now.push(DENY, ASK);
    await rules.give(undefined);
    assert.deepEqual(given(), [[NO_BASH]]);
    assert.ok(!rules.isIntent(REQUEST));
  });

  test("are given only when they have changed", async (t) => {
    const { rules, stand, given, now } = await ruled(t);
    now.push(DENY);
    await rules.give(undefined);
    await rules.give("build");
    assert.equal(given().length, 1);
    assert.equal(stand.of("GET /agent").length, 1);
  });

  test("are taken back when they are gone: the program only adds, and the last rule counts", async (t) => {
    const { rules, given, now } = await ruled(t);
    now.push(DENY);
    await rules.give(undefined);
    now.length = 0;
    await rules.give(undefined);
    assert.deepEqual(given().at(-1), [{ ...ALLOW, permission: "bash" }]);
    assert.ok(!rules.isIntent(REQUEST));
  });

  test("are taken back alone where nothing else was given", async (t) => {
    const { rules, given, now } = await ruled(t, { isGated: true });
    now.push(DENY);
    await rules.give(undefined);
    now.length = 0;
    await rules.give(undefined);
    assert.deepEqual(given(), [[NO_BASH], [{ ...ALLOW, permission: "bash" }]]);
  });

  for (const [what, kept, expected] of [
    ["that took a tool away", ["bash"], [{ ...ALLOW, permission: "bash" }]],
    ["that had everything asked", ["*", "task"], [ALLOW]],
  ] as const)
    test(`of an earlier start ${what} are taken back, too, and once`, async (t) => {
      const { rules, given } = await ruled(t, { kept });
      await rules.give(undefined);
      await rules.give(undefined);
      assert.deepEqual(given(), [expected]);
    });

  test("that were not taken are given again", async (t) => {
    const { rules, stand, given, now } = await ruled(t);
    now.push(DENY);
    stand.on("PATCH /session/ses_1", CUT);
    await assert.rejects(rules.give(undefined));
    stand.on("PATCH /session/ses_1", {}).on("GET /agent", CUT);
    await rules.give(undefined);
    assert.equal(given().length, 2, "the rules of agents are known");
  });

  test("hold no turn where the program does not tell its own", async (t) => {
    const { rules, stand, given, now } = await ruled(t);
    now.push(DENY);
    stand.on("GET /agent", CUT);
    await assert.rejects(rules.give(undefined));
    stand.on("GET /agent", [{ name: "build", permission: [ALLOW] }]);
    await rules.give(undefined);
    assert.equal(given().length, 1);
  });

  test("of an agent that is not known are the session's alone", async (t) => {
    const { rules, given, now } = await ruled(t, { isGated: true });
    now.push(DENY);
    await rules.give("nobody");
    assert.deepEqual(given(), [[NO_BASH]]);
  });
});
