import assert from "node:assert/strict";
import { test } from "node:test";
import { exitCodeOf, type LifeEvent, type Move, nextMove, type Phase } from "../../src/server/lifecycle/lifecycle.ts";

const signal = (name: "SIGINT" | "SIGTERM" | "SIGHUP", at: number): LifeEvent => ({ type: "signal", signal: name, at });

const STORIES: [string, LifeEvent[], Move[]][] = [
  [
    "a clean drain",
    [signal("SIGTERM", 0), { type: "drained", clean: true }],
    [{ do: "drain" }, { do: "exit", code: 0 }],
  ],
  [
    "a drain that failed",
    [signal("SIGINT", 0), { type: "drained", clean: false }],
    [{ do: "drain" }, { do: "exit", code: 1 }],
  ],
  ["a second Ctrl-C", [signal("SIGINT", 0), signal("SIGINT", 900)], [{ do: "drain" }, { do: "exit", code: 130 }]],
  ["a second TERM", [signal("SIGTERM", 0), signal("SIGTERM", 900)], [{ do: "drain" }, { do: "exit", code: 143 }]],
  [
    "TERM after Ctrl-C at once",
    [signal("SIGINT", 0), signal("SIGTERM", 1)],
    [{ do: "drain" }, { do: "exit", code: 143 }],
  ],
  ["a second hang-up", [signal("SIGHUP", 0), signal("SIGHUP", 900)], [{ do: "drain" }, { do: "exit", code: 129 }]],
  [
    "a Ctrl-C that npx repeats",
    [signal("SIGINT", 100), signal("SIGINT", 110), { type: "drained", clean: true }],
    [{ do: "drain" }, { do: "nothing" }, { do: "exit", code: 0 }],
  ],
  [
    "npm's end",
    [
      { type: "launcher-gone", at: 0 },
      { type: "drained", clean: true },
    ],
    [{ do: "drain" }, { do: "exit", code: 0 }],
  ],
  [
    "a hang-up that ends npm, too",
    [signal("SIGHUP", 0), { type: "launcher-gone", at: 200 }, { type: "drained", clean: true }],
    [{ do: "drain" }, { do: "nothing" }, { do: "exit", code: 0 }],
  ],
  [
    "npm's end that is seen before the signal that ended it",
    [{ type: "launcher-gone", at: 0 }, signal("SIGTERM", 20), { type: "drained", clean: true }],
    [{ do: "drain" }, { do: "nothing" }, { do: "exit", code: 0 }],
  ],
  [
    "a signal after npm's end",
    [{ type: "launcher-gone", at: 0 }, signal("SIGTERM", 900)],
    [{ do: "drain" }, { do: "exit", code: 143 }],
  ],
  [
    "the deadline after npm's end",
    [{ type: "launcher-gone", at: 0 }, { type: "deadline" }],
    [{ do: "drain" }, { do: "exit", code: 1 }],
  ],
  ["the deadline", [signal("SIGTERM", 0), { type: "deadline" }], [{ do: "drain" }, { do: "exit", code: 143 }]],
  [
    "a fatal error",
    [
      { type: "fatal", at: 0 },
      { type: "drained", clean: true },
    ],
    [{ do: "drain" }, { do: "exit", code: 1 }],
  ],
  [
    "the deadline of a fatal error",
    [{ type: "fatal", at: 0 }, { type: "deadline" }],
    [{ do: "drain" }, { do: "exit", code: 1 }],
  ],
  [
    "a fatal error in a drain",
    [signal("SIGTERM", 0), { type: "fatal", at: 1 }, { type: "drained", clean: true }],
    [{ do: "drain" }, { do: "nothing" }, { do: "exit", code: 1 }],
  ],
  [
    "an impatient owner of a broken server",
    [{ type: "fatal", at: 0 }, signal("SIGINT", 1)],
    [{ do: "drain" }, { do: "exit", code: 130 }],
  ],
  ["a deadline without a drain", [{ type: "deadline" }], [{ do: "nothing" }]],
];

for (const [name, events, expected] of STORIES) {
  test(`the life of a server: ${name}`, () => {
    let phase: Phase = { name: "running" };
    const moves = events.map((event) => {
      const next = nextMove(phase, event);
      phase = next.phase;
      return next.move;
    });
    assert.deepEqual(moves, expected);
  });
}

test("exit codes are those of a process that the signal ended", () => {
  assert.deepEqual((["SIGHUP", "SIGINT", "SIGTERM"] as const).map(exitCodeOf), [129, 130, 143]);
});
