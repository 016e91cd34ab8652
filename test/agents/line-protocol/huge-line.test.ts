import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { decodeLine } from "../../../src/agents/line-protocol/decode.ts";
import { createLineSplitter } from "../../../src/host/lines/line-splitter.ts";
import { tempDirectory } from "../../host/support.ts";
import { measures } from "../../support/time.ts";

const MAX_TEXT = 1024 * 1024;
const FRAME = JSON.stringify({ type: "text", item: "m1", kind: "message", role: "assistant", delta: "" }).length;
const file = fileURLToPath(new URL("./huge-line-child.ts", import.meta.url));

for (const megabytes of [1, 16, 64, 100]) {
  test(`a line of ${megabytes} MB: the turn lives and memory comes back`, async (t) => {
    const directory = await tempDirectory(t);
    const argv = ["--expose-gc", file, String(megabytes), directory];
    const { stdout } = await promisify(execFile)(process.execPath, argv);
    const { lengths, unparsed, growth, ms } = JSON.parse(stdout);
    const bytes = megabytes * 1_000_000;
    t.diagnostic(
      `${megabytes} MB: ${Math.round(ms)} ms with the program's own time, RSS +${Math.round(growth / 1e6)} MB`,
    );
    if (megabytes < 67) {
      const [first = 0, last] = lengths;
      assert.equal(last, " after".length);
      if (megabytes === 1) assert.equal(first, bytes - FRAME);
      else assert.ok(first > MAX_TEXT && first < MAX_TEXT + 100, `${first} characters`);
      const left = bytes - FRAME - MAX_TEXT;
      assert.deepEqual(
        unparsed,
        left < 0 ? [] : [{ type: "unparsed", reason: "line_shortened", count: 1, bytes: left }],
      );
    } else {
      assert.deepEqual(lengths, [" after".length]);
      assert.deepEqual(unparsed, [{ type: "unparsed", reason: "line_too_large", count: 1, bytes }]);
    }
    assert.ok(growth < 50_000_000, `RSS grew by ${growth} bytes`);
  });
}

test("a line of 64 MB is split, cut and read in no more time than reading it whole would take", measures, (t) => {
  const line = Buffer.from(`{"type":"text","item":"m1","delta":"${"x".repeat(64_000_000)}"}\n`);
  const timed = (work: () => void): number => {
    const begun = performance.now();
    work();
    return performance.now() - begun;
  };
  const split = (): void => {
    let length = 0;
    const splitter = createLineSplitter({
      line(text) {
        const decoded = decodeLine(text);
        if (decoded.what === "signal" && decoded.signal.type === "text") length = decoded.signal.delta.length;
      },
      oversize() {},
    });
    for (let at = 0; at < line.length; at += 65_536) splitter.push(line.subarray(at, at + 65_536));
    assert.ok(length > MAX_TEXT && length < MAX_TEXT + 100, `${length} characters`);
  };
  const whole = (): void => void JSON.parse(line.toString());
  // A busy machine makes some tries of both slow; a slow reader makes all of its own slow.
  let [mine, plain] = [timed(split), timed(whole)];
  for (let tries = 1; tries < 5; tries++) [mine, plain] = [Math.min(mine, timed(split)), Math.min(plain, timed(whole))];
  t.diagnostic(`64 MB: ${Math.round(mine)} ms, as a whole ${Math.round(plain)} ms`);
  assert.ok(mine < plain, `${mine} ms, as a whole ${plain} ms`);
});
