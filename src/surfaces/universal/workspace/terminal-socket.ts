import { ParleyError } from "../../../core/errors.ts";
import type { Gateway } from "../../../gateway/gateway.ts";
import type { Terminals } from "../../../host/terminals/contract.ts";
import { type Framing, terminalSockets, type Upgrade } from "../../http/terminal-socket.ts";
import { terminalNotFound } from "./terminal-routes.ts";

const SOCKET = /^\/v1\/terminals\/([^/]+)\/socket$/;
const OFFSET = /^\d{1,15}$/;

const control = (words: object): Buffer => Buffer.from(JSON.stringify(words));

const FRAMING: Framing = {
  begin: (offset) => control({ type: "begin", offset }),
  exit: (code) => control({ type: "exit", code }),
};

interface Target {
  id: string;
  after: number | undefined;
  place: string | undefined;
}

function targetOf(url: string): Target {
  const { pathname = "", searchParams: query } = URL.parse(url, "http://localhost") ?? {};
  const id = SOCKET.exec(pathname)?.[1];
  if (id === undefined) throw new ParleyError("not_found", `no WebSocket is served at ${pathname}`);
  const after = query?.get("after") ?? undefined;
  if (after !== undefined && !OFFSET.test(after))
    throw new ParleyError(
      "bad_request",
      `expected an offset of the terminal's output as after, got "${after.slice(0, 60)}"`,
    );
  return { id, after: after === undefined ? undefined : Number(after), place: query?.get("place") || undefined };
}

/** The WebSockets of the universal API. */
export function createTerminalUpgrade({ gateway, terminals }: { gateway: Gateway; terminals: Terminals }): Upgrade {
  const attach = terminalSockets();
  return async (request, duplex, head) => {
    const { id, after, place } = targetOf(request.url ?? "/");
    await gateway.enterKeeper(undefined, place);
    const terminal = terminals.get(id);
    if (!terminal) throw terminalNotFound(id);
    attach(request, duplex, head, { terminal, after, framing: FRAMING });
  };
}
