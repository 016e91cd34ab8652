// Says so many messages (first argument) of so many bytes (second argument), each whole in one line.
import { finish, say, serve } from "../../fixtures/agents/wire.mjs";

serve({
  prompt: () => {
    const text = "y".repeat(Number(process.argv[3]));
    for (let i = 0; i < Number(process.argv[2]); i++) {
      say({ type: "text.done", item: `m${i}`, kind: "message", role: "assistant", text });
    }
    finish();
  },
});
