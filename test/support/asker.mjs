// Asks an address again and again, and beside it a server that does nothing, which shows what the machine takes.
// A message has it tell the longest round trips since the last one.
import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent, createServer, get } from "node:http";

async function longest(url, agent) {
  const begun = performance.now();
  const [response] = await once(get(url, { agent }), "response");
  for await (const _ of response);
  return performance.now() - begun;
}

async function ask(url) {
  const idle = fork(import.meta.filename, ["idle"]);
  const [port] = await once(idle, "message");
  const agent = new Agent({ keepAlive: true });
  let worst = { asked: 0, idle: 0 };
  process.on("message", () => {
    process.send(worst);
    worst = { asked: 0, idle: 0 };
  });
  for (;;) {
    const [asked, anchor] = await Promise.all([longest(url, agent), longest(`http://127.0.0.1:${port}`, agent)]);
    worst = { asked: Math.max(worst.asked, asked), idle: Math.max(worst.idle, anchor) };
  }
}

process.on("disconnect", () => process.exit());
if (process.argv[2] === "idle") {
  const server = createServer((_, response) => response.end("{}")).listen(0, "127.0.0.1", () => {
    process.send(server.address().port);
  });
} else {
  // A server that ends is no fault of this one.
  ask(process.argv[2]).catch(() => process.exit());
}
