// Runs one prompt and prints what the agent says while it says it:
//
//     PARLEY_TOKEN=... node examples/run-a-prompt.ts "Read README.md and add a line"
import { createClient } from "../src/client/index.ts";

const client = createClient({
  url: process.env.PARLEY_URL ?? "http://127.0.0.1:7420",
  token: process.env.PARLEY_TOKEN,
});
const session = client.session(await client.sessions.create({ directory: process.cwd() }));
const run = session.run(process.argv[2] ?? "hello");

for await (const event of run) {
  switch (event.type) {
    case "item.delta":
      if (event.data.role === "assistant") process.stdout.write(event.data.delta ?? "");
      break;
    case "permission.requested":
      console.log(`[allowed once: ${event.data.action} ${event.data.patterns.join(" ")}]`);
      await session.answer(event.data.ask, "once");
      break;
  }
}
const { reason, error } = await run.outcome();
console.log(`\n[${reason}${error ? `: ${error.message}` : ""}]`);
