import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Translator } from "../../../../src/agents/opencode/decode/translator.ts";
import type { Said } from "../../../../src/agents/program/read-lines.ts";
import type { Fields } from "../../../../src/core/json/fields.ts";

const ROOT = "ses_root";
const OVER = { created: 1, completed: 2 };

const info = (id: string, time: Fields = { created: 1 }): Fields => ({
  id,
  role: "assistant",
  sessionID: ROOT,
  parentID: "msg_1",
  time,
});
const text = (message: string, words: string, isOver: boolean, id = `prt_${message}`): Fields => ({
  id,
  messageID: message,
  sessionID: ROOT,
  type: "text",
  text: words,
  time: isOver ? { start: 1, end: 2 } : { start: 1 },
});
const kept = (id: string, parts: Fields[], time?: Fields): Fields => ({ info: info(id, time), parts });

/** A turn at work, and all that was told of it. */
class Turn {
  readonly translator = new Translator({ root: ROOT, directory: "/work" });
  readonly said: Said[] = [];

  constructor() {
    this.translator.prompt("msg_1");
  }

  event(type: string, properties: Fields): void {
    this.said.push(...this.translator.event({ type, properties: { sessionID: ROOT, ...properties } }).said);
  }

  learn(...messages: Fields[]): void {
    this.said.push(...this.translator.learn(ROOT, messages).said);
  }

  /** The texts that a reader of the turn has. */
  texts(): string[] {
    const items = new Map<string, string>();
    for (const { signal } of this.said) {
      if (signal.type === "text") items.set(signal.item, (items.get(signal.item) ?? "") + signal.delta);
      if (signal.type === "text.done" && signal.text !== undefined) items.set(signal.item, signal.text);
      if (signal.type === "text.retracted") items.delete(signal.item);
    }
    return [...items.values()];
  }
}

describe("what is known of a text by an answer that comes late", () => {
  const RETRY = { type: "retry", attempt: 1, next: 5, message: "busy" };

  test("a retry that is told after the next attempt has begun does not take its text away", () => {
    const turn = new Turn();
    turn.learn(kept("msg_2", [text("msg_2", "Hel", false)]));
    // The status was read before the messages.
    turn.said.push(...turn.translator.learnStatus(ROOT, RETRY).said);
    turn.learn(kept("msg_2", [text("msg_2", "Hello", true)], OVER));
    assert.deepEqual(turn.texts(), ["Hello"]);
    assert.ok(turn.translator.isSettled(ROOT));
  });

  test("what the program does not keep of an attempt that failed stays taken back", () => {
    const turn = new Turn();
    turn.learn(kept("msg_2", [text("msg_2", "Hel", false)]));
    turn.event("session.status", { status: RETRY });
    turn.event("message.part.delta", { messageID: "msg_2", partID: "prt_msg_2", field: "text", delta: "lo" });
    turn.learn(kept("msg_2", [text("msg_2", "Hello", true, "prt_next")], OVER));
    assert.deepEqual(turn.texts(), ["Hello"]);
  });

  test("a message that was looked up before it was whole is looked up again when the next one has begun", () => {
    const turn = new Turn();
    const first = turn.translator.event({
      type: "message.part.updated",
      properties: { sessionID: ROOT, part: text("msg_2", "Hel", false) },
    });
    assert.deepEqual(first.wants, [{ type: "message", session: ROOT, message: "msg_2" }]);
    turn.event("message.updated", { info: info("msg_2") });
    turn.event("message.updated", { info: info("msg_3") });
    const late = turn.translator.fetched(ROOT, "msg_2", kept("msg_2", [text("msg_2", "Hel", false)]));
    turn.said.push(...late.said);
    assert.deepEqual(late.wants, [{ type: "message", session: ROOT, message: "msg_2" }]);
    const whole = turn.translator.fetched(ROOT, "msg_2", kept("msg_2", [text("msg_2", "Hello", true)], OVER));
    turn.said.push(...whole.said);
    turn.learn(kept("msg_2", [text("msg_2", "Hello", true)], OVER), kept("msg_3", [text("msg_3", "Bye", true)], OVER));
    assert.deepEqual(turn.texts(), ["Hello", "Bye"]);
  });

  test("a message that could not be looked up is not over, and told by what the program keeps", () => {
    const turn = new Turn();
    turn.event("message.updated", { info: info("msg_2") });
    turn.event("message.part.updated", { part: text("msg_2", "Hel", false) });
    turn.event("message.updated", { info: info("msg_2", OVER) });
    const missed = turn.translator.fetched(ROOT, "msg_2", undefined);
    turn.said.push(...missed.said);
    assert.deepEqual(missed.wants, [{ type: "check", session: ROOT }]);
    assert.ok(!turn.translator.isSettled(ROOT));
    turn.learn(kept("msg_2", [text("msg_2", "Hello", true)], OVER));
    assert.deepEqual(turn.texts(), ["Hello"]);
  });

  test("a message that the program does not keep is over with what was told", () => {
    const turn = new Turn();
    turn.event("message.updated", { info: info("msg_2") });
    turn.event("message.part.updated", { part: text("msg_2", "Hel", false) });
    turn.event("message.updated", { info: info("msg_2", OVER) });
    turn.said.push(...turn.translator.fetched(ROOT, "msg_2", {}).said);
    assert.deepEqual(turn.texts(), ["Hel"]);
    assert.ok(turn.translator.isSettled(ROOT));
  });
});
