import assert from "node:assert/strict";
import { test } from "node:test";
import { startProbed } from "../support/probed.ts";
import { HARD } from "../support/time.ts";

// Milliseconds of the main thread's own work in one go. A quiet machine needs 100; work that grows with the square of the
// size needs minutes on any machine.
const MOST_CPU = HARD ? 400 : 4_000;
const BYTES = 8_000_000;

const many = (piece: string): string => piece.repeat(BYTES / piece.length);

const REFUSED: Record<string, string> = {
  "nested lists": `{"text":${"[".repeat(BYTES / 2)}${"]".repeat(BYTES / 2)}}`,
  "nested objects": `{"text":${'{"a":'.repeat(BYTES / 6)}1${"}".repeat(BYTES / 6)}}`,
  "nothing but brackets": many("["),
  "many members": `{${many('"a":1,')}"b":2}`,
  "many parts": `{"parts":[${many('{"type":"text","text":"a"},')}{}]}`,
  "many wrong parts": `{"parts":[${many("1,")}1]}`,
};

test("a request of 8 MB holds up nobody, whatever is in it", async (t) => {
  const { api, heldUp } = await startProbed(t, {});
  const { id } = await api.create();
  for (let warm = 0; warm < 3; warm++)
    await api.ask(id, { parts: [{ type: "file", url: "data:text/plain;base64,YQ==" }] });
  await (await fetch(`${api.url}/session`)).text();
  await heldUp();
  const measured = async (name: string): Promise<void> => {
    const { cpu, wall } = await heldUp();
    t.diagnostic(`${name}: ${Math.round(cpu)} ms of work, ${Math.round(wall)} ms in all`);
    assert.ok(cpu < MOST_CPU, `${name} had the server work ${cpu} ms in one go`);
  };
  for (const [name, raw] of Object.entries(REFUSED)) {
    for (const path of [`/v1/sessions/${id}/prompts`, `/session/${id}/prompt_async`]) {
      const response = await fetch(`${api.url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: raw,
      });
      assert.equal(response.status, 413, name);
      assert.match(
        ((await response.json()) as { detail: string }).detail,
        /expected a body of at most \d+ (values|levels)/,
      );
    }
    await measured(name);
  }
  const just = Array.from({ length: 2_400 }, () => ({ type: "text", text: "a", synthetic: true }));
  await api.prompt(id, { parts: just });
  await measured("as many parts as may be");
  await api.expect(422, "POST", `/v1/sessions/${id}/prompts`, { parts: Array(9_900).fill(1) });
  await measured("as many mistakes as may be");
  const url = `data:application/octet-stream;base64,${many("A")}`;
  const { turn } = await api.ask(id, {
    parts: [
      { type: "text", text: "look" },
      { type: "file", url, name: "a.bin" },
    ],
  });
  assert.ok(turn);
  await measured("an attachment of 8 MB");
});
