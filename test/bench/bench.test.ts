import assert from "node:assert/strict";
import { test } from "node:test";
import type { Figure } from "../../bench/harness/figure.ts";
import { table } from "../../bench/harness/table.ts";
import { opencode } from "../../bench/measurements/opencode.ts";
import { measurements } from "../../bench/measurements.ts";
import { skipVariable } from "../support/real-agent.ts";

function isFigure({ work, value, anchor }: Figure): boolean {
  return work !== "" && value > 0 && Number.isFinite(value) && anchor.value > 0 && Number.isFinite(anchor.value);
}

// Sizes are tiny and the machine is shared: that numbers come out is checked, and never what they are.
for (const { name, run } of measurements) {
  test(`the measurement "${name}" yields numbers beside an anchor`, { timeout: 240_000 }, async (t) => {
    const { figures, method, skipped } = await run("tiny");
    if (skipped !== undefined) return t.skip(skipped);
    assert.ok(figures.length > 0);
    assert.deepEqual(
      figures.filter((figure) => !isFigure(figure)),
      [],
    );
    // Losses are told in the name of the work.
    assert.deepEqual(
      figures.map(({ work }) => work).filter((work) => /lost|differs|broke|still open/.test(work)),
      [],
    );
    assert.notEqual(method, "");
  });
}

test("a measurement whose program cannot be had says so, and measures nothing", async (t) => {
  const before = { ...process.env };
  process.env[skipVariable("opencode")] = "there is no network";
  t.after(() => {
    process.env = before;
  });
  const { figures, skipped } = await opencode.run("tiny");
  assert.deepEqual({ figures, skipped }, { figures: [], skipped: "there is no network" });
});

test("the table shows a missed goal as missed, with its ratio", () => {
  const anchor = { name: "plain", value: 2 };
  const goal = { text: "under 4 ms", met: false };
  const [, , row] = table([{ work: "work", value: 5, unit: "ms", anchor, goal }]).split("\n");
  assert.equal(row, "| work | plain: 2.00 ms | 5.00 ms | 2.50x | under 4 ms | MISSED |");
});
