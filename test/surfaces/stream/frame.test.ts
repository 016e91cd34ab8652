import assert from "node:assert/strict";
import { test } from "node:test";
import { commentFrame, eventsFrame, frameOf, retryFrame, sseText } from "../../../src/surfaces/stream/frame.ts";

test("an event is its id, its name and its data", () => {
  assert.equal(sseText({ data: "{}" }), "data: {}\n\n");
  assert.equal(sseText({ id: "ses_1:7", data: "{}" }), "id: ses_1:7\ndata: {}\n\n");
  assert.equal(sseText({ id: "7", event: "gap", data: "{}" }), "id: 7\nevent: gap\ndata: {}\n\n");
});

test("data of several lines stays one event", () => {
  assert.equal(sseText({ data: "a\nb\r\nc\rd" }), "data: a\ndata: b\ndata: c\ndata: d\n\n");
  assert.equal(sseText({ data: "a\u2028b" }), "data: a\u2028b\n\n");
});

for (const wrong of ["a\nb", "a\rb", "a\0b"]) {
  test(`${JSON.stringify(wrong)} is refused as an id and as a name`, () => {
    assert.throws(() => sseText({ id: wrong, data: "" }), /one line as the id/);
    assert.throws(() => sseText({ event: wrong, data: "" }), /one line as the event/);
  });
}

test("a frame carries its text as a chunk, counted in bytes", () => {
  const frame = frameOf("data: ü\u{1f600}\n\n");
  assert.equal(frame.text.toString(), "data: ü\u{1f600}\n\n");
  assert.equal(frame.chunk.toString(), "e\r\ndata: ü\u{1f600}\n\n\r\n");
  assert.equal(frame.text.length, 0xe);
});

test("several events make one frame", () => {
  assert.equal(eventsFrame([{ data: "1" }, { id: "2", data: "2" }]).text.toString(), "data: 1\n\nid: 2\ndata: 2\n\n");
  assert.equal(commentFrame("hb").text.toString(), ": hb\n\n");
  assert.equal(retryFrame(1500.7).text.toString(), "retry: 1500\n\n");
});

test("an event whose bytes are known, and a long text, make the same frame as a short one", () => {
  const data = JSON.stringify({ text: "ü\u{1f600}".repeat(100_000) });
  const plain = [
    { id: "1", data: "{}" },
    { id: "2", data },
  ];
  const known = plain.map((event) =>
    event.data === data ? { ...event, bytes: [Buffer.from(data.slice(0, 9)), Buffer.from(data.slice(9))] } : event,
  );
  const text = plain.map(sseText).join("");
  for (const frame of [eventsFrame(plain), eventsFrame(known), frameOf(text)]) {
    assert.equal(frame.text.toString(), text);
    assert.equal(frame.chunk.toString(), `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
  }
});
