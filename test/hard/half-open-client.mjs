// Opens connections of every kind to a server (address, port, token, session, terminal) and reads what comes; says when all are open.
import { connect } from "node:net";

const [host, port, token, session, terminal, count] = process.argv.slice(2);
const KINDS = [
  `GET /v1/sessions/${session}/stream`,
  "GET /v1/stream",
  "GET /event",
  "GET /global/event",
  `GET /pty/${terminal}/connect`,
  "GET /v1/sessions",
];
const upgrade = [
  "connection: Upgrade",
  "upgrade: websocket",
  "sec-websocket-version: 13",
  "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
];
let open = 0;
for (let at = 0; at < Number(count); at++) {
  const line = KINDS[at % KINDS.length];
  const socket = connect(Number(port), host);
  const more = line.includes("/pty/") ? upgrade : [];
  socket.write(
    [`${line} HTTP/1.1`, `host: ${host}:${port}`, `authorization: Bearer ${token}`, ...more, "", ""].join("\r\n"),
  );
  socket.on("error", () => {});
  socket.once("data", (head) => {
    const [, status = ""] = /^HTTP\/1.1 (\d+)/.exec(String(head)) ?? [];
    if (status !== "200" && status !== "101") console.log(`refused: ${line}: ${head}`);
    if (++open === Number(count)) console.log("open");
  });
  socket.resume();
}
setInterval(() => {}, 60_000);
