// Says one line once for each of its bytes, and lets the line's two parts, split there, arrive one after the other.
import { setTimeout as delay } from "node:timers/promises";
import { finish, serve } from "../../fixtures/agents/wire.mjs";

const delta = process.argv[2];
const line = Buffer.from(
  `${JSON.stringify({ type: "text", item: "m1", kind: "message", role: "assistant", delta })}${process.argv[3] === "crlf" ? "\r\n" : "\n"}`,
);

serve({
  prompt: async () => {
    for (let at = 0; at < line.length; at++) {
      process.stdout.write(line.subarray(0, at));
      await delay(2);
      process.stdout.write(line.subarray(at));
      await delay(1);
    }
    finish();
  },
});
