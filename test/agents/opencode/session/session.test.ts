import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { PermissionRule } from "../../../../src/core/events/values.ts";
import { type Fields, textIn } from "../../../../src/core/json/fields.ts";
import { eventually } from "../../../support/eventually.ts";
import { CUT, Otherwise } from "../stand-in.ts";
import { ID, Stage, words } from "./stage.ts";

const GROUP = { concurrency: true };

const user = (id: string): Fields => ({ info: { id, role: "user", sessionID: ID }, parts: [] });
const answer = (id: string, parentID: string): Fields => {
  const time = { created: 1, completed: 2 };
  return { info: { id, role: "assistant", sessionID: ID, parentID, time, finish: "stop" }, parts: [] };
};

describe("a prompt", GROUP, () => {
  test("that is stopped before it was given is never given", async (t) => {
    const stage = await Stage.open(t);
    const held = Promise.withResolvers<void>();
    stage.assertHarmless = () => held.promise;
    const prompted = stage.session.prompt(words("Delete everything"));
    await eventually("the turn began", () => stage.of("turn.begun").length > 0);
    await stage.session.cancel();
    assert.equal((await stage.ended()).reason, "cancelled");
    held.resolve();
    await prompted;
    assert.equal(stage.stand.of("POST /session/:/prompt_async").length, 0);
  });

  test("to shorten the conversation that is stopped before it was given is never given", async (t) => {
    const stage = await Stage.open(t, { model: "fake/m" });
    const held = Promise.withResolvers<void>();
    stage.assertHarmless = () => held.promise;
    const asked = stage.session.compact();
    await eventually("the turn began", () => stage.of("turn.begun").length > 0);
    await stage.session.cancel();
    assert.equal((await stage.ended()).reason, "cancelled");
    held.resolve();
    await asked;
    // It would have come before this one.
    await stage.session.prompt(words("Hi"));
    await stage.given();
    assert.equal(stage.stand.of("POST /session/:/summarize").length, 0);
  });

  test("that is the first of a new session is given without a look at what nobody can have begun", async (t) => {
    const stage = await Stage.open(t);
    await stage.session.prompt(words("Hi"));
    await stage.given();
    const looks = ["GET /permission", "GET /question", "GET /session/status", "GET /session/:/message"];
    assert.deepEqual(
      looks.filter((route) => stage.stand.of(route).length > 0),
      [],
    );
  });

  test("that the program refuses ends its turn", async (t) => {
    const stage = await Stage.open(t);
    stage.stand.on("POST /session/:/prompt_async", new Otherwise(400, { data: { message: "no such thing" } }));
    await stage.session.prompt(words("Hi"));
    const { reason, error } = await stage.ended();
    assert.equal(reason, "error");
    assert.match(error?.message ?? "", /no such thing/);
  });

  test("that is refused in the middle of a turn does not end it", async (t) => {
    const stage = await Stage.open(t);
    await stage.session.prompt(words("Hi"));
    const first = await stage.given();
    stage.busy();
    stage.stand.on("POST /session/:/prompt_async", new Otherwise(400, { data: { message: "no such thing" } }));
    await stage.session.steer(words("More"));
    await eventually("it was told", () => stage.of("note").length > 0);
    assert.match(stage.of("note")[0]?.text ?? "", /no such thing/);
    assert.equal(stage.of("turn.finished").length, 0);
    stage.messages = [user(first), answer(`${first}1`, first)];
    stage.idle();
    assert.equal((await stage.ended()).reason, "end_turn");
  });

  test("that was given although its answer was lost is not given twice", async (t) => {
    const stage = await Stage.open(t);
    stage.stand.on("POST /session/:/prompt_async", ({ body }: { body: { messageID: string } }) => {
      stage.messages = [user(body.messageID)];
      stage.busy();
      return CUT;
    });
    await stage.session.prompt(words("Hi"));
    assert.equal(stage.stand.of("POST /session/:/prompt_async").length, 1);
    assert.equal(stage.of("turn.finished").length, 0);
  });

  for (const [how, lost] of Object.entries({ cut: CUT, "lost by a proxy": new Otherwise(502, "bad gateway") }))
    test(`is given once more where the program did not get it: ${how}`, async (t) => {
      const stage = await Stage.open(t);
      let tries = 0;
      stage.stand.on("POST /session/:/prompt_async", () => (++tries === 1 ? lost : new Otherwise(204, "")));
      await stage.session.prompt(words("Hi"));
      const [first, second, ...more] = stage.stand.of("POST /session/:/prompt_async");
      assert.deepEqual([first?.body, more], [second?.body, []]);
      assert.equal(stage.of("turn.finished").length, 0);
    });

  test("whose command runs longer than a proxy waits goes on", async (t) => {
    const stage = await Stage.open(t);
    const late = Promise.withResolvers<Otherwise>();
    stage.stand.on("POST /session/:/command", () => late.promise);
    await stage.session.prompt(words("/review this"));
    await eventually("it was called", () => stage.stand.of("POST /session/:/command").length > 0);
    const [called] = stage.stand.of("POST /session/:/command");
    const id = textIn(called?.body as Fields, "messageID") ?? "";
    stage.busy();
    await eventually("it works", () => stage.of("status").length > 0);
    const looks = stage.stand.of("GET /session/status").length;
    late.resolve(new Otherwise(504, "<html>", { "content-type": "text/html" }));
    await eventually("it is looked at", () => stage.stand.of("GET /session/status").length > looks);
    assert.equal(stage.of("turn.finished").length, 0);
    stage.messages = [user(id), answer(`${id}1`, id)];
    stage.idle();
    assert.equal((await stage.ended()).reason, "end_turn");
  });

  test("that names a command of the program's is one", async (t) => {
    const stage = await Stage.open(t);
    stage.stand.on("POST /session/:/command", {});
    await stage.session.prompt(words("/review this"));
    await eventually("it was called", () => stage.stand.of("POST /session/:/command").length > 0);
    await stage.session.prompt(words("/etc is a directory"));
    await stage.given();
  });

  test("in a directory that is not harmless any more is refused", async (t) => {
    const stage = await Stage.open(t);
    stage.assertHarmless = async () => {
      throw new Error("a plugin came");
    };
    await stage.session.prompt(words("Hi"));
    assert.match((await stage.ended()).error?.message ?? "", /a plugin came/);
    await stage.session.compact();
    assert.match((await stage.ended(2)).error?.message ?? "", /a plugin came/);
    assert.equal(stage.stand.of("POST /session/:/summarize").length, 0);
  });
});

describe("rules that a server cannot be made to ask about", GROUP, () => {
  const rules = (): PermissionRule[] => [{ action: "bash", pattern: "rm *", verdict: "deny" }];
  const notes = (stage: Stage): (string | undefined)[] => stage.of("note").map(({ code }) => code);

  test("are told as such on a server of the user's, once", async (t) => {
    const stage = await Stage.open(t, { rules, hasRules: () => true }, false);
    for (const turn of [1, 2]) {
      await stage.session.prompt(words("Hi"));
      await stage.given(turn);
      await stage.session.cancel();
      await stage.ended(turn);
    }
    assert.deepEqual(notes(stage), ["rules_in_part"]);
  });

  test("are no news where tools are taken away altogether, and where there are none", async (t) => {
    const denied: PermissionRule[] = [{ action: "bash", pattern: "*", verdict: "deny" }];
    for (const given of [denied, []]) {
      const stage = await Stage.open(t, { rules: () => given, hasRules: () => given.length > 0 }, false);
      await stage.session.prompt(words("Hi"));
      await stage.given();
      assert.deepEqual(notes(stage), []);
    }
  });
});

describe("an answer", GROUP, () => {
  const request = { id: "per_1", sessionID: ID, permission: "edit", patterns: ["a"], metadata: {} };

  async function asked(t: TestContext): Promise<Stage> {
    const stage = await Stage.open(t);
    await stage.session.prompt(words("Hi"));
    await stage.given();
    stage.busy();
    stage.permissions = [request];
    stage.stand.send("permission.asked", request);
    await eventually("it was asked", () => stage.of("permission").length > 0);
    return stage;
  }

  test("allows a call once, whatever was allowed", async (t) => {
    const stage = await asked(t);
    await stage.session.answer("per_1", { kind: "permission", outcome: "always" });
    assert.deepEqual(
      stage.stand.of("POST /permission/per_1/reply").map(({ body }) => body),
      [{ reply: "once" }],
    );
  });

  test("that comes while the turn is being stopped refuses", async (t) => {
    const stage = await asked(t);
    const held = Promise.withResolvers<boolean>();
    stage.stand.on("POST /session/:/abort", () => held.promise);
    const cancelled = stage.session.cancel();
    await eventually("it is being stopped", () => stage.stand.of("POST /session/:/abort").length > 0);
    await stage.session.answer("per_1", { kind: "permission", outcome: "once" });
    assert.deepEqual(
      stage.stand.of("POST /permission/per_1/reply").map(({ body }) => body),
      [{ reply: "reject", message: "the turn is over" }],
    );
    held.resolve(true);
    await cancelled;
  });

  test("is said again until the program has heard it", async (t) => {
    const stage = await asked(t);
    let tries = 0;
    stage.stand.on("POST /permission/:/reply", () => (++tries < 6 ? CUT : true));
    await stage.session.answer("per_1", { kind: "permission", outcome: "once" });
    assert.equal(tries, 6);
  });
});

describe("a session that is resumed", GROUP, () => {
  const request = { id: "per_1", sessionID: ID, permission: "edit", patterns: ["a"], metadata: {} };

  async function resumed(t: TestContext, isBusy: boolean): Promise<Stage> {
    const stage = await Stage.open(t);
    stage.messages = [user("msg_1")];
    stage.permissions = [request];
    if (isBusy) stage.statuses[ID] = { type: "busy" };
    const second = stage.start({ resume: ID });
    t.after(() => second.kill(0));
    await second.ready();
    return stage;
  }

  test("is rid of asks that a turn left behind", async (t) => {
    const stage = await resumed(t, false);
    assert.deepEqual(
      stage.stand.of("POST /permission/per_1/reply").map(({ body }) => body),
      [{ reply: "reject" }],
    );
  });

  test("leaves the asks of another client's turn alone, and tells of them", async (t) => {
    const stage = await resumed(t, true);
    await eventually("it was told", () => stage.of("permission").length > 0);
    assert.equal(stage.stand.of("POST /permission/per_1/reply").length, 0);
  });
});

describe("a session", GROUP, () => {
  test("that is closed gives its server back and says so, once", async (t) => {
    const stage = await Stage.open(t);
    assert.equal(stage.leases, 1);
    await Promise.all([stage.session.close(), stage.session.close()]);
    await stage.session.kill(0);
    assert.equal(stage.leases, 0);
    assert.equal(stage.of("exited").length, 1);
    await stage.session.prompt(words("Hi"));
    await stage.session.cancel();
    await stage.session.answer("per_1", { kind: "permission", outcome: "once" });
    await stage.session.set({ model: "nonsense" });
    assert.equal(stage.stand.of("POST /session/:/prompt_async").length, 0);
  });

  test("that cannot be opened says why, and gives its server back", async (t) => {
    const stage = await Stage.open(t);
    stage.stand.on("POST /session", new Otherwise(500, { data: { message: "the disk is full" } }));
    await assert.rejects(stage.start().ready(), /the disk is full/);
    await eventually("the lease is back", () => stage.leases === 1);
  });

  test("refuses a model without a provider, and another mode in the middle of a turn", async (t) => {
    const stage = await Stage.open(t);
    await assert.rejects(stage.session.set({ model: "opus" }), /provider\/name/);
    await stage.session.prompt(words("Hi"));
    await assert.rejects(stage.session.set({ mode: "plan" }), /in the middle of a turn/);
    await stage.session.set({ model: "fake/m" });
  });
});
