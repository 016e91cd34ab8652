import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { describe, test } from "node:test";
import type { Prompt } from "../../../src/core/events/values.ts";
import { type Fields, fieldsIn, listIn } from "../../../src/core/json/fields.ts";
import { eventually } from "../../support/eventually.ts";
import { type Opened, openPuppet } from "./puppet.ts";

const STEERS = { initialize: { protocolVersion: 1, _meta: { steering: { supported: true } } } };
const prompt = (text: string): Prompt => ({ id: `msg_${text}`, parts: [{ type: "text", text }] });
const END = { stopReason: "end_turn" };

async function begun(): Promise<Opened> {
  const opened = openPuppet(tmpdir(), undefined, { answers: STEERS });
  await opened.session.ready();
  await opened.session.prompt(prompt("one"));
  return opened;
}

const prompts = ({ puppet }: Opened): unknown[] =>
  puppet.written
    .filter(({ method }) => method === "session/prompt")
    .map((line: Fields) =>
      listIn(fieldsIn(line, "params"), "prompt")
        .map(({ text }) => text)
        .join(),
    );
const ends = ({ signals }: Opened): number => signals.filter(({ type }) => type === "turn.finished").length;

/** Steers, and waits until the program is asked; what is left is the wait for its answer. */
async function steered(opened: Opened, text: string): Promise<void> {
  const before = opened.puppet.written.length;
  void opened.session.steer(prompt(text));
  await eventually("the words are given", () => opened.puppet.written.length > before);
}

describe("words for a running turn", () => {
  test("that the program has taken are given once", async () => {
    const opened = await begun();
    await steered(opened, "more");
    const asked = opened.puppet.asked("_session/steering");
    assert.deepEqual(fieldsIn(asked ?? {}, "params").prompt, [{ type: "text", text: "more" }]);
    opened.puppet.answer("_session/steering", { outcome: "injected" });
    opened.puppet.answer("session/prompt", END);
    assert.deepEqual([prompts(opened), ends(opened)], [["one"], 1]);
    await opened.session.close();
  });

  test("that it did not take follow as a further prompt", async () => {
    const opened = await begun();
    await steered(opened, "more");
    opened.puppet.answer("_session/steering", { outcome: "promptRequired" });
    opened.puppet.answer("session/prompt", END);
    assert.deepEqual([prompts(opened), ends(opened)], [["one", "more"], 0]);
    opened.puppet.answer("session/prompt", END);
    assert.equal(ends(opened), 1);
    await opened.session.close();
  });

  test("that it never answered follow, too, and a late answer changes nothing", async () => {
    const opened = await begun();
    await steered(opened, "more");
    opened.puppet.answer("session/prompt", END);
    assert.deepEqual([prompts(opened), ends(opened)], [["one", "more"], 0]);
    opened.puppet.answer("_session/steering", { outcome: "promptRequired" });
    opened.puppet.answer("session/prompt", END);
    assert.equal(ends(opened), 1);
    await opened.session.prompt(prompt("two"));
    assert.deepEqual(prompts(opened), ["one", "more", "two"]);
    opened.puppet.answer("session/prompt", END);
    assert.equal(ends(opened), 2);
    await opened.session.close();
  });

  test("that it declines while the next turn runs do not end that turn", async () => {
    const opened = await begun();
    await steered(opened, "more");
    await opened.session.cancel();
    opened.puppet.answer("session/prompt", { stopReason: "cancelled" });
    await opened.session.prompt(prompt("two"));
    opened.puppet.answer("_session/steering", { outcome: "promptRequired" });
    assert.deepEqual([prompts(opened), ends(opened)], [["one", "two"], 1], "what was stopped is not said again");
    opened.puppet.answer("session/prompt", END);
    assert.equal(ends(opened), 2);
    await opened.session.close();
  });
});
