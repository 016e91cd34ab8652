import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CallGuard, type GuardOptions } from "../../../../src/agents/opencode/gate/call-guard.ts";
import type { GateCall } from "../../../../src/agents/opencode/gate/gate.ts";
import type { Answer, IntentSignal, PermissionSignal } from "../../../../src/core/ledger/signals.ts";
import { eventually } from "../../../support/eventually.ts";
import { staysSo } from "../../../support/time.ts";

const ONCE: Answer = { kind: "permission", outcome: "once" };

const callOf = (tool: string, input: object, session = "ses_1", call = "call_1"): GateCall => ({
  session,
  call,
  tool,
  input: { ...input },
});
const WRITE = callOf("write", { filePath: "/work/a" });
const OUTSIDE = callOf("write", { filePath: "/etc/a" });

type Told = IntentSignal | PermissionSignal;

/** A guard whose session says what the test wants, and its words. */
function guarded(more: Partial<GuardOptions> = {}): { guard: CallGuard; told: Told[]; refused: string[] } {
  const told: Told[] = [];
  const refused: string[] = [];
  const guard = new CallGuard({
    directory: "/work",
    isOpen: () => true,
    isComing: () => false,
    keyOf: ({ call }) => `prt_${call}`,
    refused: ({ call }) => void refused.push(call),
    say: (_, signal) => void told.push(signal as Told),
    ...more,
  });
  return { guard, told, refused };
}

/** The ask that was told last. */
const last = (told: readonly Told[]): string => told.at(-1)?.ask ?? "";

describe("a call at the gate", { concurrency: true }, () => {
  test("is made when no rule objects", async () => {
    const { guard, told, refused } = guarded();
    const answer = guard.hear(WRITE);
    const [intent] = told;
    assert.equal(intent?.type, "intent");
    assert.equal(intent?.call, "prt_call_1");
    assert.deepEqual(intent?.patterns, ["a"]);
    assert.ok(guard.decide(last(told), "go"));
    assert.equal(await answer, undefined);
    assert.deepEqual(refused, []);
    assert.ok(!guard.decide(last(told), "go"), "it is known no more");
  });

  test("is made at once when no rule can be about it", async () => {
    const { guard, told } = guarded({ isOpen: () => false });
    assert.equal(await guard.hear(callOf("invalid", {})), undefined);
    assert.deepEqual(told, []);
  });

  for (const tool of ["question", "plan_enter", "plan_exit"])
    test(`of ${tool}, which asks a person by itself, is denied by a rule, and nobody is asked twice`, async () => {
      const { guard, told, refused } = guarded();
      const denied = guard.hear(callOf(tool, {}));
      assert.deepEqual([told.at(-1)?.type, told.at(-1)?.action], ["intent", tool]);
      guard.answer(last(told), { kind: "permission", outcome: "reject", feedback: "a rule" });
      assert.equal(await denied, "a rule");
      assert.deepEqual(refused, ["call_1"]);
      const asked = guard.hear(callOf(tool, {}));
      assert.ok(guard.decide(last(told), "ask"));
      assert.equal(await asked, undefined);
      assert.deepEqual(
        told.map(({ type }) => type),
        ["intent", "intent"],
      );
    });

  test("is looked at for each of its permissions", async () => {
    const { guard, told } = guarded();
    const answer = guard.hear(OUTSIDE);
    guard.decide(last(told), "go");
    guard.decide(last(told), "go");
    assert.equal(await answer, undefined);
    assert.deepEqual(
      told.map(({ action }) => action),
      ["external_directory", "edit"],
    );
    assert.equal(new Set(told.map(({ ask }) => ask)).size, 2);
  });

  test("waits for a person, by a key of its own", async () => {
    const { guard, told } = guarded();
    const answer = guard.hear(WRITE);
    guard.decide(last(told), "ask");
    assert.deepEqual(
      told.map(({ type }) => type),
      ["intent", "permission"],
    );
    assert.notEqual(told[0]?.ask, told[1]?.ask);
    assert.deepEqual(guard.answer(last(told), ONCE), { session: "ses_1", isLastWord: false });
    assert.equal(await answer, undefined);
  });

  const refusals: [what: string, answer: Answer, why: RegExp, isLastWord: boolean][] = [
    ["without a word", { kind: "permission", outcome: "reject" }, /denies/, true],
    ["with words", { kind: "permission", outcome: "reject", feedback: "use b" }, /^use b$/, false],
    ["with words, and is to stop", { kind: "permission", outcome: "reject", feedback: "no", stop: true }, /^no$/, true],
  ];
  for (const [what, given, why, isLastWord] of refusals)
    test(`is refused ${what}`, async () => {
      const { guard, told, refused } = guarded();
      const answer = guard.hear(WRITE);
      assert.deepEqual(guard.answer(last(told), given), { session: "ses_1", isLastWord });
      assert.match((await answer) ?? "", why);
      assert.deepEqual(refused, ["call_1"]);
    });

  test("that is refused for good takes the others of its session with it", async () => {
    const { guard, told, refused } = guarded();
    const first = guard.hear(WRITE);
    const second = guard.hear({ ...WRITE, call: "call_2" });
    const other = guard.hear({ ...WRITE, session: "ses_2", call: "call_3" });
    guard.answer(told[0]?.ask ?? "", { kind: "permission", outcome: "reject" });
    assert.match((await first) ?? "", /denies/);
    assert.match((await second) ?? "", /over/);
    assert.deepEqual(refused, ["call_1", "call_2"]);
    guard.decide(told[2]?.ask ?? "", "go");
    assert.equal(await other, undefined);
  });

  test("is told without its key where the program does not tell of it", async () => {
    const { guard, told } = guarded({ keyOf: () => undefined });
    const answer = guard.hear(WRITE);
    await eventually("it was told", () => told.length > 0);
    assert.ok(!("call" in (told[0] ?? {})));
    guard.decide(last(told), "go");
    assert.equal(await answer, undefined);
  });

  test("waits for its key", async () => {
    let key: string | undefined;
    const { guard, told } = guarded({ keyOf: () => key });
    const answer = guard.hear(WRITE);
    key = "prt_late";
    await eventually("it was told", () => told.length > 0);
    assert.equal(told[0]?.call, "prt_late");
    guard.decide(last(told), "go");
    await answer;
  });

  test("after the turn's end is refused", async () => {
    const { guard, told, refused } = guarded({ isOpen: () => false });
    assert.match((await guard.hear(WRITE)) ?? "", /over/);
    assert.deepEqual(told, []);
    assert.deepEqual(refused, ["call_1"]);
  });

  test("of a sub-agent of which nothing was told yet waits for its turn", async () => {
    let isCome = false;
    const { guard, told } = guarded({
      isOpen: () => isCome,
      isComing: () => !isCome,
      keyOf: () => (isCome ? "prt_1" : undefined),
    });
    const answer = guard.hear(WRITE);
    // Longer than a call of an open turn waits for its key.
    await staysSo("nothing told", () => told.length === 0, 800);
    isCome = true;
    await eventually("it was told", () => told.length > 0);
    guard.decide(last(told), "go");
    assert.equal(await answer, undefined);
  });

  test("is refused when the turn ends, also before it was told", async () => {
    const { guard, told } = guarded({ keyOf: ({ call }) => (call === "call_1" ? "prt_1" : undefined) });
    const asked = guard.hear(WRITE);
    const unknown = guard.hear({ ...WRITE, call: "call_2" });
    guard.over("ses_2");
    guard.over("ses_1");
    // The next turn of the session is open by then.
    assert.match((await asked) ?? "", /over/);
    assert.match((await unknown) ?? "", /over/);
    assert.equal(told.length, 1);
    assert.ok(!guard.decide(last(told), "go"));
    assert.equal(guard.answer(last(told), ONCE), undefined);
  });

  test("is refused when all is over", async () => {
    const { guard } = guarded();
    const answers = [guard.hear(WRITE), guard.hear({ ...WRITE, session: "ses_2" })];
    guard.refuseAll();
    for (const answer of answers) assert.match((await answer) ?? "", /over/);
  });
});

describe("what a person allowed at the gate", () => {
  const line = callOf("bash", { command: "git push" });
  const asks = (action: string, command?: string): PermissionSignal => ({
    type: "permission",
    ask: "per_1",
    action,
    ...(command === undefined ? {} : { command }),
  });

  test("is not asked once more by the program, for that call and once", async () => {
    const { guard, told } = guarded();
    const answer = guard.hear(line);
    guard.decide(last(told), "ask");
    guard.answer(last(told), { kind: "permission", outcome: "always" });
    await answer;
    assert.ok(!guard.hasAllowed(asks("bash", "git push -f"), "call_1"));
    assert.ok(!guard.hasAllowed(asks("edit"), "call_1"));
    assert.ok(!guard.hasAllowed(asks("bash", "git push"), "call_2"));
    assert.ok(!guard.hasAllowed(asks("bash", "git push"), undefined));
    assert.ok(guard.hasAllowed(asks("bash", "git push"), "call_1"));
    assert.ok(!guard.hasAllowed(asks("bash", "git push"), "call_1"));
  });

  test("is not what a rule let pass", async () => {
    const { guard, told } = guarded();
    const answer = guard.hear(line);
    guard.decide(last(told), "go");
    await answer;
    assert.ok(!guard.hasAllowed(asks("bash", "git push"), "call_1"));
  });

  test("is forgotten when it is too much", async () => {
    const { guard, told } = guarded();
    for (let count = 0; count <= 1_000; count++) {
      const answer = guard.hear({ ...line, call: `call_${count}` });
      guard.answer(last(told), ONCE);
      await answer;
    }
    assert.ok(!guard.hasAllowed(asks("bash", "git push"), "call_0"));
    assert.ok(guard.hasAllowed(asks("bash", "git push"), "call_1000"));
  });
});
