import type { Draft } from "../../../src/core/events/event.ts";
import { eventually } from "../../support/eventually.ts";
import { says } from "../../support/tcp-proxy.ts";
import type { Violation } from "../chaos/records.ts";
import { drafted, entryOf, LogStage } from "./log-stage.ts";
import { renames, type Way } from "./ways.ts";

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
export const staleAppend =
  (way: Way): Scenario =>
  (root) =>
    onStage(root, async (stage) => {
      const [a, b] = [await stage.node("node-1"), await stage.node("node-2")];
      const old = await stage.create(a, "ses_stale");
      const after = await way.begin(old, 1);
      await stage.bury(a);
      const hold = await b.log.open("ses_stale");
      await stage.write(way, a, old, after, "by the old owner");
      const last = hold.head?.last ?? 0;
      await stage.write(way, b, hold, last, "by the new owner");
      await way.end(hold, last + 1, "by the new owner");
    });

/** The database loses its end, as one does that failed over to a replica which lagged. */
export const lostEnd =
  (way: Way): Scenario =>
  (root) =>
    onStage(root, async (stage) => {
      const a = await stage.node("node-1");
      const hold = await stage.create(a, "ses_lost");
      const after = await way.begin(hold, 1);
      await hold.append(after, [entryOf(way.draft("one"))]);
      const lost = after + 2;
      await hold.append(lost - 1, [entryOf(way.draft("two"))]);
      await eventually("all is ordered", async () => (await stage.sql("SELECT 1 FROM unordered")).length === 0);
      await stage.sql(`DELETE FROM events WHERE seq = ${lost}; DELETE FROM commits WHERE seq_to = ${lost}`);
      await stage.write(way, a, hold, lost, "three");
      const again = await a.log.open("ses_lost");
      await way.end(again, again.head?.last ?? 0, "one");
    });

/** The answer to an append is lost, and its writer makes it again. */
export const lostAnswer =
  (way: Way): Scenario =>
  (root) =>
    onStage(root, async (stage) => {
      const { SessionStore, storePatiently } = stage.source;
      const a = await stage.node("node-1");
      const created = await stage.create(a, "ses_answer");
      await way.begin(created, 1);
      await created.release();
      const hold = await a.log.open("ses_answer");
      const store = new SessionStore({ log: a.log, session: hold });
      a.toDatabase.loseAnswer(says("append_"));
      const entries = [entryOf(way.draft("told twice"))];
      await storePatiently(
        () => store.write(entries),
        true,
        () => {},
      );
      stage.acknowledged(way.kind, "ses_answer", "told twice", a.name);
      await store.write([entryOf(way.draft("and on"))]);
      stage.acknowledged(way.kind, "ses_answer", "and on", a.name);
      await way.end(hold, (hold.head?.last ?? 0) + 2, "told twiceand on");
    });

/** A session is taken while an append of its old owner is being committed. */
export const takenInCommit: Scenario = (root) =>
  onStage(root, async (stage) => {
    const [a, b] = [await stage.node("node-1"), await stage.node("node-2")];
    const old = await stage.create(a, "ses_commit");
    const open = await stage.gate(a);
    const late = stage.write(renames, a, old, 1, "by the old owner");
    await stage.waits(a);
    await stage.bury(a);
    const taking = b.log.open("ses_commit");
    await stage.waits(b);
    await open();
    await late;
    const hold = await taking;
    await stage.write(renames, b, hold, hold.head?.last ?? 0, "by the new owner");
  });

/** Two nodes write, and a client of each watches. */
export const twoWriters: Scenario = (root) =>
  onStage(root, async (stage) => {
    const nodes = [await stage.node("node-1"), await stage.node("node-2")];
    const told = nodes.map((node) => stage.watch(node));
    const writers = nodes.map(async (node, index) => {
      const session = `ses_writer${index}`;
      const hold = await stage.create(node, session);
      for (let after = 1; after < 30; after++) await stage.write(renames, node, hold, after, `${session} ${after}`);
    });
    await Promise.all(writers);
    await eventually("all events came", () => told.every((count) => count() >= 60), LOOKED_MS);
  });

/** An append is committed later than one that began after it. */
export const lateCommit =
  (way: Way): Scenario =>
  (root) =>
    onStage(root, async (stage) => {
      const [a, b] = [await stage.node("node-1"), await stage.node("node-2")];
      const told = stage.watch(b);
      const [early, late] = [await stage.create(a, "ses_early"), await stage.create(b, "ses_late")];
      const after = await way.begin(early, 1);
      await way.begin(late, 1);
      const begun = 2 * after;
      await eventually("the beginnings were told", () => told() === begun, LOOKED_MS);
      const open = await stage.gate(a);
      const slow = stage.write(way, a, early, after, "slow");
      await stage.waits(a);
      await stage.write(way, b, late, after, "quick");
      await eventually("the quick one was told", () => told() === begun + 1, LOOKED_MS);
      await open();
      await slow;
      await stage.write(way, b, late, after + 1, "last");
      await eventually("all events were told", () => told() === begun + 3, LOOKED_MS);
      await way.end(early, after + 1, "slow");
      await way.end(late, after + 2, "quicklast");
    });

/** No notification comes. */
export const deafNode: Scenario = (root) =>
  onStage(root, async (stage) => {
    const [a, b] = [await stage.node("node-1"), await stage.node("node-2", { deaf: true })];
    const told = stage.watch(b);
    const hold = await stage.create(a, "ses_deaf");
    await eventually("the first event was told", () => told() === 1, LOOKED_MS);
    await stage.write(renames, a, hold, 1, "unheard");
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
