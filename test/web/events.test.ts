import assert from "node:assert/strict";
import { test } from "node:test";
import type { ParleyEvent } from "../../src/core/events/event.ts";
import { curlFor, eventFits, eventLine } from "../../web/model/event-line.ts";
import { KEYS, type Typed, typeKey } from "../../web/model/keys.ts";
import { FRESH_MS, type Notice, noticeOf, tabTitle, UncalledNotices } from "../../web/model/notices.ts";

function event(type: string, data: unknown, more: object = {}): ParleyEvent {
  return { id: "ses_1:7", seq: 7, session: "ses_1", time: 1, source: "agent", type, data, ...more } as ParleyEvent;
}

test("an event is told in one line", () => {
  const cases: [unknown, string][] = [
    [{ item: { kind: "message", role: "user", status: "completed", text: "a\n b" } }, "message user completed a b"],
    [{ item: { kind: "tool_call", name: "bash", status: "running" } }, "tool_call bash running"],
    [{ item: "itm_1", delta: "more" }, "more"],
    [{ reason: "end_turn" }, "end_turn"],
    [{ text: "x".repeat(200) }, `${"x".repeat(160)}…`],
    [{}, ""],
    [null, ""],
  ];
  for (const [data, line] of cases) assert.equal(eventLine(event("x", data)), line);
});

test("a filter of events takes words of the type, the number and the data", () => {
  const one = event("turn.ended", { reason: "end_turn" }, { turn: "trn_5" });
  for (const filter of ["", " ", "turn", "#7", "TRN_5 end_turn"]) assert.ok(eventFits(one, filter), filter);
  for (const filter of ["item", "turn #8"]) assert.ok(!eventFits(one, filter), filter);
});

test("a curl line cannot be left by a quote", () => {
  assert.equal(
    curlFor("http://h", "a'b", 3),
    `curl -sS -H "Authorization: Bearer $PARLEY_TOKEN" 'http://h/v1/sessions/a%27b/events?after=2&limit=1&native=true'`,
  );
});

test("keys in two parts are typed one after the other", () => {
  const type = (...keys: string[]): Typed => keys.reduce(typeKey, {});
  for (const [name, { keys }] of Object.entries(KEYS)) assert.equal(type(...keys.split(" ")).name, name);
  assert.deepEqual(type("g"), { prefix: "g" });
  assert.deepEqual(type("g", "g"), { prefix: "g" });
  assert.equal(type("g", "x").name, undefined);
  assert.equal(type("g", "n").name, "new");
  assert.equal(type("x", "a").name, "allow");
});

test("a person is called for asks, failures and ends, never for what a rule, a sub-agent or they themselves did", () => {
  const cases: [ParleyEvent, string | undefined][] = [
    [event("permission.requested", { action: "bash", command: "make" }), "ask make"],
    [event("permission.requested", { action: "bash", settledBy: "rule" }), undefined],
    [event("question.requested", { questions: [{ question: "Which?" }] }), "ask Which?"],
    [event("question.requested", { questions: [] }), "ask A question"],
    [event("turn.ended", { reason: "end_turn" }), "done end turn"],
    [event("turn.ended", { reason: "error", error: { message: "No" } }), "failed No"],
    [event("turn.ended", { reason: "interrupted" }), "failed interrupted"],
    [event("turn.ended", { reason: "cancelled" }), undefined],
    [event("turn.ended", { reason: "end_turn" }, { parent: "ses_0" }), undefined],
    [event("item.delta", { delta: "x" }), undefined],
  ];
  for (const [one, expected] of cases) {
    const notice = noticeOf(one);
    assert.equal(notice && `${notice.kind} ${notice.text}`, expected);
  }
  assert.equal(noticeOf(event("question.requested", { questions: [] }, { root: "ses_0" }))?.session, "ses_0");
});

test("a tab that gets the lead calls for what no other tab called for, while it is fresh", () => {
  const notice = (tag: string): Notice => ({ kind: "ask", tag, session: "ses_1", text: tag });
  const uncalled = new UncalledNotices();
  uncalled.hear(notice("old"), 0);
  uncalled.hear(notice("called"), FRESH_MS);
  uncalled.called("called", FRESH_MS);
  uncalled.called("called before it was heard of", FRESH_MS);
  uncalled.hear(notice("called before it was heard of"), FRESH_MS + 1);
  uncalled.hear(notice("first"), FRESH_MS + 1);
  uncalled.hear(notice("second"), FRESH_MS + 2);
  assert.deepEqual(
    uncalled.take(FRESH_MS + 3).map(({ tag }) => tag),
    ["first", "second"],
  );
  assert.deepEqual(uncalled.take(FRESH_MS + 3), []);
  assert.ok(uncalled.isCalled("called") && !uncalled.isCalled("first"));
});

test("the tab's title counts who waits", () => {
  assert.equal(tabTitle(0, undefined), "Parley");
  assert.equal(tabTitle(2, "A title"), "(2) A title · Parley");
});
