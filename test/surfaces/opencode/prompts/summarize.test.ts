import assert from "node:assert/strict";
import { test } from "node:test";
import type { ParleyEvent } from "../../../../src/core/events/event.ts";
import { SessionView } from "../../../../src/surfaces/opencode/projection/session-view.ts";
import { playing, say } from "../../../agents/house/support.ts";
import { textsOf, turnRig } from "../turn-rig.ts";

const MODEL = { providerID: "house", modelID: "scripted/demo" };

test("a summary is a message that says so, and the next prompt goes on from it", async (t) => {
  const { model, asked } = playing(say("First answer."), say("The story so far."), say("Second answer."));
  const made = await turnRig(t, { model });
  const tell = (text: string): Promise<unknown> =>
    made.post(`/session/${made.session}/message`, { parts: [{ type: "text", text }] });
  await tell("first");
  assert.equal(await made.post(`/session/${made.session}/summarize`, { ...MODEL, auto: false }), true);
  const [, , request, summary] = await made.messages();
  assert.deepEqual(
    request?.parts.map((part) => (part.type === "compaction" ? part.auto : part.type === "text" && part.synthetic)),
    [false, true],
  );
  assert.ok(summary?.info.role === "assistant" && summary.info.summary === true);
  assert.deepEqual(textsOf(summary), ["The story so far."]);
  await tell("second");
  assert.doesNotMatch(JSON.stringify(asked[2]?.prompt), /First answer/);
  assert.match(JSON.stringify(asked[2]?.prompt), /The story so far.*second/s);

  const view = new SessionView(undefined);
  const events = await made.assertLawful(made.session);
  const said = events.flatMap((event: ParleyEvent) => view.apply(event).map(({ event: word }) => word.type));
  assert.equal(said.filter((type) => type === "session.compacted").length, 1);
  assert.ok(said.indexOf("session.compacted") < said.lastIndexOf("session.idle"));
  assert.equal(said.filter((type) => type === "session.idle").length, 3);
});

test("a session that cannot be summarised says so", async (t) => {
  const made = await turnRig(t, { model: playing(say("First."), say(" ")).model });
  await made.post(`/session/${made.session}/message`, { parts: [{ type: "text", text: "first" }] });
  assert.equal(await made.post(`/session/${made.session}/summarize`, MODEL), false);
  for (const [session, body, status] of [
    [made.session, {}, 400],
    [made.session, { ...MODEL, modelID: "none" }, 400],
    [made.session, { ...MODEL, providerID: "nobody" }, 400],
    ["ses_none", MODEL, 404],
  ] as const) {
    await made.post(`/session/${session}/summarize`, body, status);
  }
});
