import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { boundsOf, daysIn, isDay } from "../../../src/core/spending/days.ts";

/** The day of a moment in a zone. */
const day = (zone: string, moment: string): string | undefined => daysIn(zone)?.(Date.parse(moment));

const CASES: [zone: string, moment: string, day: string][] = [
  ["UTC", "2026-11-17T23:59:59.999Z", "2026-11-17"],
  ["UTC", "2026-11-18T00:00:00Z", "2026-11-18"],
  ["Europe/Berlin", "2026-11-17T23:00:00Z", "2026-11-18"],
  ["America/New_York", "2026-11-18T04:59:59Z", "2026-11-17"],
  ["Asia/Kathmandu", "2026-11-17T18:14:59Z", "2026-11-17"],
  ["Asia/Kathmandu", "2026-11-17T18:15:00Z", "2026-11-18"],
  ["Pacific/Kiritimati", "2026-11-17T10:00:00Z", "2026-11-18"],
  // The days of 23 and of 25 hours.
  ["Europe/Berlin", "2026-03-28T22:59:59Z", "2026-03-28"],
  ["Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29"],
  ["Europe/Berlin", "2026-03-29T21:59:59Z", "2026-03-29"],
  ["Europe/Berlin", "2026-03-29T22:00:00Z", "2026-03-30"],
  ["Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25"],
  ["Europe/Berlin", "2026-10-25T22:59:59Z", "2026-10-25"],
  ["Europe/Berlin", "2026-10-25T23:00:00Z", "2026-10-26"],
];

for (const [zone, moment, expected] of CASES)
  test(`${moment} is on ${expected} in ${zone}`, () => assert.equal(day(zone, moment), expected));

test("a zone that nobody knows has no days", () => {
  assert.equal(daysIn("Mars/Olympus"), undefined);
  assert.equal(daysIn(""), undefined);
});

test("a day is one of the calendar", () => {
  for (const right of ["2026-02-28", "2028-02-29"]) assert.ok(isDay(right), right);
  for (const wrong of ["2026-02-29", "2026-13-01", "2026-1-1", "today", "", "2026-01-01T00:00:00Z"])
    assert.ok(!isDay(wrong), wrong);
});

test("no moment of a day lies outside of its bounds, in any zone", () => {
  const zones = Intl.supportedValuesOf("timeZone");
  const moments = fc.integer({ min: Date.UTC(2025, 0, 1), max: Date.UTC(2030, 0, 1) });
  fc.assert(
    fc.property(fc.constantFrom(...zones), moments, (zone, time) => {
      const on = daysIn(zone)?.(time) ?? "";
      const { from = 0, to = 0 } = boundsOf(on, on);
      assert.ok(from <= time && time < to);
    }),
  );
});
