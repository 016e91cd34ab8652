import assert from "node:assert/strict";
import { test } from "node:test";
import { type Figure, LONGEST_NAME } from "../../bench/harness/figure.ts";
import { measurements } from "../../bench/measurements.ts";

function isFigure({ work, value, anchor }: Figure): boolean {
  const named = work !== "" && work.length <= LONGEST_NAME;
  return named && value > 0 && Number.isFinite(value) && anchor.value > 0 && Number.isFinite(anchor.value);
}

// Sizes are tiny and the machine may be shared: numbers must come out, whatever they are, and nothing may be lost.
for (const { name, run } of measurements) {
  test(`the measurement "${name}" yields numbers beside an anchor`, { timeout: 600_000 }, async (t) => {
    const { figures, method, skipped } = await run("tiny");
    if (skipped !== undefined) return t.skip(skipped);
    assert.ok(figures.length > 0);
    assert.deepEqual(
      figures.filter((figure) => !isFigure(figure)),
      [],
    );
    assert.deepEqual(
      figures.flatMap(({ faults = [] }) => faults),
      [],
    );
    assert.notEqual(method, "");
  });
}
