// An agent that says "COUNT PERIOD" lines: so many, one every so many milliseconds, each with the time it was written.
import { createInterface } from "node:readline";
import { nowMicros } from "../harness/stats.ts";

const FILLER = "some words of an answer";

function say(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

function play(count: number, period: number): void {
  const item = `item-${nowMicros()}`;
  const start = performance.now();
  let said = 0;
  // Timers drift, so that each tick says all that is due by now, but keeps the mean rate.
  const timer = setInterval(() => {
    const due = Math.min(count, Math.floor((performance.now() - start) / period));
    while (said < due) {
      said += 1;
      const delta = `n=${said} t=${nowMicros()} ${FILLER} `;
      say({ type: "text", item, kind: "message", role: "assistant", delta });
    }
    if (said < count) return;
    clearInterval(timer);
    say({ type: "text.done", item });
    say({ type: "turn.finished", reason: "end_turn" });
  }, period);
}

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line) as { type: string; prompt?: { parts: { text: string }[] } };
  if (command.type === "open") say({ type: "ready" });
  if (command.type === "close") process.exit(0);
  if (command.type !== "prompt") continue;
  const [count = 0, period = 1] = (command.prompt?.parts[0]?.text ?? "").split(" ").map(Number);
  play(count, period);
}
