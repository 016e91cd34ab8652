import assert from "node:assert/strict";
import { test } from "node:test";
import type { ParleyEvent } from "../../../../src/core/events/event.ts";
import { SessionView } from "../../../../src/surfaces/opencode/projection/session-view.ts";
import { cpuMs } from "../../../support/time.ts";
import { Story } from "./story.ts";

const DELTAS = 100_000;

function stream(begin: (story: Story) => void): { head: readonly ParleyEvent[]; delta: ParleyEvent } {
  const story = new Story().prompt().step();
  begin(story);
  const delta = story.world.events.findLast((event) => event.type === "item.delta");
  assert.ok(delta);
  return { head: story.world.events, delta };
}

const STREAMS = {
  "words of an answer": stream((story) =>
    story.world.signal({ type: "text", item: "m", kind: "message", delta: "word " }),
  ),
  "lines of a command": stream((story) => {
    story.run("c", "bash", { command: "yes" }).world.signal({ type: "tool.output", call: "c", delta: "line\n" });
  }),
};

for (const [what, { head, delta }] of Object.entries(STREAMS)) {
  test(`100,000 ${what} cost no more each than the first`, (t) => {
    const view = new SessionView(undefined);
    for (const event of head) view.apply(event);
    const ms = cpuMs(() => {
      for (let at = 0; at < DELTAS; at++) view.apply({ ...delta, seq: delta.seq + at + 1 } as ParleyEvent);
    });
    t.diagnostic(`${ms.toFixed(0)} ms`);
    // A copy of what came before with each delta would take minutes.
    assert.ok(ms < 3_000, `${ms} ms of work`);
    const part = view.messages().at(-1)?.parts.at(-1);
    if (part?.type === "text") assert.equal(part.text.length, (DELTAS + 1) * 5);
  });
}
