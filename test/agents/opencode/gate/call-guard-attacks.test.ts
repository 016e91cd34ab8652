import assert from "node:assert/strict";
import { test } from "node:test";
import { CallGuard } from "../../../../src/agents/opencode/gate/call-guard.ts";
import type { Signal } from "../../../../src/core/ledger/signals.ts";

const ONCE = { kind: "permission", outcome: "once" } as const;

/** A guard of a session whose turn can be stopped, with what it says. */
function guarded() {
  const said: { type: string; ask: string }[] = [];
  const state = { open: true };
  const guard = new CallGuard({
    directory: "/project",
    isOpen: () => state.open,
    isComing: () => false,
    keyOf: ({ call }) => call,
    refused() {},
    say: (_session, signal: Signal) => {
      if (signal.type === "intent" || signal.type === "permission") said.push({ type: signal.type, ask: signal.ask });
    },
  });
  const hear = (call: string, filePath = "a.txt") =>
    guard.hear({ session: "s", call, tool: "write", input: { filePath } });
  const last = (): string => said.at(-1)?.ask ?? "";
  return { guard, state, said, hear, last };
}

test("a call goes on when no rule objects, or when a person allows it", async () => {
  const { guard, hear, last, said } = guarded();
  const first = hear("one");
  guard.decide(last(), "go");
  assert.equal(await first, undefined);
  const second = hear("two");
  guard.decide(last(), "ask");
  guard.answer(last(), ONCE);
  assert.equal(await second, undefined);
  assert.deepEqual(
    said.map(({ type }) => type),
    ["intent", "intent", "permission"],
  );
});

test("nothing that comes after a stop lets a call go: neither a rule, nor a person, nor a new call", async () => {
  for (const late of ["go", "once", "two permissions"] as const) {
    const { guard, state, hear, last } = guarded();
    const waiting = hear("one", late === "two permissions" ? "/elsewhere/a.txt" : "a.txt");
    if (late === "once") guard.decide(last(), "ask");
    state.open = false;
    if (late === "once") guard.answer(last(), ONCE);
    else guard.decide(last(), "go");
    assert.equal(await waiting, "the turn is over", late);
    assert.equal(await hear("two"), "the turn is over");
  }
});

test("a refusal that ends the turn refuses the other calls that wait, too", async () => {
  const { guard, hear, said } = guarded();
  const [first, second] = [hear("one"), hear("two")];
  const [one, two] = said;
  const answered = guard.answer(one?.ask ?? "", { kind: "permission", outcome: "reject" });
  assert.deepEqual(answered, { session: "s", isLastWord: true });
  assert.equal(guard.answer(two?.ask ?? "", ONCE), undefined);
  assert.deepEqual([await first, await second], ["a rule of this session denies it", "the turn is over"]);
});

test("a refusal with words leaves the other calls that wait", async () => {
  const { guard, hear, said } = guarded();
  const [first, second] = [hear("one"), hear("two")];
  const [one, two] = said;
  guard.answer(one?.ask ?? "", { kind: "permission", outcome: "reject", feedback: "not so" });
  guard.decide(two?.ask ?? "", "go");
  assert.deepEqual([await first, await second], ["not so", undefined]);
});

test("a call that cannot be read is refused", async () => {
  const { guard, said } = guarded();
  const call = { session: "s", call: "c", tool: "apply_patch", input: { patchText: "nothing" } };
  assert.match((await guard.hear(call)) ?? "", /which files/);
  assert.deepEqual(said, []);
});
