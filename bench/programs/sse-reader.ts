// Many event streams in one process, read as cheaply as can be, so that the server is measured and not its clients.
import { connect } from "node:net";
import type { ReaderOptions } from "../harness/reader.ts";
import { nowMicros } from "../harness/stats.ts";
import { createTally } from "./tally.ts";

const options = JSON.parse(process.argv[2] ?? "{}") as ReaderOptions;
const url = new URL(options.url);
const tally = createTally(options, (reading) => console.log(JSON.stringify(reading)));
let ready = 0;

const AT_ONCE = 50;

// One buffer for all: each callback is done with it before the next read.
const buffer = Buffer.alloc(256 * 1024);

/**
 * The bytes are read with HTTP's chunk sizes still among them: both servers put whole events into a chunk, so that a size
 * is a line of its own between events, and a line without a colon means nothing in an event stream.
 */
function openStream(): void {
  const client = tally.client();
  let rest = "";
  let opened = false;
  const open = (): boolean => {
    const end = rest.indexOf("\r\n\r\n");
    if (end === -1) return false;
    if (!rest.startsWith("HTTP/1.1 200")) client.broke();
    rest = rest.slice(end + 4);
    opened = true;
    ready += 1;
    if (ready === options.clients) console.log("open");
    else openMore();
    return true;
  };
  const read = (count: number): boolean => {
    const at = nowMicros();
    rest += buffer.toString("latin1", 0, count);
    if (!opened && !open()) return true;
    const text = rest;
    let from = 0;
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n", from)) {
      client.frame(text, from, end, at);
      from = end + 2;
    }
    rest = text.slice(from);
    return true;
  };
  const socket = connect({ host: url.hostname, port: Number(url.port), onread: { buffer, callback: read } });
  socket.on("error", () => client.broke());
  socket.on("close", () => client.broke());
  socket.write(`GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nAccept: text/event-stream\r\n\r\n`);
}

let left = options.clients;
function openMore(): void {
  if (left === 0) return;
  left -= 1;
  openStream();
}

// A few at a time: a server's queue of connections is short.
for (let at = 0; at < AT_ONCE; at++) openMore();

process.stdin.on("end", () => process.exit(0)).resume();
