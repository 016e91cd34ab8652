import assert from "node:assert/strict";
import { test } from "node:test";
import type { Figure } from "../../bench/harness/figure.ts";
import { saved, table } from "../../bench/harness/table.ts";
import { codex } from "../../bench/measurements/codex.ts";
import { console } from "../../bench/measurements/console.ts";
import { opencode } from "../../bench/measurements/opencode.ts";
import { opencodeAgent } from "../../bench/measurements/opencode-agent.ts";
import { skipVariable } from "../support/real-agent.ts";

test("a measurement whose program cannot be had says so, and measures nothing", async (t) => {
  const before = { ...process.env };
  for (const name of ["opencode", "codex"] as const) process.env[skipVariable(name)] = "there is no network";
  t.after(() => {
    process.env = before;
  });
  for (const { run } of [opencode, opencodeAgent, codex, console]) {
    const { figures, skipped } = await run("tiny");
    assert.deepEqual({ figures, skipped }, { figures: [], skipped: "there is no network" });
  }
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
