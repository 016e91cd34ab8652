import assert from "node:assert/strict";
import { test } from "node:test";
import { MustReopen } from "../../src/agents/contract.ts";
import { effort, type FakeSession } from "./fake-agent.ts";
import { ended, gatewayOn, type Rig, rig, text } from "./rig.ts";

const finish = (session: FakeSession): void => session.say({ type: "turn.finished", reason: "end_turn" });

async function turn(r: Rig, id: string, extra: object = {}): Promise<void> {
  const { turn } = await r.gateway.prompt(id, { ...text("go"), ...extra });
  await r.until(id, (event) => ended(event) && event.turn === turn);
}

test("options are given to the agent at its start, and a change of one before it is shown", async (t) => {
  const r = await rig(t);
  r.fake.onPrompt = finish;
  const { id, options } = await r.gateway.create({ directory: r.directory, options: { effort: "low", fast: true } });
  assert.deepEqual(options, { effort: "low", fast: true });
  await turn(r, id);
  assert.deepEqual(r.fake.last.options.options, { effort: "low", fast: true });
  assert.deepEqual(r.fake.last.choices, []);
  const { last } = r.fake;
  last.set = async (choice) => {
    last.choices.push(choice);
    assert.equal((await r.gateway.get(id)).options?.effort, "low", "it is not shown before it is in force");
  };
  assert.deepEqual((await r.gateway.update(id, { options: { effort: "high" } })).options, {
    effort: "high",
    fast: true,
  });
  assert.deepEqual(last.choices, [{ options: { effort: "high" } }]);
  last.set = async () => {
    throw new Error("not now");
  };
  await assert.rejects(r.gateway.update(id, { options: { fast: false } }), { code: "invalid", message: "not now" });
  assert.deepEqual((await r.gateway.get(id)).options, { effort: "high", fast: true });
  await r.assertLawful(id);
});

test("a prompt's options hold from its turn on, and only changes are told to the agent", async (t) => {
  const r = await rig(t);
  r.fake.onPrompt = finish;
  const { id } = await r.gateway.create({ directory: r.directory });
  await turn(r, id, { options: { effort: "high" } });
  await turn(r, id, { options: { effort: "high" } });
  await turn(r, id, { options: { effort: "low" } });
  await turn(r, id);
  assert.deepEqual(r.fake.last.choices, [{ options: { effort: "low" } }]);
  const events = await r.assertLawful(id);
  const begun = events.flatMap((event) => (event.type === "turn.started" ? [event.data.options] : []));
  assert.deepEqual(begun, [{ effort: "high" }, { effort: "high" }, { effort: "low" }, { effort: "low" }]);
});

test("an unknown option or value is refused with the ones that there are, by model and by the agent's own word", async (t) => {
  const r = await rig(t);
  const create = (extra: object): Promise<unknown> => r.gateway.create({ directory: r.directory, ...extra });
  const refused = (message: RegExp) => ({ code: "invalid", message });
  await assert.rejects(
    create({ options: { colour: "red" } }),
    refused(/no option colour; it has: fast, effort|effort, fast/),
  );
  await assert.rejects(
    create({ options: { effort: "huge" } }),
    refused(/effort .*cannot be "huge"; it can be: low, high/),
  );
  await assert.rejects(create({ options: { fast: "yes" } }), refused(/it can be: true, false/));
  await assert.rejects(create({ model: "m2", options: { effort: "high" } }), refused(/it can be: low$/));
  r.fake.onPrompt = (session) => {
    session.say({ type: "session", options: { effort: "max" }, offers: [effort("min", "max")] });
    finish(session);
  };
  const { id } = await r.gateway.create({ directory: r.directory, options: { fast: true } });
  await turn(r, id);
  const { options, offers } = await r.gateway.get(id);
  assert.deepEqual(
    [options, offers],
    [{ effort: "max" }, [effort("min", "max")]],
    "an option that is gone is not in force",
  );
  await assert.rejects(r.gateway.update(id, { options: { effort: "high" } }), refused(/it can be: min, max/));
  assert.deepEqual((await r.gateway.update(id, { options: { effort: "min" } })).options, { effort: "min" });
  await assert.rejects(
    r.gateway.prompt(id, { ...text("go"), options: { fast: true } }),
    refused(/no option fast; it has: effort/),
  );
});

test("an option that only a new start can have brings one, and a queued prompt waits with its own", async (t) => {
  const r = await rig(t);
  const { id } = await r.gateway.create({ directory: r.directory, options: { effort: "low" } });
  const first = r.fake.prompted();
  await r.gateway.prompt(id, text("one"));
  const session = await first;
  session.set = async () => {
    throw new MustReopen("the effort high");
  };
  session.say({ type: "session", nativeId: "native-1" });
  await assert.rejects(r.gateway.prompt(id, { ...text("now"), delivery: "steer", options: { effort: "high" } }), {
    code: "invalid",
    message: /options it has/,
  });
  await r.gateway.prompt(id, { ...text("two"), options: { effort: "high" } });
  assert.equal((await r.gateway.get(id)).options?.effort, "low");
  const second = r.fake.prompted();
  finish(session);
  const anew = await second;
  assert.notEqual(anew, session);
  assert.deepEqual([anew.options.options, anew.options.resume], [{ effort: "high" }, "native-1"]);
  finish(anew);
  await r.until(id, (event) => ended(event) && event.seq > 10);
});

test("options and limits are kept over a restart, and of them only options go with a fork", async (t) => {
  const r = await rig(t);
  r.fake.capabilities = { fork: true };
  r.fake.onPrompt = (session) => {
    session.say({ type: "session", offers: [effort("low", "high")] });
    session.say({
      type: "limits",
      limits: [
        { id: "week", used: 40, resets: 5 },
        { id: "hour", used: 1 },
      ],
    });
    session.say({ type: "limits", limits: [{ id: "week", used: 40, resets: 5 }] });
    session.say({ type: "limits", limits: [{ id: "week", used: 90, status: "warning" }] });
    finish(session);
  };
  const { id } = await r.gateway.create({ directory: r.directory, options: { effort: "high" } });
  await turn(r, id);
  const state = await r.gateway.get(id);
  assert.deepEqual(state.limits, [
    { id: "week", used: 90, status: "warning" },
    { id: "hour", used: 1 },
  ]);
  const events = await r.assertLawful(id);
  assert.equal(events.filter((event) => event.type === "session.limits").length, 2, "a repeat says nothing");
  const fork = await r.gateway.work.fork(id);
  assert.deepEqual([fork.options, fork.limits], [{ effort: "high" }, undefined]);
  await r.assertLawful(fork.id);
  await r.gateway.shutdown();
  const again = gatewayOn(r.log, r.directory, { agents: new Map([["fake", r.fake]]) });
  const { turn: next } = await again.prompt(id, text("go on"));
  await r.until(id, (event) => ended(event) && event.turn === next);
  assert.deepEqual(r.fake.last.options.options, { effort: "high" });
  assert.deepEqual((await again.get(id)).limits, state.limits);
  assert.equal(
    (await r.events(id)).filter((event) => event.type === "session.limits").length,
    4,
    "it knew what was said",
  );
  await again.shutdown();
});
