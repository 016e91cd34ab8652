// Exits as soon as its turn has ended.
import { finish, say, serve } from "../../fixtures/agents/wire.mjs";

serve({
  prompt: () => {
    say({ type: "text.done", item: `m${process.pid}`, kind: "message", role: "assistant", text: "my only answer" });
    finish();
    process.stdout.write("", () => process.exit(1));
  },
});
