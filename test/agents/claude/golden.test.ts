import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { createLineSplitter } from "../../../src/host/lines/line-splitter.ts";
import { compactReplay, goldenFile, Replay, recording, replay } from "./replay.ts";

const directory = fileURLToPath(new URL("../../golden/claude/", import.meta.url));
const names = globSync("*.jsonl", { cwd: directory })
  .map((file) => basename(file, ".jsonl"))
  .sort();

describe("recordings of Claude Code", () => {
  test("are all there", () => assert.equal(names.length, 75));

  for (const name of names) {
    test(`${name}: the expected events, by the laws (node scripts/golden-claude.ts makes them anew)`, () => {
      const played = replay(name);
      assert.equal(compactReplay(played), readFileSync(goldenFile(name, "events.txt"), "utf8"));
      for (const world of played.worlds()) assert.deepEqual(world.broken(), []);
    });
  }
});

describe("the bytes of a recording", () => {
  const said = (name: string, chunks: (bytes: Buffer) => Buffer[]): unknown => {
    const played = new Replay();
    const lines = recording(name).filter(({ dir }) => dir === "out");
    const splitter = createLineSplitter({ line: (text) => played.read(text, 0), oversize: () => {} });
    const bytes = Buffer.from(lines.map(({ line }) => `${JSON.stringify(line)}\n`).join(""));
    for (const chunk of chunks(bytes)) splitter.push(chunk);
    splitter.end();
    return played.signals;
  };

  test("mean the same in any chunks", () => {
    for (const name of names) {
      const whole = said(name, (bytes) => [bytes]);
      fc.assert(
        fc.property(fc.array(fc.integer({ min: 1, max: 4000 }), { minLength: 1, maxLength: 40 }), (sizes) => {
          const cut = (bytes: Buffer): Buffer[] => {
            const chunks: Buffer[] = [];
            for (let at = 0, turn = 0; at < bytes.length; turn++) {
              const size = sizes[turn % sizes.length] ?? 1;
              chunks.push(bytes.subarray(at, at + size));
              at += size;
            }
            return chunks;
          };
          assert.deepEqual(said(name, cut), whole);
        }),
        { numRuns: 20 },
      );
    }
  });
});

describe("lines that come twice", () => {
  test("change nothing: messages, calls, results, ends", () => {
    for (const name of names) {
      const twice = new Replay();
      for (const line of recording(name)) {
        twice.take(line);
        const { type } = line.line as { type?: string };
        if (line.dir === "out" && type !== "stream_event") twice.take(line);
      }
      assert.equal(compactReplay(twice.end()), compactReplay(replay(name)), name);
    }
  });
});

describe("the program's death", () => {
  const EVERY = 5;
  test("ends what is open once, wherever it comes", () => {
    for (const name of names) {
      const lines = recording(name).filter(({ dir }) => dir !== "exit");
      for (let count = 1; count <= lines.length; count += EVERY) {
        const played = new Replay();
        for (const line of lines.slice(0, count)) played.take(line);
        const open = played.root.state.turn !== null;
        const before = played.root.of("turn.ended").length;
        played.end();
        assert.equal(played.root.of("turn.ended").length, before + (open ? 1 : 0), `${name} after ${count} lines`);
        for (const world of played.worlds()) assert.deepEqual(world.broken(), [], `${name} after ${count} lines`);
      }
    }
  });
});
