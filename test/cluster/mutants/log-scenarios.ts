import type { Draft } from "../../../src/core/events/event.ts";
import { eventually } from "../../support/eventually.ts";
import { says } from "../../support/tcp-proxy.ts";
import type { Violation } from "../chaos/records.ts";
import { drafted, entryOf, LogStage, titled } from "./log-stage.ts";

/** The shortest way to a situation that a part of the source guards against. `root`: the checkout whose source is used. */
export type Scenario = (root: string) => Promise<Violation[]>;

/** Longer than every look that no hint is needed for. */
const LOOKED_MS = 20_000;

async function onStage(root: string, play: (stage: LogStage) => Promise<void>): Promise<Violation[]> {
  const stage = await LogStage.start(root);
  try {
    await play(stage);
  } catch (error) {
    stage.book.surprises.push(String(error));
  }
  return stage.finish();
}

/** A node that was declared dead writes on. */
export const staleAppend: Scenario = (root) =>
  onStage(root, async (stage) => {
    const [a, b] = [await stage.node("node-1"), await stage.node("node-2")];
    const old = await stage.create(a, "ses_stale");
    await stage.bury(a);
    const hold = await b.log.open("ses_stale");
    await stage.rename(a, old, 1, "by the old owner");
    await stage.rename(b, hold, hold.head?.last ?? 0, "by the new owner");
  });

/** The database loses its end, as one does that failed over to a replica which lagged. */
export const lostEnd: Scenario = (root) =>
  onStage(root, async (stage) => {
    const a = await stage.node("node-1");
    const hold = await stage.create(a, "ses_lost");
    await hold.append(1, [{ draft: titled("one") }]);
    await hold.append(2, [{ draft: titled("two") }]);
    await eventually("all is ordered", async () => (await stage.sql("SELECT 1 FROM unordered")).length === 0);
    await stage.sql("DELETE FROM events WHERE seq = 3; DELETE FROM commits WHERE seq_to = 3");
    await stage.rename(a, hold, 3, "three");
  });

/** The answer to an append is lost, and its writer makes it again. */
export const lostAnswer: Scenario = (root) =>
  onStage(root, async (stage) => {
    const { SessionStore, storePatiently } = stage.source;
    const a = await stage.node("node-1");
    await (await stage.create(a, "ses_answer")).release();
    const store = new SessionStore({ log: a.log, session: await a.log.open("ses_answer") });
    a.toDatabase.loseAnswer(says("append_v1"));
    const entries = [{ draft: titled("told twice") }];
    await storePatiently(
      () => store.write(entries),
      true,
      () => {},
    );
    stage.acknowledged("rename", "ses_answer", "told twice", a.name);
    await store.write([{ draft: titled("and on") }]);
    stage.acknowledged("rename", "ses_answer", "and on", a.name);
  });

/** A session is taken while an append of its old owner is being committed. */
export const takenInCommit: Scenario = (root) =>
  onStage(root, async (stage) => {
    const [a, b] = [await stage.node("node-1"), await stage.node("node-2")];
    const old = await stage.create(a, "ses_commit");
    const open = await stage.gate(a);
    const late = stage.rename(a, old, 1, "by the old owner");
    await stage.waits(a);
    await stage.bury(a);
    const taking = b.log.open("ses_commit");
    await stage.waits(b);
    await open();
    await late;
    const hold = await taking;
    await stage.rename(b, hold, hold.head?.last ?? 0, "by the new owner");
  });

/** Two nodes write, and a client of each watches. */
export const twoWriters: Scenario = (root) =>
  onStage(root, async (stage) => {
    const nodes = [await stage.node("node-1"), await stage.node("node-2")];
    const told = nodes.map((node) => stage.watch(node));
    const writers = nodes.map(async (node, index) => {
      const session = `ses_writer${index}`;
      const hold = await stage.create(node, session);
      for (let after = 1; after < 30; after++) await stage.rename(node, hold, after, `${session} ${after}`);
    });
    await Promise.all(writers);
    await eventually("all events came", () => told.every((count) => count() >= 60), LOOKED_MS);
  });

/** An append is committed later than one that began after it. */
export const lateCommit: Scenario = (root) =>
  onStage(root, async (stage) => {
    const [a, b] = [await stage.node("node-1"), await stage.node("node-2")];
    const told = stage.watch(b);
    const [early, late] = [await stage.create(a, "ses_early"), await stage.create(b, "ses_late")];
    const open = await stage.gate(a);
    const slow = stage.rename(a, early, 1, "slow");
    await stage.waits(a);
    await stage.rename(b, late, 1, "quick");
    await eventually("the quick one was told", () => told() === 3, LOOKED_MS);
    await open();
    await slow;
    await stage.rename(b, late, 2, "last");
    await eventually("all events were told", () => told() === 5, LOOKED_MS);
  });

/** No notification comes. */
export const deafNode: Scenario = (root) =>
  onStage(root, async (stage) => {
    const [a, b] = [await stage.node("node-1"), await stage.node("node-2", { deaf: true })];
    const told = stage.watch(b);
    const hold = await stage.create(a, "ses_deaf");
    await eventually("the first event was told", () => told() === 1, LOOKED_MS);
    await stage.rename(a, hold, 1, "unheard");
    await eventually("the second event was told", () => told() === 2, LOOKED_MS);
  });

/** Deltas at the end of the order are folded before what follows them has its place. */
export const foldedEnd: Scenario = (root) =>
  onStage(root, async (stage) => {
    const [a, b] = [await stage.node("node-1"), await stage.node("node-2")];
    const told = stage.watch(b);
    const hold = await stage.create(a, "ses_folded");
    const item = { id: "prt_1", kind: "message", role: "assistant", status: "running" } as const;
    const said = (delta: string): Draft => drafted("item.delta", { item: "prt_1", field: "text", delta });
    await hold.append(1, [drafted("turn.started", { by: "user" }), drafted("item.started", { item })].map(entryOf));
    await hold.append(3, [said("some "), said("words")].map(entryOf));
    await eventually("the deltas were told", () => told() === 5, LOOKED_MS);
    const open = await stage.holdOrder();
    const done = { ...item, status: "completed", text: "some words" } as const;
    const end = [drafted("item.completed", { item: done }), drafted("turn.ended", { reason: "end_turn" })];
    await hold.append(5, end.map(entryOf));
    await hold.fold(7);
    await open();
    await eventually("the end was told", () => told() === 7, LOOKED_MS);
  });
