import assert from "node:assert/strict";
import { test } from "node:test";
import { type AskMode, askMode, autoAnswer } from "../../../src/cli/run/ask-policy.ts";
import { Asks } from "../../../src/cli/run/asks.ts";
import type { Person } from "../../../src/cli/run/lines.ts";
import { View } from "../../../src/cli/run/view.ts";
import { type AskAnswer, ParleyApiError, type ParleyEvent } from "../../../src/client/index.ts";
import { event } from "./events.ts";

const plain = (_: unknown, text: string): string => text;

const asked = (ask: string): ParleyEvent =>
  event({ type: "permission.requested", data: { ask, action: "bash", patterns: ["ls"], options: [] } });

const resolved = (ask: string): ParleyEvent =>
  event({ type: "permission.resolved", data: { ask, outcome: "once", by: "other", action: "bash", patterns: ["ls"] } });

function setUp(
  ask: Person["ask"],
  answer: (ask: string, answer: AskAnswer) => Promise<void>,
  { mode = "terminal", waits = async () => true }: { mode?: AskMode; waits?: () => Promise<boolean> } = {},
) {
  let err = "";
  const write = (text: string): void => {
    err += text;
  };
  const view = new View({ write: () => {} }, { write });
  const asks = new Asks({ mode, person: { ask, tell: () => {} }, view, paint: plain, answer, waits });
  return { asks, err: () => err };
}

test("flags come before the terminal", () => {
  assert.equal(askMode({ yes: true }, true), "yes");
  assert.equal(askMode({ deny: true }, true), "deny");
  assert.equal(askMode({}, true), "terminal");
  assert.equal(askMode({}, false), "none");
});

test("--yes allows permissions once and answers no question", () => {
  assert.equal(autoAnswer("permission", "yes")?.answer, "once");
  assert.deepEqual(autoAnswer("question", "yes")?.answer, {
    outcome: "rejected",
    feedback: "--yes answers no questions",
  });
  assert.match(autoAnswer("permission", "none")?.note ?? "", /rejected: there is no terminal.*--yes/);
  assert.equal(autoAnswer("permission", "terminal"), undefined);
});

test("--yes gives what is offered", () => {
  assert.equal(autoAnswer("permission", "yes", ["once", "always", "reject"])?.answer, "once");
  assert.equal(autoAnswer("permission", "yes", ["always", "reject"])?.answer, "always");
  assert.deepEqual(autoAnswer("permission", "yes", ["reject"])?.answer, {
    outcome: "reject",
    feedback: "it cannot be allowed",
  });
});

test("asks are put one after the other, each answered once", async () => {
  let open = 0;
  const given: string[] = [];
  const { asks } = setUp(
    async () => {
      open += 1;
      assert.equal(open, 1, "two questions at the same time");
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
      return "o";
    },
    async (ask) => void given.push(ask),
  );
  const all = ["per_1", "per_2", "per_3"];
  const done = new Promise<void>((resolve) => {
    const poll = (): unknown => (given.length === all.length ? resolve() : setImmediate(poll));
    poll();
  });
  for (const ask of all) asks.take(asked(ask));
  await done;
  assert.deepEqual(given, all);
  await asks.close();
});

test("an ask that somebody else answered is taken off the terminal", async () => {
  const given: string[] = [];
  const waiting = Promise.withResolvers<void>();
  const { asks, err } = setUp(
    (_, signal) => {
      waiting.resolve();
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
    },
    async (ask) => void given.push(ask),
  );
  asks.take(asked("per_1"));
  await waiting.promise;
  asks.take(resolved("per_1"));
  await asks.close();
  assert.deepEqual(given, []);
  assert.match(err(), /answered elsewhere/);
});

function problem(code: string, status: number): ParleyApiError {
  return new ParleyApiError(`POST http://127.0.0.1:7420/v1/${"x".repeat(200)} got ${status}`, {
    status,
    code,
    detail: `the detail of ${code}`,
    problem: {},
    retryAfterMs: undefined,
  });
}

for (const code of ["already_answered", "ask_not_found"]) {
  test(`an answer that came too late (${code}) is no failure`, async () => {
    const called = Promise.withResolvers<void>();
    const { asks, err } = setUp(
      async () => "o",
      () => {
        called.resolve();
        return Promise.reject(problem(code, 409));
      },
    );
    asks.take(asked("per_1"));
    await called.promise;
    await asks.close();
    assert.equal(err(), "");
  });
}

for (const mode of ["terminal", "yes"] as const) {
  test(`an answer that the server could not take is told of in its words, and given again (${mode})`, async () => {
    const taken = Promise.withResolvers<void>();
    let calls = 0;
    const { asks, err } = setUp(
      async () => "o",
      async () => {
        calls++;
        if (calls === 1) throw problem("disk_full", 507);
        taken.resolve();
      },
      { mode },
    );
    asks.take(asked("per_1"));
    await taken.promise;
    await asks.close();
    assert.equal(calls, 2);
    assert.match(err(), /the answer could not be given: the detail of disk_full\n/);
  });
}

test("an answer that the server will never take is given once where nobody can give another", async () => {
  const called = Promise.withResolvers<void>();
  let calls = 0;
  const { asks, err } = setUp(
    async () => assert.fail("nobody is there"),
    () => {
      calls++;
      called.resolve();
      return Promise.reject(problem("invalid", 422));
    },
    { mode: "none" },
  );
  asks.take(asked("per_1"));
  await called.promise;
  await new Promise((resolve) => setImmediate(resolve));
  await asks.close();
  assert.equal(calls, 1);
  assert.match(err(), /the detail of invalid/);
});

test("the end of input rejects", async () => {
  const given = Promise.withResolvers<AskAnswer>();
  const { asks, err } = setUp(
    async () => undefined,
    async (_, answer) => given.resolve(answer),
  );
  asks.take(asked("per_1"));
  assert.equal(await given.promise, "reject");
  await asks.close();
  assert.match(err(), /rejected: the input has ended/);
});

for (const mode of ["terminal", "none", "yes", "deny"] as const) {
  test(`an ask that a rule or an earlier always has answered is neither asked nor shown (${mode})`, async () => {
    const looked = Promise.withResolvers<void>();
    const waits = async (): Promise<boolean> => {
      looked.resolve();
      return false;
    };
    const nobody = async (): Promise<never> => assert.fail("somebody was asked, or an answer was sent");
    const { asks, err } = setUp(nobody, nobody, { mode, waits });
    asks.take(asked("per_1"));
    await looked.promise;
    await asks.close();
    assert.equal(err(), "");
  });
}

test("an ask is put when the server cannot say whether it still waits", async () => {
  const given = Promise.withResolvers<AskAnswer>();
  const { asks } = setUp(
    async () => "o",
    async (_, answer) => given.resolve(answer),
    { waits: () => Promise.reject(new Error("gone")) },
  );
  asks.take(asked("per_1"));
  assert.deepEqual(await given.promise, { outcome: "once" });
  await asks.close();
});
