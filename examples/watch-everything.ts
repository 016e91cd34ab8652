// Tells in one line each what begins, ends and waits for an answer, in any session, until Ctrl-C:
//
//     PARLEY_TOKEN=... node examples/watch-everything.ts
import { createClient } from "../src/client/index.ts";

const client = createClient({
  url: process.env.PARLEY_URL ?? "http://127.0.0.1:7420",
  token: process.env.PARLEY_TOKEN,
});
const stop = new AbortController();
process.once("SIGINT", () => stop.abort());

const events = client.allEvents({
  signal: stop.signal,
  onConnection: ({ state }) => console.log(state === "open" ? "watching" : "lost the server, trying again"),
});
for await (const event of events) {
  if (event.type === "turn.started") console.log(event.session, "is busy");
  if (event.type === "turn.ended") console.log(event.session, "is idle:", event.data.reason);
  if (event.type === "permission.requested") console.log(event.session, "asks for", event.data.action);
  if (event.type === "question.requested") console.log(event.session, "asks:", event.data.questions[0]?.question);
}
console.log("to go on here: after =", events.cursor);
