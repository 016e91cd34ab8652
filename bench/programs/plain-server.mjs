// The anchor for starting and for memory. Plain JavaScript, so that it does not pay for TypeScript.
import { createServer } from "node:http";

const server = createServer((_, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end('{"status":"ok"}');
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.on("end", () => process.exit(0)).resume();
