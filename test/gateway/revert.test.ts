import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, readFile, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { ParleyEvent } from "../../src/core/events/event.ts";
import type { FileChange } from "../../src/core/events/values.ts";
import { revertOf } from "../../src/core/ledger/revert.ts";
import {
  afterRestart,
  type CallOptions,
  call,
  type HouseRig,
  houseAgent,
  houseRig,
  playing,
  say,
  workDirectory,
} from "../agents/house/support.ts";
import { answering } from "./fake-agent.ts";
import { FullDisk } from "./faults/full-disk.ts";
import { ended, rig, text } from "./rig.ts";

interface Told {
  made: HouseRig;
  asked: CallOptions[];
  turns: string[];
  content(path: string): Promise<string | undefined>;
  shown(): Promise<string[]>;
}

/** Three turns: one that writes `a.txt`, one that changes it and writes `b.txt`, one that changes `a.txt` again. */
async function threeTurns(t: TestContext, more: ReturnType<typeof say>[] = [], wrap?: FullDisk["wrap"]): Promise<Told> {
  const { model, asked } = playing(
    call("write", { path: "a.txt", content: "one\n" }, "w1"),
    say("Written."),
    [
      ...call("edit", { path: "a.txt", old: "one", new: "one\ntwo" }, "e1"),
      ...call("write", { path: "sub/b.txt", content: "b" }, "w2"),
    ],
    say("Changed."),
    call("edit", { path: "a.txt", old: "two", new: "TWO\nthree" }, "e2"),
    say("Again."),
    ...more,
  );
  const made = await houseRig(t, { model, wrap });
  await made.gateway.update(made.session, { permissions: [{ action: "*", pattern: "*", verdict: "allow" }] });
  const turns: string[] = [];
  for (const id of ["msg_1", "msg_2", "msg_3"]) {
    const turn = await made.start(`do ${id}`, { id });
    turns.push(turn);
    await made.over(turn);
  }
  const content = (path: string): Promise<string | undefined> =>
    readFile(join(made.work, path), "utf8").catch(() => undefined);
  const shown = async (): Promise<string[]> => [await content("a.txt"), await content("sub/b.txt")].map(String);
  assert.deepEqual(await shown(), ["one\nTWO\nthree\n", "b"]);
  return { made, asked, turns, content, shown };
}

test("a revert puts files back, turn by turn, and an unrevert brings them forth again", async (t) => {
  const { made, shown, turns } = await threeTurns(t);
  const { work } = made.gateway;
  const first = await work.revert(made.session, { messageID: "msg_3" });
  assert.deepEqual(await shown(), ["one\ntwo\n", "b"]);
  const revert = revertOf(first.meta);
  assert.deepEqual([revert?.messageID, revert?.cut.turns], ["msg_3", turns.slice(2)]);
  assert.match(revert?.diff ?? "", /^\+three$/m);
  await work.revert(made.session, { messageID: "msg_1" });
  assert.deepEqual(await shown(), ["undefined", "undefined"]);
  // Forward to a later point: what lies before it comes back.
  await work.revert(made.session, { messageID: "msg_2" });
  assert.deepEqual(await shown(), ["one\n", "undefined"]);
  const restored = await work.unrevert(made.session);
  assert.deepEqual(await shown(), ["one\nTWO\nthree\n", "b"]);
  assert.equal(restored.meta?.revert, undefined);
  assert.equal((await work.unrevert(made.session)).meta?.revert, undefined, "there is nothing to bring back");
  await made.assertLawful(made.session);
  assert.equal(restored.turns, 3);
});

test("a message of the agent, or a part, means its turn", async (t) => {
  const { made, shown } = await threeTurns(t);
  const steps = (await made.events(made.session)).filter((event) => event.type === "step.started");
  const inSecond = steps.filter(({ turn }) => turn === steps[2]?.turn).at(-1)?.data.id ?? "";
  const { meta } = await made.gateway.work.revert(made.session, { messageID: inSecond, partID: "prt_any" });
  assert.partialDeepStrictEqual(meta?.revert, { messageID: "msg_2", partID: "prt_any" });
  assert.deepEqual(await shown(), ["one\n", "undefined"]);
});

test("the next prompt makes it final: neither the agent nor the log's readers go on with what was", async (t) => {
  const { made, asked, shown } = await threeTurns(t, [say("A new second."), say("After a restart.")]);
  await made.gateway.work.revert(made.session, { messageID: "msg_2" });
  await made.turn("another second");
  const heard = JSON.stringify(asked.at(-1)?.prompt);
  assert.match(heard, /do msg_1.*Written\..*another second/s);
  assert.doesNotMatch(heard, /do msg_2|Changed|do msg_3/);
  const state = await made.gateway.work.unrevert(made.session);
  assert.equal(state.cuts?.length, 1);
  assert.deepEqual(await shown(), ["one\n", "undefined"], "it cannot be brought back any more");
  assert.deepEqual(
    state.files?.map(({ path, additions }) => [path, additions]),
    [["a.txt", 1]],
  );
  await assert.rejects(made.gateway.work.revert(made.session, { messageID: "msg_3" }), { code: "not_found" });
  await made.assertLawful(made.session);
  const again = playing(say("Here."));
  await afterRestart(made, houseAgent({ model: again.model }, await workDirectory(t)), "go on");
  assert.doesNotMatch(JSON.stringify(again.asked[0]?.prompt), /do msg_2|Changed|do msg_3/);
  assert.match(JSON.stringify(again.asked[0]?.prompt), /Written\..*A new second\..*go on/s);
});

test("a fork of what was taken back does not have it", async (t) => {
  const { made } = await threeTurns(t);
  await made.gateway.work.revert(made.session, { messageID: "msg_2" });
  assert.equal((await made.gateway.work.fork(made.session)).turns, 1);
});

test("a file that was changed since stops all of it, and is named", async (t) => {
  const { made, shown } = await threeTurns(t);
  await writeFile(join(made.work, "a.txt"), "somebody's own\n");
  const refused = made.gateway.work.revert(made.session, { messageID: "msg_2" });
  await assert.rejects(refused, { code: "file_changed", message: /^a\.txt cannot be put back.*nothing was changed/ });
  assert.deepEqual(await shown(), ["somebody's own\n", "b"]);
  await rm(join(made.work, "sub/b.txt"));
  await writeFile(join(made.work, "a.txt"), "one\nTWO\nthree\n");
  await assert.rejects(made.gateway.work.revert(made.session, { messageID: "msg_2" }), /sub\/b\.txt.*is gone/);
  assert.deepEqual(await shown(), ["one\nTWO\nthree\n", "undefined"]);
  assert.equal((await made.gateway.get(made.session)).meta?.revert, undefined);
});

test("changes elsewhere in a file are kept", async (t) => {
  const { made, content } = await threeTurns(t);
  await writeFile(join(made.work, "a.txt"), `mine\nmine too\nand this\nand that\n${await content("a.txt")}`);
  await made.gateway.work.revert(made.session, { messageID: "msg_3" });
  assert.equal(await content("a.txt"), "mine\nmine too\nand this\nand that\none\ntwo\n");
});

test("a link that leads out is not followed, and what cannot be written undoes the rest", async (t) => {
  const { made, shown } = await threeTurns(t);
  const outside = join(await workDirectory(t), "b.txt");
  await writeFile(outside, "b");
  await unlink(join(made.work, "sub/b.txt"));
  await symlink(outside, join(made.work, "sub/b.txt"));
  await assert.rejects(made.gateway.work.revert(made.session, { messageID: "msg_2" }), { code: "file_changed" });
  assert.deepEqual(await shown(), ["one\nTWO\nthree\n", "b"]);
  assert.equal(await readFile(outside, "utf8"), "b");
});

test("when the log takes no writes, the files stay as they were", async (t) => {
  const disk = new FullDisk();
  const { made, shown } = await threeTurns(t, [], disk.wrap);
  disk.full = true;
  await assert.rejects(made.gateway.work.revert(made.session, { messageID: "msg_2" }), { code: "disk_full" });
  disk.full = false;
  assert.deepEqual(await shown(), ["one\nTWO\nthree\n", "b"]);
});

test("a busy session, an unknown message, an agent that remembers: refused", async (t) => {
  const made = await houseRig(t);
  const turn = await made.start("ask me");
  const { data } = await made.asked();
  await assert.rejects(made.gateway.work.revert(made.session, { messageID: "msg_1" }), { code: "busy" });
  await assert.rejects(made.gateway.work.unrevert(made.session), { code: "busy" });
  await made.gateway.answer(made.session, data.ask, { kind: "question", outcome: "rejected" }, "test");
  await made.over(turn);
  await assert.rejects(made.gateway.work.revert(made.session, { messageID: "msg_none" }), { code: "not_found" });
  await assert.rejects(made.gateway.work.revert("ses_none", { messageID: "msg_1" }), { code: "session_not_found" });
  const other = await rig(t);
  other.fake.onPrompt = answering;
  const { id } = await other.gateway.create({ directory: other.directory });
  await assert.rejects(other.gateway.work.revert(id, { messageID: "msg_1" }), { code: "unsupported" });
});

/** An agent's changes as they are, whatever tool made them. */
async function withChanges(
  t: TestContext,
  files: FileChange[],
): Promise<{ directory: string; revert(): Promise<unknown>; unrevert(): Promise<unknown> }> {
  const r = await rig(t);
  r.fake.capabilities = { rewind: true };
  r.fake.onPrompt = (session, prompt) => {
    session.say({ type: "tool.running", call: "c", name: "shell" });
    session.say({ type: "tool.done", call: "c", ok: true, output: "", files });
    session.say({ type: "turn.finished", turn: prompt.id, reason: "end_turn" });
  };
  const { id } = await r.gateway.create({ directory: r.directory });
  const { turn } = await r.gateway.prompt(id, text("go", { id: "msg_1" }));
  await r.until(id, (event: ParleyEvent) => ended(event) && event.turn === turn);
  return {
    directory: r.directory,
    revert: () => r.gateway.work.revert(id, { messageID: "msg_1" }),
    unrevert: () => r.gateway.work.unrevert(id),
  };
}

test("deleted and renamed files come back, and go again", async (t) => {
  const { directory, revert, unrevert } = await withChanges(t, [
    { path: "gone.txt", kind: "deleted", diff: "--- a/gone.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-first\n-second\n" },
    { path: "new.txt", from: "old.txt", kind: "renamed" },
    { path: "other.txt", from: "was.txt", kind: "renamed", diff: "@@ -1 +1 @@\n-was\n+is\n" },
  ]);
  const path = (name: string): string => join(directory, name);
  await writeFile(path("new.txt"), "same\n");
  await writeFile(path("other.txt"), "is\n");
  await chmod(path("other.txt"), 0o600);
  await revert();
  assert.equal(await readFile(path("gone.txt"), "utf8"), "first\nsecond\n");
  assert.equal(await readFile(path("old.txt"), "utf8"), "same\n");
  assert.equal(await readFile(path("was.txt"), "utf8"), "was\n");
  assert.deepEqual([existsSync(path("new.txt")), existsSync(path("other.txt"))], [false, false]);
  await unrevert();
  assert.deepEqual(
    [existsSync(path("gone.txt")), existsSync(path("old.txt")), existsSync(path("was.txt"))],
    [false, false, false],
  );
  assert.equal(await readFile(path("other.txt"), "utf8"), "is\n");
});

test("a change that nobody wrote down cannot be taken back", async (t) => {
  const { directory, revert } = await withChanges(t, [{ path: "a.bin", kind: "modified" }]);
  await writeFile(join(directory, "a.bin"), "x");
  await assert.rejects(revert(), { code: "file_changed", message: /a\.bin.*not known how/ });
});

test("a change that is longer than what is kept of it is not taken back, and nothing is changed", async (t) => {
  const content = "a line\n".repeat(100_000);
  const { model } = playing(call("write", { path: "long.txt", content }, "w1"), say("Written."));
  const made = await houseRig(t, { model });
  await made.gateway.update(made.session, { permissions: [{ action: "*", pattern: "*", verdict: "allow" }] });
  await made.over(await made.start("write", { id: "msg_1" }));
  await assert.rejects(made.gateway.work.revert(made.session, { messageID: "msg_1" }), {
    code: "file_changed",
    message:
      /^long\.txt cannot be put back: it was changed by more than is kept: \d+ characters were left out; nothing/,
  });
  assert.equal(await readFile(join(made.work, "long.txt"), "utf8"), content);
});
