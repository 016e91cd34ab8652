import assert from "node:assert/strict";
import { test } from "node:test";
import type { Session } from "../../../../src/surfaces/opencode/shapes/session.ts";
import { playing, say } from "../../../agents/house/support.ts";
import { textsOf, turnRig } from "../turn-rig.ts";

test("a fork has the messages before the one it is given, under ids of its own that sort as they were said", async (t) => {
  const { model } = playing(say("One."), say("Two."), say("Three."));
  const made = await turnRig(t, { model });
  const tell = (text: string, messageID: string): Promise<unknown> =>
    made.post(`/session/${made.session}/message`, { messageID, parts: [{ type: "text", text }] });
  await tell("first", "msg_a1");
  await tell("second", "msg_a2");
  const fork = await made.post<Session>(`/session/${made.session}/fork`, { messageID: "msg_a2" });
  assert.equal(fork.directory, made.work);
  assert.equal(fork.title, "first (fork #1)");
  const messages = await made.messages(fork.id);
  assert.deepEqual(messages.flatMap(textsOf), ["first", "One."]);
  const ids = messages.map(({ info }) => info.id);
  assert.deepEqual(ids, ids.toSorted());
  assert.ok(messages.every(({ info, parts }) => parts.every((part) => part.messageID === info.id)));
  const all = await made.post<Session>(`/session/${made.session}/fork`, {});
  assert.deepEqual((await made.messages(all.id)).flatMap(textsOf), ["first", "One.", "second", "Two."]);
  await made.post(`/session/${all.id}/message`, { parts: [{ type: "text", text: "third" }] });
  assert.deepEqual((await made.messages(all.id)).flatMap(textsOf).slice(-2), ["third", "Three."]);
  assert.deepEqual((await made.messages()).length, 4);
});

test("a session that cannot be forked is refused with a named error", async (t) => {
  const made = await turnRig(t);
  for (const [path, body] of [
    [`/session/${made.session}/fork`, { messageID: "msg_none" }],
    ["/session/ses_none/fork", {}],
    ["/session/abc/fork", {}],
  ] as const) {
    const reply = await made.client.call<{ name: string }>("POST", path, { body });
    assert.deepEqual([reply.status, reply.body.name], [404, "NotFoundError"]);
  }
  await made.post(`/session/${made.session}/fork`, { messageID: 1 }, 400);
});
