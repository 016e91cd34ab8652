// The anchor for a server between OpenCode and its client: each client gets the bytes of one event stream, and nothing else is done.
import { createServer, get } from "node:http";

const [, , source] = process.argv;
const server = createServer((_, response) => {
  const upstream = get(source, { agent: false }, (events) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    events.on("data", (bytes) => response.write(bytes));
    events.once("close", () => response.destroy());
  });
  upstream.once("error", () => response.destroy());
  response.once("close", () => upstream.destroy());
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.on("end", () => process.exit(0)).resume();
