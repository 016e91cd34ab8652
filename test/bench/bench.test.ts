import assert from "node:assert/strict";
import { test } from "node:test";
import { type Figure, LONGEST_NAME } from "../../bench/harness/figure.ts";
import { saved, table } from "../../bench/harness/table.ts";
import { opencode } from "../../bench/measurements/opencode.ts";
import { measurements } from "../../bench/measurements.ts";
import { skipVariable } from "../support/real-agent.ts";

function isFigure({ work, value, anchor }: Figure): boolean {
  const named = work !== "" && work.length <= LONGEST_NAME;
  return named && value > 0 && Number.isFinite(value) && anchor.value > 0 && Number.isFinite(anchor.value);
}

// Sizes are tiny and the machine is shared: that numbers come out is checked, and never what they are.
for (const { name, run } of measurements) {
  // OpenCode's own server and interface take half a minute to start often enough.
  const skip = name === "opencode" && !process.env.PARLEY_TEST_HARD ? "a long one: npm run test:hard" : false;
  test(`the measurement "${name}" yields numbers beside an anchor`, { timeout: 240_000, skip }, async (t) => {
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

const LOSING: Figure = {
  work: "throughput",
  value: 61_989.123,
  unit: "events/s",
  anchor: { name: "plain", value: 57_739.4 },
  goal: { text: "20,000 events/s", met: true },
  faults: ["3 lost"],
};

test("the table shows lost events in its last column, and not in the name of the work", () => {
  const [, , row] = table([LOSING]).split("\n");
  assert.equal(
    row,
    "| throughput | plain: 57,739 events/s | 61,989 events/s | 1.07x | 20,000 events/s | FAILED: 3 lost |",
  );
});

test("saved results are JSON with one line for each figure", () => {
  const text = saved({ machine: "small" }, [LOSING, { ...LOSING, faults: [] }]);
  assert.equal(text.trimEnd().split("\n").length, 4);
  const { about, figures } = JSON.parse(text) as { about: unknown; figures: object[] };
  assert.deepEqual(about, { machine: "small" });
  assert.deepEqual(figures[0], {
    work: "throughput",
    value: 61990,
    unit: "events/s",
    beside: "plain",
    anchor: 57740,
    goal: "20,000 events/s",
    met: true,
    faults: ["3 lost"],
  });
});
