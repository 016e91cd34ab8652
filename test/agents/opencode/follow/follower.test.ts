import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { eventually } from "../../../support/eventually.ts";
import { CUT, Otherwise } from "../stand-in.ts";
import { asked, Program, ROOT, reply } from "./program.ts";

const GROUP = { concurrency: true };

describe("a turn that is followed", GROUP, () => {
  test("ends when the program says so and all of it was told", async (t) => {
    const program = await Program.open(t);
    await program.heard();
    program.follower.prompt("msg_1");
    program.busy();
    program.messages[ROOT] = [asked("msg_1"), reply("msg_2", "msg_1", "Hello")];
    program.idle();
    const end = await program.ended();
    assert.equal(end.reason, "end_turn");
    assert.equal(end.point, "msg_2");
    assert.deepEqual(
      program.of("text.done").map(({ text }) => text),
      ["Hello"],
    );
    assert.ok(!program.follower.isBusy);
    await program.follower.idle();
  });

  test("asks for nothing before the first prompt of a new session, and for all when it connects again", async (t) => {
    const program = await Program.open(t, true);
    await program.hub.ready();
    program.follower.prompt("msg_1");
    program.busy();
    assert.deepEqual(program.stand.of("GET /session/status"), []);
    program.messages[ROOT] = [asked("msg_1"), reply("msg_2", "msg_1", "Hello")];
    program.idle(ROOT, false);
    for (const stream of program.stand.streams) stream.destroy();
    assert.equal((await program.ended()).reason, "end_turn");
  });

  test("is not over with the idle of an abort that came too early", async (t) => {
    const program = await Program.open(t);
    await program.heard();
    program.follower.prompt("msg_1");
    program.busy();
    program.messages[ROOT] = [asked("msg_1"), reply("msg_2", "msg_1", "", { time: { created: 1 }, finish: undefined })];
    program.idle();
    await eventually("the end was looked for", () => program.stand.of("GET /session/:/message").length > 2);
    assert.equal(program.of("turn.finished").length, 0);
    const error = { name: "MessageAbortedError", data: { message: "aborted" } };
    program.messages[ROOT] = [asked("msg_1"), reply("msg_2", "msg_1", "Hel", { error })];
    assert.equal((await program.ended()).reason, "cancelled");
    assert.deepEqual(
      program.of("text.done").map(({ text }) => text),
      ["Hel"],
    );
  });

  test("ends although the event of its end was lost", async (t) => {
    const program = await Program.open(t);
    await program.heard();
    program.follower.prompt("msg_1");
    program.busy();
    program.messages[ROOT] = [asked("msg_1"), reply("msg_2", "msg_1", "Hello")];
    program.idle(ROOT, false);
    assert.equal((await program.ended()).reason, "end_turn");
  });

  test("ends although nothing was told of it", async (t) => {
    const program = await Program.open(t);
    await program.heard();
    program.follower.prompt("msg_1");
    program.messages[ROOT] = [asked("msg_1"), reply("msg_2", "msg_1", "Hello")];
    assert.equal((await program.ended()).reason, "end_turn");
  });

  test("shows an ask whose event was lost", async (t) => {
    const program = await Program.open(t);
    await program.heard();
    program.follower.prompt("msg_1");
    program.busy();
    program.messages[ROOT] = [asked("msg_1")];
    program.permissions = [{ id: "per_1", sessionID: ROOT, permission: "edit", patterns: ["a"], metadata: {} }];
    await eventually("the ask was found", () => program.of("permission").length > 0);
    assert.equal(program.of("permission")[0]?.ask, "per_1");
    program.permissions = [];
    await eventually("the ask was taken back", () => program.of("ask.withdrawn").length > 0);
  });

  test("fails where the program has forgotten it", async (t) => {
    const program = await Program.open(t);
    await program.heard();
    program.follower.prompt("msg_1");
    program.busy();
    program.messages[ROOT] = [asked("msg_1"), reply("msg_2", "msg_1", "", { time: { created: 1 } })];
    program.idle();
    const end = await program.ended();
    assert.equal(end.reason, "error");
    assert.equal(end.error?.code, "agent_failed");
  });

  test("goes on with a prompt that comes while its sub-agents are looked at", async (t) => {
    const program = await Program.open(t);
    const held = Promise.withResolvers<void>();
    program.sessions.ses_child = { id: "ses_child", parentID: ROOT };
    program.stand.on("GET /session/ses_child/message", async () => {
      await held.promise;
      return [];
    });
    await program.heard();
    program.follower.prompt("msg_1");
    program.messages[ROOT] = [asked("msg_1"), reply("msg_2", "msg_1", "Hello")];
    const info = { id: "msg_c", role: "user", sessionID: "ses_child" };
    program.follower.event({ type: "session.created", properties: { info: program.sessions.ses_child } }, "");
    program.follower.event({ type: "message.updated", properties: { sessionID: "ses_child", info } }, "");
    assert.ok(program.translator.isBusy("ses_child"));
    program.idle();
    const isHeld = (): boolean => program.stand.of("GET /session/ses_child/message").length > 0;
    await eventually("the sub-agent is looked at", isHeld);
    program.follower.prompt("msg_3");
    held.resolve();
    program.translator.settle("ses_child");
    await eventually("it was looked at again", () => program.stand.of("GET /session/status").length > 4);
    assert.equal(program.of("turn.finished").filter(({ turn }) => turn === "msg_1").length, 0);
    program.messages[ROOT] = [
      asked("msg_1"),
      reply("msg_2", "msg_1", "Hello"),
      asked("msg_3"),
      reply("msg_4", "msg_3", "More"),
    ];
    await eventually("it is over", () => program.of("turn.finished").some(({ point }) => point === "msg_4"));
  });

  test("is told on with what another client began", async (t) => {
    const program = await Program.open(t);
    await program.heard();
    program.messages[ROOT] = [asked("msg_1"), reply("msg_2", "msg_1", "Hello")];
    program.idle();
    assert.equal((await program.ended()).turn, "msg_1");
  });
});

describe("a turn that is stopped", GROUP, () => {
  test("is stopped once more where the program had not begun it", async (t) => {
    const program = await Program.open(t);
    await program.heard();
    program.onStop = () => {
      const error = { name: "MessageAbortedError", data: {} };
      program.messages[ROOT] = [asked("msg_1"), reply("msg_2", "msg_1", "", { error })];
      program.idle();
    };
    program.follower.prompt("msg_1");
    program.follower.stopping();
    // The first stop was lost: the program works.
    program.messages[ROOT] = [asked("msg_1")];
    program.busy();
    await eventually("it was stopped once more", () => program.stops > 0);
    assert.equal((await program.ended()).reason, "cancelled");
    const { stops } = program;
    program.follower.prompt("msg_3");
    program.busy();
    await eventually("the next turn runs", () => program.follower.hasWorked);
    await program.follower.check(ROOT);
    assert.equal(program.stops, stops, "the next turn is not stopped");
  });

  test("is not over where the program began it while it was looked at", async (t) => {
    const program = await Program.open(t);
    await program.heard();
    const held = Promise.withResolvers<void>();
    program.stand.on("GET /session/:/message", async () => {
      await held.promise;
      return program.messages[ROOT];
    });
    program.follower.prompt("msg_1");
    program.follower.stopping();
    void program.follower.check(ROOT);
    // The status was read before this, and the messages are read after it.
    await eventually("it is looked at", () => program.stand.of("GET /session/:/message").length > 0);
    program.busy();
    await eventually("it works", () => program.follower.hasWorked);
    held.resolve();
    await eventually("it was stopped once more", () => program.stops > 0);
    assert.equal(program.of("turn.finished").length, 0);
  });

  test("is stopped where the program begins it after all", async (t) => {
    const program = await Program.open(t);
    await program.heard();
    program.follower.prompt("msg_1");
    program.follower.stopping();
    void program.follower.check(ROOT);
    assert.equal((await program.ended()).reason, "cancelled");
    program.onStop = () => {
      const error = { name: "MessageAbortedError", data: {} };
      program.messages[ROOT] = [asked("msg_1"), reply("msg_2", "msg_1", "", { error })];
      program.idle();
    };
    program.messages[ROOT] = [asked("msg_1"), reply("msg_2", "msg_1", "", { time: { created: 1 } })];
    program.busy();
    await eventually("it was stopped", () => program.stops > 0);
    await eventually("it is over", () => program.of("turn.finished").length === 2);
    assert.deepEqual(
      program.of("turn.finished").map(({ reason }) => reason),
      ["cancelled", "cancelled"],
    );
  });

  test("is over where the program never began it", async (t) => {
    const program = await Program.open(t);
    await program.heard();
    program.follower.prompt("msg_1");
    program.follower.stopping();
    await program.follower.check(ROOT);
    assert.equal((await program.ended()).reason, "cancelled");
  });
});

/** The first words of the agent, as events. */
function begin({ follower }: Program): void {
  follower.prompt("msg_1");
  const info = { id: "msg_2", role: "assistant", sessionID: ROOT, parentID: "msg_1", time: { created: 1 } };
  follower.event({ type: "message.updated", properties: { sessionID: ROOT, info } }, "");
}

function piece({ follower }: Program, delta: string, text = ""): void {
  const properties = { sessionID: ROOT, messageID: "msg_2", partID: "prt_msg_2", field: "text", delta };
  follower.event({ type: "message.part.delta", properties }, text);
}

describe("a paused session", GROUP, () => {
  test("tells what came meanwhile when it goes on", async (t) => {
    const program = await Program.open(t);
    begin(program);
    program.follower.pause();
    const before = program.said.length;
    for (const delta of ["a", "b"]) piece(program, delta);
    assert.equal(program.said.length, before);
    program.follower.resume();
    assert.deepEqual(
      program.of("text").map(({ delta }) => delta),
      ["a", "b"],
    );
  });

  test("asks for what was too much to be kept", async (t) => {
    const program = await Program.open(t);
    begin(program);
    piece(program, "a");
    program.follower.pause();
    for (const delta of ["b", "c", "d"]) piece(program, delta, "x".repeat(4 * 1024 * 1024));
    piece(program, "e");
    program.follower.resume();
    program.messages[ROOT] = [asked("msg_1"), reply("msg_2", "msg_1", "abcde")];
    assert.equal((await program.ended()).reason, "end_turn");
    assert.deepEqual(
      program.of("text").map(({ delta }) => delta),
      ["a"],
    );
    assert.deepEqual(
      program.of("text.done").map(({ text }) => text),
      ["abcde"],
    );
  });

  test("tells nothing any more once it is closed", async (t) => {
    const program = await Program.open(t);
    begin(program);
    program.follower.close();
    const before = program.said.length;
    piece(program, "a");
    await program.follower.check(ROOT);
    await program.follower.idle();
    assert.equal(program.said.length, before);
  });
});

describe("a server that cannot be reached or read", GROUP, () => {
  test("does not disturb: the turn goes on when it is back", async (t) => {
    const program = await Program.open(t);
    await program.heard();
    program.follower.prompt("msg_1");
    program.busy();
    let isCut = true;
    program.stand.on("GET /session/status", () => (isCut ? CUT : program.statuses));
    for (const stream of program.stand.streams) stream.destroy();
    await eventually("it was asked in vain", () => program.stand.of("GET /session/status").length > 0);
    program.messages[ROOT] = [asked("msg_1"), reply("msg_2", "msg_1", "Hello")];
    program.idle();
    isCut = false;
    assert.equal((await program.ended()).reason, "end_turn");
    assert.equal(program.unreachable, 0);
    assert.equal(program.of("note").length, 0);
  });

  test("says what it could not read, once in a turn, and goes on when it can", async (t) => {
    const program = await Program.open(t);
    await program.heard();
    program.follower.prompt("msg_1");
    let isBroken = true;
    const broken = new Otherwise(500, { data: { message: "database or disk is full" } });
    program.stand.on("GET /session/:/message", () => (isBroken ? broken : program.messages[ROOT]));
    await eventually("it was looked at more than once", async () => {
      await program.follower.check(ROOT);
      return program.stand.of("GET /session/:/message").length > 3;
    });
    assert.deepEqual(
      program.of("note").map(({ text }) => text),
      ["What OpenCode keeps of this session could not be read: database or disk is full"],
    );
    isBroken = false;
    program.messages[ROOT] = [asked("msg_1"), reply("msg_2", "msg_1", "Hello")];
    assert.equal((await program.ended()).reason, "end_turn");
  });
});
