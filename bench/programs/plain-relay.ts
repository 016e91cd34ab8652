// The anchor for everything that flows: an agent's lines go to event streams of the same shape, and nothing else is done.
import { spawn } from "node:child_process";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";

const agent = spawn(process.execPath, [process.argv[2] ?? ""], { stdio: ["pipe", "pipe", "inherit"] });
const clients = new Set<ServerResponse>();
const session = "ses_000000000000aaaaaaaaaaaaaa";
const turn = "trn_000000000000aaaaaaaaaaaaaa";
let seq = 0;

function publish(type: string, data: string): void {
  seq += 1;
  const head = `{"id":"${session}:${seq}","seq":${seq},"session":"${session}","turn":"${turn}","time":${Date.now()}`;
  const frame = `id: ${session}:${seq}\ndata: ${head},"source":"agent","type":"${type}","data":${data}}\n\n`;
  for (const client of clients) client.write(frame);
}

createInterface({ input: agent.stdout }).on("line", (line) => {
  if (line.startsWith('{"type":"text",')) publish("item.delta", line);
  else if (line.startsWith('{"type":"turn.finished"')) publish("turn.ended", line);
});
agent.stdin.write(`${JSON.stringify({ type: "open", protocol: 1, session, directory: process.cwd() })}\n`);

const server = createServer((request, response) => {
  if (request.url === "/events") {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("retry: 1000\n\n");
    clients.add(response);
    response.once("close", () => clients.delete(response));
    return;
  }
  let text = "";
  request.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  request.on("end", () => {
    const prompt = { id: "msg_1", parts: [{ type: "text", text: (JSON.parse(text) as { text: string }).text }] };
    agent.stdin.write(`${JSON.stringify({ type: "prompt", prompt })}\n`);
    response.end("{}");
  });
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));

// Without its input an agent leaves by itself.
const leave = (): void => process.exit(0);
process.stdin.on("end", leave).resume();
process.on("SIGTERM", leave);
