import assert from "node:assert/strict";
import { test } from "node:test";
import { createNoiseMeter, type Noise, type NoiseReport } from "../../src/host/noise.ts";

function feed(lines: readonly Noise[]): NoiseReport[] {
  const meter = createNoiseMeter();
  const reports = lines.map((line) => meter.add(line));
  return [...reports, meter.flush()].filter((report) => report !== undefined);
}

const noise = (text: string, reason = "not_json"): Noise => ({ reason, text, bytes: text.length });

test("the first lines are reported singly, at once", () => {
  const meter = createNoiseMeter();
  for (const text of ["a", "b", "c", "d", "e"]) {
    assert.deepEqual(meter.add(noise(text)), { reason: "not_json", sample: text, count: 1, bytes: 1 });
  }
  assert.equal(meter.add(noise("f")), undefined);
  assert.deepEqual(meter.flush(), { reason: "not_json", sample: "f", count: 1, bytes: 1 });
  assert.equal(meter.flush(), undefined);
});

for (const total of [0, 1, 5, 6, 10, 11, 999, 10_000, 100_000]) {
  test(`${total} lines: few reports, and their counts add up exactly`, () => {
    const reports = feed(Array.from({ length: total }, (_, i) => noise(`line ${i}`)));
    assert.ok(reports.length <= 21, `${reports.length} reports`);
    if (total <= 10_000) assert.ok(reports.length <= 20, `${reports.length} reports`);
    assert.equal(
      reports.reduce((sum, report) => sum + report.count, 0),
      total,
    );
    const bytes = Array.from({ length: total }, (_, i) => `line ${i}`.length).reduce((a, b) => a + b, 0);
    assert.equal(
      reports.reduce((sum, report) => sum + report.bytes, 0),
      bytes,
    );
  });
}

test("a summary of lines with different faults says so", () => {
  const reports = feed([...Array(5).fill(noise("x")), noise("y", "not_json"), noise("[]", "not_an_object")]);
  assert.deepEqual(reports.at(-1), { reason: "mixed", sample: "y", count: 2, bytes: 3 });
});

test("a sample is cut to 200 characters and is well-formed", () => {
  const [report] = feed([noise(`${"x".repeat(199)}😀 and more`)]);
  assert.equal(report?.sample, `${"x".repeat(199)}\ufffd`);
  assert.equal(report?.bytes, 199 + 2 + 9);
});

test("a line without text has no sample", () => {
  assert.deepEqual(feed([{ reason: "line_too_large", bytes: 7 }]), [{ reason: "line_too_large", count: 1, bytes: 7 }]);
});
