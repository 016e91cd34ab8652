import assert from "node:assert/strict";
import { test } from "node:test";
import { ShownTurn } from "../../../src/surfaces/acp/session/shown-turn.ts";

const turn = (id: string) => ({ id, seq: 1, by: "user" as const, started: 1, status: { status: "running" as const } });
const open = (id: string) => ({ turn: turn(id) });
const over = (id: string) => ({ turn: null, lastEnd: { turn: id, reason: "end_turn" as const } });

test("a turn that was stopped is over for the client until its end is stored", () => {
  const shown = new ShownTurn();
  assert.equal(shown.open(open("t1"))?.id, "t1");
  assert.equal(shown.stop("t1", open("t1")), true);
  assert.equal(shown.stop("t1", open("t1")), false, "its end is told once");
  assert.deepEqual([shown.open(open("t1")), shown.hides("t1"), shown.hides(undefined)], [null, true, false]);
  assert.equal(shown.follow(open("t1")), undefined);
  assert.equal(shown.follow(over("t1")), undefined);
  assert.deepEqual([shown.stopped, shown.hides("t1")], [undefined, false]);
  assert.equal(shown.open(open("t2"))?.id, "t2");
});

test("a turn whose end was told by its event gets no other", () => {
  const shown = new ShownTurn();
  assert.equal(shown.stop("t1", over("t1")), false);
  assert.equal(shown.follow(open("t2")), undefined);
});

test("a turn that was stopped before its beginning was read ends right after that", () => {
  const shown = new ShownTurn();
  assert.equal(shown.stop("t2", open("t1")), false);
  assert.equal(shown.follow(over("t1")), undefined);
  assert.equal(shown.follow(open("t2")), "t2");
  assert.equal(shown.follow(open("t2")), undefined);
  assert.equal(shown.hides("t2"), true);
});

test("so does each of several", () => {
  const shown = new ShownTurn();
  for (const id of ["t1", "t2"]) assert.equal(shown.stop(id, { turn: null }), false);
  assert.deepEqual(
    [shown.follow(open("t1")), shown.follow(over("t1")), shown.follow(open("t2"))],
    ["t1", undefined, "t2"],
  );
});

test("a turn whose prompt was taken back is none for the client", () => {
  const shown = new ShownTurn();
  shown.takeBack("m2");
  shown.begin("t1", "m1");
  assert.equal(shown.hides("t1"), false);
  assert.equal(shown.follow(over("t1")), undefined);
  shown.begin("t2", "m2");
  assert.equal(shown.follow(open("t2")), undefined);
  assert.deepEqual([shown.hides("t2"), shown.open(open("t2"))], [true, null]);
  assert.equal(shown.follow(over("t2")), undefined);
  shown.begin("t3", "m2");
  assert.equal(shown.hides("t3"), false);
});

test("the turn of a prompt that was taken back is none for the client where its beginning was not read", () => {
  const shown = new ShownTurn();
  shown.takeBack("m2");
  shown.skip({ turn: { ...turn("t2"), prompt: "m2" } });
  assert.equal(shown.hides("t2"), true);
  shown.skip(open("t2"));
  assert.equal(shown.hides("t2"), true);
  shown.skip(open("t3"));
  assert.deepEqual([shown.stopped, shown.open(open("t3"))?.id], [undefined, "t3"]);
});
