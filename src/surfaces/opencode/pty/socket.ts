import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import { isParleyError, ParleyError } from "../../../core/errors.ts";
import type { Terminal } from "../../../host/terminals/contract.ts";
import type { Surface } from "../context.ts";
import { type PtyTarget, ptyTarget } from "./target.ts";

/** Bytes that may wait for a client, or for a terminal, before more is taken from the other side. */
const HIGH_WATER = 256 * 1024;
const MAX_INPUT = 1024 * 1024;
const KEEP_ALIVE_MS = 15_000;

const OVER = 1000;
const TRY_AGAIN = 1013;

/** The frame after the replay: clients tell it from output by its being binary. */
function cursorFrame(cursor: number): Buffer {
  return Buffer.from(`\0${JSON.stringify({ cursor })}`);
}

/**
 * Sends the output from the client's cursor on. A client is a place in the kept output, not a queue: nothing is stored
 * for it, and one that is so slow that its place is forgotten is cut and can come back with its cursor.
 */
function sendOutput(socket: WebSocket, terminal: Terminal, cursor: number | undefined): void {
  const { output } = terminal;
  const replayEnd = output.end;
  let place = cursor === -1 ? replayEnd : Math.min(Math.max(cursor ?? 0, output.start), replayEnd);
  let replaying = true;

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
      socket.send(cursorFrame(replayEnd));
    }
    send(output.end);
    if (terminal.ended && place >= output.end) socket.close(OVER);
  };

  const stop = terminal.watch(pump);
  socket.once("close", stop);
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

type Upgrade = (
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  context: { authenticated: boolean },
) => void | Promise<void>;

/** A ticket must be good, also from a client with a token; a client without a ticket needs the token. */
function checkRight({ ptys }: Surface, { id, ticket }: PtyTarget, authenticated: boolean): void {
  if (ticket === undefined ? authenticated : ptys.tickets.take(ticket, id)) return;
  throw noRight(id);
}

function noRight(id: string): ParleyError {
  return new ParleyError(
    "forbidden",
    `expected a fresh ticket for this terminal: get one with POST /pty/${id}/connect-token, and use it once`,
    { reason: "ticket" },
  );
}

/** Refuses a terminal of another node. Whoever shows only a ticket learns nothing about places and directories. */
async function enterKeeper({ gateway }: Surface, { id, directory }: PtyTarget, authenticated: boolean): Promise<void> {
  try {
    await gateway.enterKeeper(directory);
  } catch (error) {
    if (authenticated || (isParleyError(error) && error.code === "wrong_node")) throw error;
    throw noRight(id);
  }
}

/** The WebSockets of OpenCode's API: terminals have the only ones. */
export function createPtyUpgrade(surface: Surface): Upgrade {
  const { terminals } = surface.ptys;
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_INPUT,
  });
  return async (request, duplex, head, { authenticated }) => {
    const header = request.headers["x-opencode-directory"];
    const target = ptyTarget(request.url ?? "/", typeof header === "string" ? header : undefined);
    if (!target) throw new ParleyError("not_found", `no WebSocket is served at ${request.url?.split("?", 1)[0]}`);
    const { id, cursor, directory } = target;
    // Before the right to it: only the node that gave a ticket knows it.
    await enterKeeper(surface, target, authenticated);
    checkRight(surface, target, authenticated);
    const terminal = terminals.get(id);
    if (!terminal || (directory !== undefined && directory !== terminal.directory))
      throw new ParleyError("not_found", `PTY session not found: ${id}`);
    // A client that vanished without a word is noticed by the system.
    request.socket.setKeepAlive(true, KEEP_ALIVE_MS);
    server.handleUpgrade(request, duplex, head, (socket) => {
      socket.on("error", () => {});
      takeInput(socket, terminal);
      sendOutput(socket, terminal, cursor);
    });
  };
}
