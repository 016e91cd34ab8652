import assert from "node:assert/strict";
import { test } from "node:test";
import { busy, permission, question, requested, resolved } from "./asking.ts";
import { rig } from "./rig.ts";

for (const [policy, outcome] of [
  ["deny", "reject"],
  ["allow", "once"],
] as const) {
  test(`with nobody attached, ${policy} answers a permission at once`, async (t) => {
    const r = await rig(t, { unattended: policy });
    const { id, session } = await busy(r);
    session.say(permission);
    await r.fake.answered(1);
    const event = await r.until(id, resolved);
    assert.deepEqual(event.type === "permission.resolved" && [event.data.outcome, event.data.by], [outcome, "policy"]);
  });
}

test("with nobody attached, an ask waits for its deadline and is then rejected", async (t) => {
  const r = await rig(t, { askDeadlineMs: 20 });
  const { id, session } = await busy(r);
  session.say(question);
  const event = await r.until(id, resolved);
  assert.deepEqual(event.type === "question.resolved" && [event.data.outcome, event.data.by], ["rejected", "deadline"]);
});

test("an allowing policy never answers a question", async (t) => {
  const r = await rig(t, { unattended: "allow", askDeadlineMs: 20 });
  const { id, session } = await busy(r);
  session.say(question);
  const event = await r.until(id, resolved);
  assert.deepEqual(event.type === "question.resolved" && [event.data.outcome, event.data.by], ["rejected", "deadline"]);
});

test("while a client is attached nothing is answered for it; when the last one leaves, the policy is", async (t) => {
  const r = await rig(t, { unattended: "deny" });
  const { id, session } = await busy(r);
  const leave = r.gateway.attachments.attach(null);
  session.say(permission);
  await r.until(id, requested);
  assert.equal((await r.gateway.asks(id)).length, 1);
  leave();
  const event = await r.until(id, resolved);
  assert.equal(event.type === "permission.resolved" && event.data.by, "policy");
});

const unattended: [policy: "allow" | "deny", offered: "once" | "always", outcome: string][] = [
  ["allow", "always", "reject"],
  ["deny", "once", "reject"],
];

for (const [policy, kind, outcome] of unattended) {
  test(`with nobody attached, ${policy} resolves an ask that offers ${kind} alone by ${outcome}`, async (t) => {
    const r = await rig(t, { unattended: policy });
    const { id, session } = await busy(r);
    session.say({ ...permission, options: [{ id: "x", kind }] });
    const event = await r.until(id, resolved);
    assert.equal(event.type === "permission.resolved" && event.data.outcome, outcome);
    await r.fake.answered(1);
  });
}
