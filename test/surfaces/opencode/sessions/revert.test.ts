import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { ParleyEvent } from "../../../../src/core/events/event.ts";
import { SessionView } from "../../../../src/surfaces/opencode/projection/session-view.ts";
import type { FileDiff, Session } from "../../../../src/surfaces/opencode/shapes/session.ts";
import { call, playing, say } from "../../../agents/house/support.ts";
import { type TurnRig, textsOf, turnRig } from "../turn-rig.ts";

async function twoTurns(made: TurnRig): Promise<void> {
  const rules = [{ permission: "*", pattern: "*", action: "allow" }];
  await made.client.expect(200, "PATCH", `/session/${made.session}`, { body: { permission: rules } });
  for (const messageID of ["msg_a1", "msg_a2"])
    await made.post(`/session/${made.session}/message`, {
      messageID,
      parts: [{ type: "text", text: `do ${messageID}` }],
    });
}

const REPLIES = [
  call("write", { path: "a.txt", content: "one\n" }, "w1"),
  say("Written."),
  call("edit", { path: "a.txt", old: "one", new: "two" }, "e1"),
  say("Changed."),
];

test("a revert shows in the session and puts files back; an unrevert takes it away", async (t) => {
  const made = await turnRig(t, { model: playing(...REPLIES).model });
  await twoTurns(made);
  const before = await made.messages();
  const reverted = await made.post<Session>(`/session/${made.session}/revert`, {
    messageID: "msg_a2",
    partID: "prt_x",
  });
  assert.deepEqual(Object.keys(reverted.revert ?? {}).toSorted(), ["diff", "messageID", "partID"]);
  assert.deepEqual([reverted.revert?.messageID, reverted.revert?.partID], ["msg_a2", "prt_x"]);
  assert.match(reverted.revert?.diff ?? "", /^-one$/m);
  assert.deepEqual((await made.info()).revert, reverted.revert);
  assert.equal(await readFile(join(made.work, "a.txt"), "utf8"), "one\n");
  assert.deepEqual(await made.messages(), before, "what was said can still be read");
  const restored = await made.post<Session>(`/session/${made.session}/unrevert`, {});
  assert.equal(restored.revert, undefined);
  assert.equal(await readFile(join(made.work, "a.txt"), "utf8"), "two\n");
});

test("after the next prompt the reverted messages are gone for every reader", async (t) => {
  const made = await turnRig(t, { model: playing(...REPLIES, say("Another way.")).model });
  await twoTurns(made);
  const gone = (await made.messages()).slice(-3).map(({ info }) => info.id);
  assert.equal(gone[0], "msg_a2");
  await made.post(`/session/${made.session}/revert`, { messageID: "msg_a2" });
  await made.post(`/session/${made.session}/message`, { parts: [{ type: "text", text: "otherwise" }] });
  const texts = (await made.messages()).flatMap(textsOf);
  assert.deepEqual(texts, ["do msg_a1", "Written.", "otherwise", "Another way."]);
  const page = await made.client.get<unknown[]>(`/session/${made.session}/message?limit=3`);
  assert.equal(page.length, 3);
  for (const id of gone) {
    const { status } = await made.client.call("GET", `/session/${made.session}/message/${id}`);
    assert.equal(status, 404, id);
  }
  assert.equal((await made.info()).revert, undefined);
  const diffs = await made.client.get<FileDiff[]>(`/session/${made.session}/diff`);
  assert.deepEqual(
    diffs.map(({ file, additions, deletions }) => [file, additions, deletions]),
    [["a.txt", 1, 0]],
  );

  // Clients that follow the session hear of it before the new turn begins.
  const events = await made.assertLawful(made.session);
  const cut = events.findIndex(({ type }) => type === "history.cut");
  const view = new SessionView(undefined);
  const said = events.map((event: ParleyEvent) => view.apply(event).map(({ event: word }) => word));
  const removed = said[cut]?.flatMap((word) => (word.type === "message.removed" ? [word.properties.messageID] : []));
  assert.deepEqual(removed, gone);
  assert.deepEqual(view.messages().flatMap(textsOf), texts);
});

test("a turn that cannot be reverted is refused with a named error", async (t) => {
  const made = await turnRig(t, { model: playing(...REPLIES).model });
  await twoTurns(made);
  const revert = (body: unknown, session = made.session) =>
    made.client.call<{ name?: string; _tag?: string; data?: { message: string } }>(
      "POST",
      `/session/${session}/revert`,
      { body },
    );
  await writeFile(join(made.work, "a.txt"), "mine\n");
  const conflict = await revert({ messageID: "msg_a2" });
  assert.equal(conflict.status, 409);
  assert.match(conflict.body.data?.message ?? "", /^a\.txt cannot be put back/);
  assert.equal((await revert({ messageID: "msg_none" })).status, 404);
  assert.equal((await revert({})).status, 400);
  assert.equal((await revert({ messageID: "msg_a1" }, "ses_none")).status, 404);
  assert.equal((await made.client.call("POST", "/session/ses_none/unrevert", { body: {} })).status, 404);
  const waiting = made.post(`/session/${made.session}/shell`, { agent: "build", command: "sleep 60" });
  await made.until(made.session, ({ type }) => type === "item.updated");
  await made.until(made.session, (event) => event.type === "turn.started" && event.data.prompt?.task !== undefined);
  const busy = await revert({ messageID: "msg_a1" });
  assert.deepEqual([busy.status, busy.body._tag], [409, "SessionBusyError"]);
  await made.post(`/session/${made.session}/abort`, {});
  await waiting;
});
