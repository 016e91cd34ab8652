import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import "./terminal.css";
import { createClient, type TerminalFrame } from "../../src/client/index.ts";
import { retryAfterMs } from "./retry.ts";

const api = createClient({ url: location.origin, token: null, name: "console" });
const id = decodeURIComponent(location.pathname.split("/").at(-1) ?? "");
const place = new URLSearchParams(location.search).get("place") ?? undefined;
const ref = { id, ...(place === undefined ? {} : { place }) };

const screen = new Terminal({ fontSize: 13, cursorBlink: true, scrollback: 5_000, theme: { background: "#101214" } });
const fit = new FitAddon();
screen.loadAddon(fit);

/** The offset of the next character: a new connection goes on from there. */
let next = 0;
let socket: WebSocket | undefined;
let tries = 0;
let over = false;

function tell(text: string): void {
  screen.write(`\r\n\x1b[2m${text}\x1b[0m\r\n`);
}

async function take(data: unknown): Promise<void> {
  if (typeof data === "string") {
    next += data.length;
    screen.write(data);
    return;
  }
  if (!(data instanceof ArrayBuffer)) return;
  const frame = JSON.parse(new TextDecoder().decode(data)) as TerminalFrame;
  if (frame.type === "begin") {
    if (frame.offset > next && next > 0) tell(`${frame.offset - next} characters are no longer kept`);
    next = frame.offset;
  } else {
    over = true;
    tell(`the program ended with ${frame.code}`);
  }
}

function connect(): void {
  socket = new WebSocket(api.terminals.socketUrl(ref, { after: next }));
  socket.binaryType = "arraybuffer";
  socket.onopen = () => {
    tries = 0;
    resize();
  };
  socket.onmessage = (event) => void take(event.data);
  socket.onclose = () => {
    if (over) return;
    setTimeout(() => void again(), retryAfterMs(tries++));
  };
}

/** A terminal that is gone is not asked for again and again. */
async function again(): Promise<void> {
  try {
    await api.terminals.get(ref);
    connect();
  } catch (error) {
    if (error instanceof Error && "status" in error && (error.status === 404 || error.status === 401))
      tell("the terminal is gone");
    else setTimeout(() => void again(), retryAfterMs(tries++));
  }
}

let told = "";

/** Tells the program how large the page is, once for each size. */
function resize(): void {
  fit.fit();
  const { cols, rows } = screen;
  if (`${cols}x${rows}` === told) return;
  told = `${cols}x${rows}`;
  api.terminals.update(ref, { size: { cols, rows } }).catch(() => {
    told = "";
  });
}

const element = document.getElementById("terminal");
if (element) {
  screen.open(element);
  screen.onData((text) => socket?.readyState === WebSocket.OPEN && socket.send(text));
  new ResizeObserver(resize).observe(element);
  connect();
  screen.focus();
}
