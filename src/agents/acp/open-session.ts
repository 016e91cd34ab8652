import { type Fields, textIn } from "../../core/json/fields.ts";
import { type McpServer, type OpenOptions, ResumeLost } from "../contract.ts";
import { loginWords } from "./auth.ts";
import { errorWords } from "./decode/decoder.ts";
import type { Peer } from "./handshake.ts";
import { mcpParams } from "./mcp-servers.ts";
import { AUTH_REQUIRED, NOT_FOUND, type Response, type Rpc, type RpcError } from "./rpc.ts";

export interface OpenedSession {
  id: string;
  result: Fields;
  resumed: boolean;
  /** The servers that the program does not have, since it takes none of their kind. */
  leftOut: McpServer[];
}

/** Takes part in the opening, while the lines of it are read. */
export interface Opening {
  /** The program is about to tell the conversation so far. */
  loads(): void;
  /** The session has an id now; `result` is the program's whole answer. */
  opened(id: string, resumed: boolean, result: Fields): void;
}

/** The words of programs for a session that they do not know: "session X not found", "no previous sessions", "invalid session id". */
const UNKNOWN = [
  /\b(?:session|conversation|thread|resource)(?: (?:with )?id(?:entifier)?)?[\s:]*(?:["'`]?[\w.:/-]+["'`]?\s+)??(?:is |was |could |does |do |did )?(?:not (?:be )?found|unknown|not exist|no longer)/i,
  /\b(?:no|unknown|could not find|cannot find) (?:(?:such|previous|saved|stored|existing|matching|a|the) )*(?:session|conversation)/i,
  /\binvalid (?:session|conversation) id/i,
  /no rollout found|service failure.*"service":"session"/i,
];

/** Whether the program refused to open a session because it does not know it. In doubt it knows it: another session would have no past. */
export function isLost(error: RpcError): boolean {
  const words = `${error.message} ${JSON.stringify(error.data)}`;
  return error.code === NOT_FOUND || UNKNOWN.some((unknown) => unknown.test(words));
}

type Way = { method: "session/new" } | { method: "session/resume" | "session/load"; sessionId: string };

/** A session is loaded for the sake of its past, and resumed otherwise. */
function wayOf(peer: Pick<Peer, "canLoad" | "canResume">, { resume, tellPast }: OpenOptions): Way {
  if (resume === undefined) return { method: "session/new" };
  if (peer.canLoad && (tellPast || !peer.canResume)) return { method: "session/load", sessionId: resume };
  if (peer.canResume) return { method: "session/resume", sessionId: resume };
  // A program that cannot go on with a session does not know it any more.
  throw new ResumeLost(resume);
}

/** Opens a session: a new one or the one of before. Rejects with `ResumeLost` where the program does not know it. */
export async function openSession(
  rpc: Rpc,
  peer: Peer,
  open: OpenOptions,
  login: string | undefined,
  opening: Opening,
): Promise<OpenedSession> {
  const way = wayOf(peer, open);
  const { method, ...id } = way;
  const { params: mcpServers, leftOut } = mcpParams(open.mcpServers ?? [], peer);
  const params = { cwd: open.directory, mcpServers, ...id };
  if (method === "session/load") opening.loads();
  const { promise, resolve } = Promise.withResolvers<Response>();
  void rpc.call(method, params, (response) => {
    const known = "sessionId" in way ? way.sessionId : textIn(response.result, "sessionId");
    if (!response.error && known !== undefined) opening.opened(known, method !== "session/new", response.result);
    resolve(response);
  });
  const { result, error } = await promise;
  if (error?.code === AUTH_REQUIRED) throw new Error(loginWords(peer, login, errorWords(error)));
  if (error && open.resume !== undefined && isLost(error)) throw new ResumeLost(open.resume);
  if (error) throw new Error(`it could not open the session: ${errorWords(error)}`);
  const opened = "sessionId" in way ? way.sessionId : textIn(result, "sessionId");
  if (!opened) throw new Error("it told no session's id");
  return { id: opened, result, resumed: method !== "session/new", leftOut };
}
