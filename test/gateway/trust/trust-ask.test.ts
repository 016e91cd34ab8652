import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { ParleyEvent } from "../../../src/core/events/event.ts";
import type { Answer, Signal } from "../../../src/core/ledger/signals.ts";
import { Attachments } from "../../../src/gateway/attachments.ts";
import { TrustAsk } from "../../../src/gateway/trust/trust-ask.ts";
import { TrustStore } from "../../../src/server/trust/trust-store.ts";
import { temporary } from "../../support/server.ts";
import { requested, resolved } from "../asking.ts";
import { answering } from "../fake-agent.ts";
import { ended, type Rig, rig, text } from "../rig.ts";

interface AskRig extends Rig {
  store: TrustStore;
  work: string;
  session: string;
  /** The client that watches leaves. */
  leave(): void;
  /** Gives a prompt whose client can answer, and resolves when its turn is over. */
  turn(extra?: object): Promise<ParleyEvent>;
  /** Resolves with the id of the ask, once it was asked. */
  asked(): Promise<string>;
}

async function askRig(t: TestContext, watched = true): Promise<AskRig> {
  const work = await temporary(t);
  const store = new TrustStore({ file: join(await temporary(t), "trusted"), configured: [] });
  const made = await rig(t, { trust: store });
  made.fake.onPrompt = answering;
  made.fake.settings = [{ path: ".fake.json", keys: ["hooks.start"] }];
  const { id: session } = await made.gateway.create({ directory: work });
  const leave = watched ? made.gateway.attachments.attach(session) : () => {};
  t.after(leave);
  return {
    ...made,
    store,
    work,
    session,
    leave,
    async turn(extra = { attended: true }) {
      const { turn } = await made.gateway.prompt(session, text("hello", extra));
      return made.until(session, (event) => ended(event) && event.turn === turn);
    },
    async asked() {
      const event = await made.until(session, requested);
      assert.ok(event.type === "question.requested");
      assert.equal(event.data.kind, "trust");
      assert.match(
        event.data.questions[0]?.question ?? "",
        /brings settings .*: \.fake\.json \(hooks\.start\)\. Trust it/,
      );
      return event.data.ask;
    },
  };
}

const yes: Answer = { kind: "question", outcome: "answered", answers: [["Trust this project"]] };
const no: Answer = { kind: "question", outcome: "answered", answers: [["Leave them out"]] };
const reason = (event: ParleyEvent): string => (event.type === "turn.ended" ? event.data.reason : event.type);
const notes = (events: readonly ParleyEvent[]): unknown[] =>
  events.filter((event) => event.type === "item.completed" && event.data.item.kind === "status");

test("a yes trusts the project before the agent starts, and nothing is left out or asked again", async (t) => {
  const r = await askRig(t);
  const turn = r.turn();
  const ask = await r.asked();
  assert.equal(r.fake.starts.length, 0, "nothing starts before the answer");
  await r.gateway.answer(r.session, ask, yes, "person");
  assert.equal(reason(await turn), "end_turn");
  assert.equal(r.store.covering(r.work), r.work);
  assert.equal(r.fake.last.options.trusted, true);
  await r.turn();
  const events = await r.assertLawful(r.session);
  assert.deepEqual([events.filter(requested).length, notes(events).length, r.fake.starts.length], [1, 0, 1]);
});

const refusals: [what: string, answer: Answer][] = [
  ["a no", no],
  ["a rejection", { kind: "question", outcome: "rejected" }],
];

for (const [what, answer] of refusals) {
  test(`${what} leaves the settings out, says so, and is not asked for again in this session`, async (t) => {
    const r = await askRig(t);
    const turn = r.turn();
    await r.gateway.answer(r.session, await r.asked(), answer, "person");
    assert.equal(reason(await turn), "end_turn");
    await r.turn();
    assert.equal(r.fake.last.options.trusted, false);
    assert.equal(r.store.covering(r.work), undefined);
    const events = await r.assertLawful(r.session);
    assert.deepEqual([events.filter(requested).length, notes(events).length], [1, 1]);
  });
}

for (const [what, stopsAgent, label] of [
  ["leaves them out", undefined, "Leave them out"],
  ["does not start", true, "Do not start the agent"],
] as const) {
  test(`the answer without trust says that the agent ${what}`, async (t) => {
    const r = await askRig(t);
    r.fake.settings = [{ path: ".fake.json", keys: ["hooks.start"], ...(stopsAgent && { stopsAgent }) }];
    const turn = r.turn();
    const ask = await r.asked();
    const event = await r.until(r.session, requested);
    assert.ok(event.type === "question.requested");
    assert.equal(event.data.questions[0]?.options[0]?.label, label);
    const answer: Answer = { kind: "question", outcome: "answered", answers: [[label]] };
    await r.gateway.answer(r.session, ask, answer, "person");
    await turn;
  });
}

const unasked: [what: string, watched: boolean, extra: object, prepare: (r: AskRig) => Promise<unknown>][] = [
  ["nobody watches", false, { attended: true }, async () => {}],
  ["the client does not say that it can answer", true, {}, async () => {}],
  ["the directory is trusted", true, { attended: true }, async (r) => r.store.add(r.work)],
  ["the project brings nothing", true, { attended: true }, async ({ fake }) => fake.settings.splice(0)],
];

for (const [what, watched, extra, prepare] of unasked) {
  test(`nobody is asked where ${what}`, async (t) => {
    const r = await askRig(t, watched);
    await prepare(r);
    assert.equal(reason(await r.turn(extra)), "end_turn");
    assert.equal((await r.assertLawful(r.session)).filter(requested).length, 0);
  });
}

test("rules that deny questions answer it: a program that cannot answer is not held up", async (t) => {
  const r = await askRig(t);
  await r.gateway.update(r.session, { permissions: [{ action: "question", pattern: "*", verdict: "deny" }] });
  assert.equal(reason(await r.turn()), "end_turn");
  assert.equal(r.fake.last.options.trusted, false);
  await r.assertLawful(r.session);
});

test("when the last client leaves, the turn goes on without trust", async (t) => {
  const r = await askRig(t);
  const turn = r.turn();
  await r.asked();
  r.leave();
  assert.equal(reason(await turn), "end_turn");
  assert.equal(r.fake.last.options.trusted, false);
  const events = await r.assertLawful(r.session);
  const end = events.find(resolved);
  assert.equal(end?.type === "question.resolved" && end.data.outcome, "cancelled");
});

test("a cancel at the question ends the turn, and no agent is started for it", async (t) => {
  const r = await askRig(t);
  const turn = r.turn();
  await r.asked();
  await r.gateway.cancel(r.session, { queue: "clear" });
  assert.equal(reason(await turn), "cancelled");
  assert.equal(r.fake.starts.length, 0);
  await r.assertLawful(r.session);
});

test("a shutdown at the question interrupts the turn", async (t) => {
  const r = await askRig(t);
  const turn = r.turn();
  await r.asked();
  await r.gateway.shutdown();
  assert.equal(reason(await turn), "interrupted");
  assert.equal(r.fake.starts.length, 0);
  await r.assertLawful(r.session);
});

test("a session that is deleted at the question is gone", async (t) => {
  const r = await askRig(t);
  await r.gateway.prompt(r.session, text("hello", { attended: true }));
  await r.asked();
  await r.gateway.remove(r.session);
  await assert.rejects(r.gateway.get(r.session), { code: "session_not_found" });
  assert.equal(r.fake.starts.length, 0);
});

test("a list that cannot be written to is said, and the turn goes on without trust", async (t) => {
  const r = await askRig(t);
  r.store.add = () => {
    throw new Error("read-only");
  };
  const turn = r.turn();
  await r.gateway.answer(r.session, await r.asked(), yes, "person");
  assert.equal(reason(await turn), "end_turn");
  assert.match(JSON.stringify(notes(await r.assertLawful(r.session))), /read-only.*trust_failed.*untrusted_project/);
});

test("a client that watches and does not answer is waited for no longer than it should", async (t) => {
  const directory = await temporary(t);
  const attachments = new Attachments();
  t.after(attachments.attach("ses_1"));
  const emitted: Signal["type"][] = [];
  const ask = new TrustAsk({
    session: "ses_1",
    directory,
    trust: new TrustStore({ configured: [] }),
    attachments,
    patienceMs: 1,
    inbox: { signal: (signal) => void emitted.push(signal.type) },
    waits: { ended: () => new Promise(() => {}) },
  });
  await ask.before("trn_1", { untrusted: true, settings: { take: async () => [{ path: "x" }] } });
  assert.deepEqual(emitted, ["question", "ask.withdrawn"]);
});

test("a prompt to an agent that runs is preceded by one look at the project, begun before it is stored", async (t) => {
  const { fake, turn, log, session } = await askRig(t);
  fake.settings = [];
  await turn();
  const looks: boolean[] = [];
  let isStored = false;
  t.after(
    log.listen(session, () => {
      isStored = true;
    }),
  );
  fake.projectSettings = async () => {
    looks.push(isStored);
    return [];
  };
  await turn();
  assert.deepEqual(looks, [false]);
});

test("the first prompt to an agent that was started ahead looks no more often", async (t) => {
  const { fake, gateway, turn, session } = await askRig(t);
  fake.settings = [];
  await gateway.work.start(session);
  let looks = 0;
  fake.projectSettings = async () => {
    looks++;
    return [];
  };
  await turn();
  assert.equal(looks, 1, "for the question, and for the note of what was left out");
});
