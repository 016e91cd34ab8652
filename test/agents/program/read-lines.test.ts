import assert from "node:assert/strict";
import { test } from "node:test";
import { readLines } from "../../../src/agents/program/read-lines.ts";
import type { Signal } from "../../../src/core/ledger/signals.ts";

test("a line that cannot be taken in is noise, and the next one is read", () => {
  const signals: Signal[] = [];
  const lines = readLines(
    (text) => {
      if (text === "odd") throw new TypeError("Cannot convert object to primitive value");
      return { said: [{ signal: { type: "note", level: "info", code: "told", text } }] };
    },
    (signal) => void signals.push(signal),
  );
  lines.line("odd");
  lines.line("plain");
  assert.deepEqual(
    signals.map((signal) => (signal.type === "unparsed" ? signal.reason : signal.type)),
    ["not_understood", "note"],
  );
});
