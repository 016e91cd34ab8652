import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createSseLines } from "../../../../src/agents/opencode/follow/sse-lines.ts";

function read(chunks: readonly (string | Buffer)[]): { texts: string[]; lost: number } {
  const found = { texts: [] as string[], lost: 0 };
  const lines = createSseLines(
    (text) => void found.texts.push(text),
    () => void found.lost++,
  );
  for (const chunk of chunks) lines.push(Buffer.from(chunk));
  return found;
}

describe("an event stream", () => {
  const cases: [what: string, stream: string, texts: string[]][] = [
    ["events", 'data: {"a":1}\n\ndata: {"b":2}\n\n', ['{"a":1}', '{"b":2}']],
    ["lines that end with CR LF", "data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"]],
    ["no blank after the colon", "data:a\n\n", ["a"]],
    ["one blank is taken away, and no more", "data:  a\n\n", [" a"]],
    ["an event of several lines", "data: a\ndata: b\ndata:\n\n", ["a\nb\n"]],
    ["comments and other fields", ": beat\n\nid: 1\nevent: x\nretry: 5\ndata: a\n\n", ["a"]],
    ["fields that only begin like data", "database: a\n\ndata a\n\n", []],
    ["an event that is not over", "data: a\n", []],
    ["blank lines", "\n\n\n", []],
    ["signs of several bytes", "data: zażółć 🦜\n\n", ["zażółć 🦜"]],
  ];
  for (const [what, stream, texts] of cases)
    test(`has ${what}, however it is cut`, () => {
      const bytes = Buffer.from(stream);
      assert.deepEqual(read([stream]).texts, texts);
      assert.deepEqual(read(Array.from(bytes, (byte) => Buffer.of(byte))).texts, texts);
      for (let at = 1; at < bytes.length; at++)
        assert.deepEqual(read([bytes.subarray(0, at), bytes.subarray(at)]).texts, texts, `cut at ${at}`);
    });

  test("does not keep the memory of a chunk that is used again", () => {
    const texts: string[] = [];
    const lines = createSseLines(
      (text) => void texts.push(text),
      () => {},
    );
    const chunk = Buffer.from("data: ab");
    lines.push(chunk);
    chunk.fill("x");
    lines.push(Buffer.from("c\n\n"));
    assert.deepEqual(texts, ["abc"]);
  });

  test("loses a line that is too long, and goes on behind it", () => {
    const million = "x".repeat(1024 * 1024);
    const long = Array.from({ length: 33 }, () => million);
    const { texts, lost } = read(["data: a\n\ndata: ", ...long, "\n\ndata: b\n\n"]);
    assert.deepEqual(texts, ["a", "b"]);
    assert.equal(lost, 1);
  });
});
