import { isAbsolute } from "node:path";
import { z } from "zod";
import { type ErrorCode, ParleyError } from "../../../core/errors.ts";
import { loose } from "../../../core/events/values.ts";
import { present } from "../../../core/json/fields.ts";
import type { Gateway } from "../../../gateway/gateway.ts";
import { type Refusal, type Terminal, TerminalRefused, type Terminals } from "../../../host/terminals/contract.ts";
import type { NodesView } from "../node-routes.ts";
import { get, patch, post, type Route, remove } from "../route.ts";

/** A text for a program: the system ends it at its first NUL. */
const text = z.string().regex(/^[^\0]*$/, "expected a text without NUL");
const directory = text.refine(isAbsolute, "expected an absolute path");
const title = z.string().min(1).max(500);
/** A program may keep a picture of the whole screen. */
const side = z.int().min(1).max(2_000);
const place = z.string().max(64).optional();
const PLACE = "`place` of the terminal, where it has one: nodes of several places share the log";

const terminalRequest = z
  .strictObject({
    directory: directory.optional().describe("absolute path; the server's own directory otherwise"),
    session: z.string().optional().describe("in place of a directory: that of a session"),
    place: place.describe("the place that has the directory, where several do"),
    command: text.optional().describe("the program; the user's own shell otherwise"),
    args: z.array(text).optional(),
    title: title.optional(),
    cols: side.default(80),
    rows: side.default(24),
  })
  .refine((body) => body.directory === undefined || body.session === undefined, "expected either directory or session")
  .meta({ id: "TerminalRequest" });

const terminalPatch = z
  .strictObject({ title: title.optional(), size: z.strictObject({ cols: side, rows: side }).optional() })
  .refine((change) => Object.keys(change).length > 0, "expected title or size")
  .meta({ id: "TerminalPatch" });

const terminal = loose("Terminal", {
  id: z.string(),
  directory: z.string(),
  place: z.string().optional().describe("for further requests about it, where nodes of several places share the log"),
  title: z.string(),
  command: z.string(),
  args: z.array(z.string()),
  status: z.enum(["running", "exited"]),
  exitCode: z.number().optional().describe("128 and the signal's number where one ended it"),
  pid: z.number(),
  output: z
    .looseObject({ start: z.number(), end: z.number() })
    .describe("the offsets of the output that is kept, in UTF-16 units"),
});

const placeQuery = z.object({ place: place.describe(PLACE) });
const listQuery = z.object({
  directory: directory.optional().describe("absolute path; those of all directories otherwise"),
  place: place.describe("of this place"),
});
const socketQuery = z.object({
  place: place.describe(PLACE),
  after: z.string().optional().describe("the offset in the output after which it begins; 0 unless told"),
});

const REFUSALS: Readonly<Record<Refusal, ErrorCode>> = {
  unavailable: "unsupported",
  limit: "too_many_terminals",
  failed: "unavailable",
  directory: "invalid",
  program: "invalid",
};

function refusalOf(thrown: unknown): unknown {
  return thrown instanceof TerminalRefused ? new ParleyError(REFUSALS[thrown.refusal], thrown.message) : thrown;
}

export function terminalNotFound(id: string): ParleyError {
  return new ParleyError("terminal_not_found", `no terminal ${id}; GET /v1/terminals lists them`);
}

export interface TerminalRouteOptions {
  gateway: Gateway;
  terminals: Terminals;
  defaultDirectory: string;
  nodes?: NodesView | undefined;
}

/** Terminals for clients. No agent sees them, and no session's log has them. */
export function terminalRoutes({ gateway, terminals, defaultDirectory, nodes }: TerminalRouteOptions): Route[] {
  function view({ id, directory: of, info, output }: Terminal): object {
    const { title: name, command, args, status, exitCode, pid } = info;
    const { start, end } = output;
    const facts = { title: name, command, args, status, exitCode, pid, output: { start, end } };
    return present({ id, directory: of, place: gateway.place, ...facts });
  }
  async function find(id: string, at: string | undefined): Promise<Terminal> {
    await gateway.enterKeeper(undefined, at);
    const found = terminals.get(id);
    if (!found) throw terminalNotFound(id);
    return found;
  }
  /** The directory of a new terminal, on the node that keeps those of its place. */
  async function directoryOf(body: z.output<typeof terminalRequest>): Promise<string> {
    const { session, directory: named, place: at } = body;
    if (session === undefined) return gateway.keptDirectory(named ?? defaultDirectory, named === undefined, at);
    const { directory: of } = await gateway.get(session);
    return gateway.keptDirectory(of, false, at ?? (await nodes?.places([session]))?.get(session));
  }

  const one = "/v1/terminals/{terminal}";
  return [
    post("/v1/terminals", "createTerminal", {
      summary: "Open a terminal in a directory, with a shell or another program in it.",
      body: terminalRequest,
      bodyOptional: true,
      status: 201,
      answer: terminal,
      errors: [403, 404, 409, 422, 429, 501, 503],
      handle: async ({ body }) => {
        const at = await directoryOf(body);
        const { command, args, title: name, cols, rows } = body;
        const spec = { directory: at, ...present({ command, args, title: name }), size: { cols, rows } };
        try {
          return view(await terminals.create(spec));
        } catch (thrown) {
          throw refusalOf(thrown);
        }
      },
    }),
    get("/v1/terminals", "listTerminals", {
      summary: "The terminals that run, and those that exited of late, oldest first.",
      query: listQuery,
      answer: z.looseObject({ terminals: z.array(terminal) }),
      errors: [403, 409, 422],
      handle: async ({ query }) => {
        const of = query.directory && (await gateway.keptDirectory(query.directory, false, query.place));
        if (of === undefined) await gateway.enterKeeper(undefined, query.place);
        return { terminals: terminals.list(of).map(view) };
      },
    }),
    get(one, "getTerminal", {
      summary: "One terminal.",
      query: placeQuery,
      answer: terminal,
      errors: [404],
      handle: async ({ params, query }) => view(await find(params.terminal, query.place)),
    }),
    patch(one, "updateTerminal", {
      summary: "Rename a terminal, or give it another size.",
      query: placeQuery,
      body: terminalPatch,
      answer: terminal,
      errors: [404],
      handle: async ({ params, query, body }) => {
        const found = await find(params.terminal, query.place);
        terminals.update(found.id, present(body));
        return view(found);
      },
    }),
    remove(one, "deleteTerminal", {
      summary: "End all that runs in a terminal, and forget it. Answers when that is gone.",
      query: placeQuery,
      status: 204,
      errors: [404],
      handle: async ({ params, query }) => {
        await terminals.remove((await find(params.terminal, query.place)).id);
      },
    }),
    get(`${one}/socket`, "openTerminal", {
      summary: "A WebSocket: its output as text frames, and input in frames to it.",
      query: socketQuery,
      status: 101,
      errors: [400, 404, 426],
      handle: async ({ params, query }) => {
        await find(params.terminal, query.place);
        const expected = "expected a WebSocket: send this request with Upgrade: websocket";
        throw new ParleyError("upgrade_required", expected);
      },
    }),
  ];
}
