import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import type { Terminal } from "../../host/terminals/contract.ts";

/** Bytes that may wait for a client, or for a terminal, before more is taken from the other side. */
const HIGH_WATER = 256 * 1024;
const MAX_INPUT = 1024 * 1024;
const KEEP_ALIVE_MS = 15_000;

const OVER = 1000;
const TRY_AGAIN = 1013;

/** Takes an upgrade of a connection to a WebSocket. Throws to refuse it. */
export type Upgrade = (
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  context: { authenticated: boolean },
) => void | Promise<void>;

/** The frames beside the output, which clients tell from it by their being binary. */
export interface Framing {
  /** Before the output: the offset at which it begins. */
  begin?(offset: number): Buffer;
  /** Behind the output that there was when the client came. */
  replayed?(offset: number): Buffer;
  /** Behind the last output. */
  exit?(code: number): Buffer;
}

export interface Attached {
  terminal: Terminal;
  /** The client's offset in the output: its beginning unless told, -1 for its end. */
  after: number | undefined;
  framing: Framing;
}

/**
 * Sends the output from the client's offset on. A client is a place in the kept output, not a queue: nothing is stored
 * for it, and one that is so slow that its place is forgotten is cut and can come back with its offset.
 */
function sendOutput(socket: WebSocket, { terminal, after, framing }: Attached): void {
  const { output, info } = terminal;
  const replayEnd = output.end;
  let place = after === -1 ? replayEnd : Math.min(Math.max(after ?? 0, output.start), replayEnd);
  let replaying = true;
  let told = false;

  const tell = (frame: Buffer | undefined): void => {
    if (frame) socket.send(frame);
  };
  const send = (until: number): void => {
    while (place < until && socket.bufferedAmount < HIGH_WATER) {
      const { text, next } = output.read(place, until);
      place = next;
      if (text !== "") socket.send(text, pump);
    }
  };
  const pump = (): void => {
    if (socket.readyState !== socket.OPEN) return;
    if (place < output.start) {
      socket.close(TRY_AGAIN, "read too slowly, and what comes next is forgotten: come back with your cursor");
      return;
    }
    if (replaying) {
      send(replayEnd);
      if (place < replayEnd) return;
      replaying = false;
      tell(framing.replayed?.(replayEnd));
    }
    send(output.end);
    if (!terminal.ended || place < output.end) return;
    if (!told) tell(framing.exit?.(info.exitCode ?? 0));
    told = true;
    socket.close(OVER);
  };

  const stop = terminal.watch(pump);
  socket.once("close", stop);
  tell(framing.begin?.(place));
  pump();
}

/** A terminal takes what its program reads; a client that sends more is made to wait. */
function takeInput(socket: WebSocket, terminal: Terminal): void {
  let waiting = 0;
  socket.on("message", (data: RawData) => {
    const input = data as Buffer;
    waiting += input.length;
    if (waiting > HIGH_WATER) socket.pause();
    void terminal.write(input).then(() => {
      waiting -= input.length;
      if (waiting <= HIGH_WATER && socket.isPaused) socket.resume();
    });
  });
}

/** The WebSockets of terminals, for a surface that has found out which one is meant and that the client may have it. */
export function terminalSockets(): (
  request: IncomingMessage,
  duplex: Duplex,
  head: Buffer,
  attached: Attached,
) => void {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_INPUT,
  });
  return (request, duplex, head, attached) => {
    // A client that vanished without a word is noticed by the system.
    request.socket.setKeepAlive(true, KEEP_ALIVE_MS);
    server.handleUpgrade(request, duplex, head, (socket) => {
      socket.on("error", () => {});
      takeInput(socket, attached.terminal);
      sendOutput(socket, attached);
    });
  };
}
