import { isParleyError, ParleyError } from "../../../core/errors.ts";
import { type Framing, terminalSockets, type Upgrade } from "../../http/terminal-socket.ts";
import type { Surface } from "../context.ts";
import { type PtyTarget, ptyTarget } from "./target.ts";

const FRAMING: Framing = { replayed: (cursor) => Buffer.from(`\0${JSON.stringify({ cursor })}`) };

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
  const attach = terminalSockets();
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
    attach(request, duplex, head, { terminal, after: cursor, framing: FRAMING });
  };
}
