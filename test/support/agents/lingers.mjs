// Answers after a while, and stays when its server is gone: only a signal ends it.
import { finish, say, serve } from "../../fixtures/agents/wire.mjs";

let turn = 0;
process.stdout.on("error", () => {});
setInterval(() => {}, 1000);
serve({
  prompt: () => {
    const item = `${process.pid}-${turn++}`;
    let words = 20;
    const timer = setInterval(() => {
      say({ type: "text", item, kind: "message", role: "assistant", delta: "still here " });
      if (--words > 0) return;
      clearInterval(timer);
      finish();
    }, 10);
  },
});
