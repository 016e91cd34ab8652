import { type Fields, fieldsIn, isFields, listIn, numberIn, present, textIn } from "../../core/json/fields.ts";
import type { McpServer } from "../contract.ts";
import { errorWords } from "./decode/decoder.ts";
import type { Rpc } from "./rpc.ts";
import { unserved } from "./served.ts";

const VERSION = 1;

/** The requests that Parley serves to the program, and the updates that it understands. */
const INITIALIZE = {
  protocolVersion: VERSION,
  clientInfo: { name: "parley", title: "Parley", version: "1" },
  clientCapabilities: {
    fs: { readTextFile: true, writeTextFile: true },
    terminal: true,
    session: { notices: {}, compaction: {}, configOptions: { boolean: {} } },
    elicitation: { form: {} },
    // By these, programs that run commands themselves tell their output piece by piece.
    _meta: { terminal_output: true, terminal_output_delta: true },
  },
} as const;

export interface AuthMethod {
  id: string;
  name: string;
  description?: string;
}

/** The program, by its own words. */
export interface Peer {
  version?: string;
  title?: string;
  /** It tells a conversation once more when it is loaded. */
  canLoad: boolean;
  canResume: boolean;
  canFork: boolean;
  canList: boolean;
  canClose: boolean;
  canDelete: boolean;
  canSteer: boolean;
  takesImages: boolean;
  takesResources: boolean;
  /** The kinds of MCP servers that it takes. */
  mcp: McpServer["type"][];
  authMethods: AuthMethod[];
}

export function peerOf(result: Fields): Peer {
  const abilities = fieldsIn(result, "agentCapabilities");
  const session = fieldsIn(abilities, "sessionCapabilities");
  const prompt = fieldsIn(abilities, "promptCapabilities");
  const mcp = fieldsIn(abilities, "mcpCapabilities");
  const info = fieldsIn(result, "agentInfo");
  const can = (name: string): boolean => isFields(session[name]) || session[name] === true;
  return {
    ...present({ version: textIn(info, "version"), title: textIn(info, "title") ?? textIn(info, "name") }),
    canLoad: abilities.loadSession === true,
    canResume: can("resume"),
    canFork: can("fork"),
    canList: can("list"),
    canClose: can("close"),
    canDelete: can("delete"),
    canSteer: fieldsIn(fieldsIn(result, "_meta"), "steering").supported === true,
    takesImages: prompt.image === true,
    takesResources: prompt.embeddedContext === true,
    // Every program takes those that are programs.
    mcp: ["stdio", ...(["http", "sse"] as const).filter((kind) => mcp[kind] === true)],
    authMethods: listIn(result, "authMethods").flatMap((method) => {
      const id = textIn(method, "id");
      if (id === undefined) return [];
      return [{ id, name: textIn(method, "name") ?? id, ...present({ description: textIn(method, "description") }) }];
    }),
  };
}

/** The first words with the program. Rejects where it speaks another protocol. */
export async function shakeHands(rpc: Rpc): Promise<Peer> {
  const { result, error } = await rpc.ask("initialize", INITIALIZE);
  if (error && errorWords(error).includes(unserved("initialize")))
    throw new Error("it sends back what it is sent: it does not speak the Agent Client Protocol");
  if (error) throw new Error(`it could not be initialized: ${errorWords(error)}`);
  const version = numberIn(result, "protocolVersion");
  if (version !== VERSION)
    throw new Error(`it speaks version ${version ?? "(none)"} of the protocol, and Parley speaks version ${VERSION}`);
  return peerOf(result);
}
