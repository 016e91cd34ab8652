import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import fc from "fast-check";
import { createLineSplitter } from "../../../src/host/lines/line-splitter.ts";
import { compactReplay } from "./compact.ts";
import { type Recorded, Recordings, textOf } from "./recording.ts";
import { playAll, type Replay } from "./replay.ts";

export interface Golden {
  /** The agent's folder in test/golden. */
  agent: string;
  title: string;
  /** How many recordings there are. */
  count: number;
  open(): Replay;
  /** Whether a line of the program changes nothing when it comes a second time. */
  mayRepeat(line: Recorded): boolean;
}

/** Holds a decoder to the recordings of its program. */
export function goldenSuite({ agent, title, count, open, mayRepeat }: Golden): void {
  const recordings = new Recordings(agent);
  const names = recordings.names();
  const replay = (name: string): Replay => playAll(open(), recordings.read(name));

  describe(`recordings of ${title}`, () => {
    test("are all there", () => assert.equal(names.length, count));

    for (const name of names) {
      test(`${name}: the expected events, by the laws (node scripts/golden.ts ${agent} makes them anew)`, () => {
        const played = replay(name);
        assert.equal(compactReplay(played), readFileSync(recordings.file(name, "events.txt"), "utf8"));
        for (const world of played.worlds()) assert.deepEqual(world.broken(), []);
      });
    }
  });

  describe("the bytes of a recording", () => {
    const said = (name: string, chunks: (bytes: Buffer) => Buffer[]): unknown => {
      const played = open();
      const lines = recordings.read(name).filter(({ dir }) => dir === "out");
      const splitter = createLineSplitter({ line: (text) => played.read(text, 0), oversize: () => {} });
      const bytes = Buffer.from(lines.map((line) => `${textOf(line)}\n`).join(""));
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
        const twice = open();
        for (const line of recordings.read(name)) {
          twice.take(line);
          if (line.dir === "out" && mayRepeat(line)) twice.take(line);
        }
        assert.equal(compactReplay(twice.end()), compactReplay(replay(name)), name);
      }
    });
  });

  describe("the program's death", () => {
    const EVERY = 5;
    test("ends what is open once, wherever it comes", () => {
      for (const name of names) {
        const lines = recordings.read(name).filter(({ dir }) => dir !== "exit");
        for (let count = 1; count <= lines.length; count += EVERY) {
          const played = open();
          for (const line of lines.slice(0, count)) played.take(line);
          const isOpen = played.root.state.turn !== null;
          const before = played.root.of("turn.ended").length;
          played.end();
          assert.equal(played.root.of("turn.ended").length, before + (isOpen ? 1 : 0), `${name} after ${count} lines`);
          for (const world of played.worlds()) assert.deepEqual(world.broken(), [], `${name} after ${count} lines`);
        }
      }
    });
  });
}
