import { resolve } from "node:path";
import { z } from "zod";
import {
  type Terminal,
  type TerminalInfo,
  TerminalRefused,
  type TerminalSpec,
} from "../../../host/terminals/contract.ts";
import type { Surface } from "../context.ts";
import { badRequest, named, type OpencodeError, tagged, unsupported } from "../errors.ts";
import { get, type Operation, type OperationCall, post, put, remove } from "../operation.ts";
import { located } from "../v2/location.ts";

/** A text for a program: the system ends it at its first NUL. */
const text = z.string().regex(/^[^\0]*$/, "expected a text without NUL");

const creation = z.object({
  command: text.optional(),
  args: z.array(text).optional(),
  cwd: text.optional(),
  title: z.string().optional(),
  env: z.record(z.string().regex(/^[^=\0]+$/, "expected the name of a variable"), text).optional(),
});

const side = z.int().min(1).max(65_535);
const change = z.object({
  title: z.string().optional(),
  size: z.object({ rows: side, cols: side }).optional(),
});

/** The two halves of OpenCode's API say the same with different words. */
interface Dialect {
  base: "/pty" | "/api/pty";
  id: (name: string) => string;
  wrap(directory: string, data: unknown): unknown;
  invalid(message: string): OpencodeError;
  forbiddenTag: string;
  /** Whether terminals are still shown after their exit. */
  showsExited: boolean;
  /** The status of the answer to a removal. */
  removed: number;
}

const REMOVE = "answers when everything that ran in the terminal is gone";
const connectQuery = z.looseObject({ cursor: z.string().optional(), ticket: z.string().optional() });
const CONNECT =
  "a WebSocket; a reader that falls 2 Mi characters behind is cut with code 1013 and can come back with its cursor";

const OLDER: Dialect = {
  base: "/pty",
  id: (name) => `pty.${name}`,
  wrap: (_directory, data) => data,
  invalid: (message) => badRequest(message),
  forbiddenTag: "PtyForbiddenError",
  showsExited: false,
  removed: 200,
};

const NEWER: Dialect = {
  base: "/api/pty",
  id: (name) => `v2.pty.${name}`,
  wrap: located,
  invalid: (message) => tagged(400, "InvalidRequestError", message),
  forbiddenTag: "ForbiddenError",
  showsExited: true,
  removed: 204,
};

function refusalOf(thrown: unknown, dialect: Dialect): unknown {
  if (!(thrown instanceof TerminalRefused)) return thrown;
  const { refusal, message } = thrown;
  switch (refusal) {
    case "unavailable":
      return unsupported(message);
    case "limit":
      return tagged(429, "PtyLimitError", message);
    case "failed":
      return tagged(503, "ServiceUnavailableError", message, { service: "pty" });
    default:
      return dialect.invalid(message);
  }
}

function infoOf({ info }: Terminal): TerminalInfo {
  return { ...info };
}

function dialectOperations({ ptys, gateway }: Surface, dialect: Dialect): Operation[] {
  const { terminals, tickets } = ptys;
  const { base, id, wrap, showsExited } = dialect;

  /** A request that names a directory means one of that directory's terminals. */
  const find = ({ params, directory, directoryNamed }: OperationCall<unknown, unknown, "ptyID">): Terminal => {
    const { ptyID } = params;
    const found = terminals.get(ptyID);
    const hidden = !showsExited && found?.ended;
    if (found && !hidden && (!directoryNamed || found.directory === directory)) return found;
    throw tagged(404, "PtyNotFoundError", `PTY session not found: ${ptyID}`, { ptyID });
  };
  const create = async (spec: TerminalSpec): Promise<Terminal> => {
    if (spec.cwd !== undefined) gateway.roots.assert(resolve(spec.directory, spec.cwd));
    return terminals.create(spec).catch((thrown: unknown) => {
      throw refusalOf(thrown, dialect);
    });
  };

  const show = (found: Terminal): unknown => wrap(found.directory, infoOf(found));
  const one = `${base}/{ptyID}` as const;
  return [
    get(base, id("list"), async ({ directory }) => {
      const shown = terminals.list(directory).filter((terminal) => showsExited || !terminal.ended);
      return wrap(directory, shown.map(infoOf));
    }),
    post(base, id("create"), { body: creation }, async ({ directory, body }) =>
      show(await create({ ...body, directory })),
    ),
    get(one, id("get"), async (call) => show(find(call))),
    put(one, id("update"), { body: change }, async (call) => {
      const found = find(call);
      terminals.update(found.id, call.body);
      return show(found);
    }),
    remove(one, id("remove"), { note: REMOVE, status: dialect.removed }, async (call) =>
      terminals.remove(find(call).id),
    ),
    post(`${one}/connect-token`, id("connectToken"), async (call) => {
      // A form or an image of a foreign page cannot send a header of its own.
      if (call.header("x-opencode-ticket") !== "1")
        throw tagged(403, dialect.forbiddenTag, "Invalid PTY connect token request: send x-opencode-ticket: 1");
      const found = find(call);
      return wrap(found.directory, tickets.issue(found.id));
    }),
    get(`${one}/connect`, id("connect"), { note: CONNECT, query: connectQuery }, async (call) => {
      find(call);
      throw named(426, "UpgradeRequired", "expected a WebSocket: send this request with Upgrade: websocket");
    }),
  ];
}

/** Terminals for clients. No agent sees them, and no session's log has them. */
export function ptyOperations(surface: Surface): Operation[] {
  const { bus, ptys } = surface;
  ptys.terminals.listen(({ type, directory, ...properties }) => bus.publish(directory, `pty.${type}`, properties));
  return [
    get("/pty/shells", "pty.shells", async () => ptys.terminals.shells()),
    ...dialectOperations(surface, OLDER),
    ...dialectOperations(surface, NEWER),
  ];
}
