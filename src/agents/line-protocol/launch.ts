import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import type { AgentOption } from "../../core/events/values.ts";
import type { ProcessHost, SpawnSpec } from "../../host/contract.ts";
import type { AgentMode, AgentModel, OpenOptions } from "../contract.ts";
import { type Command, PROTOCOL } from "./commands.ts";

export const LINE_PROTOCOL_ABILITIES = ["discover", "sessions", "fork", "mcp", "rewind"] as const;
export type LineProtocolAbility = (typeof LINE_PROTOCOL_ABILITIES)[number];

export interface LineProtocolOptions {
  name: string;
  /** Any program that speaks the line protocol. */
  argv: readonly [string, ...string[]];
  env?: Readonly<Record<string, string | undefined>>;
  models?: AgentModel[];
  modes?: AgentMode[];
  options?: AgentOption[];
  /** Whether it takes prompts into a running turn. */
  steer?: boolean;
  /** Beyond the least: answers to the requests of these names, `mcp`: it takes MCP servers at `open`, and `rewind`: it drops its last turns. */
  can?: readonly LineProtocolAbility[];
  host: ProcessHost;
  /** How long it may take until it says that it is ready; 30 s unless told. */
  readyMs?: number;
}

export function spawnSpec(agent: LineProtocolOptions, open: OpenOptions): SpawnSpec {
  return { argv: agent.argv, directory: open.directory, session: open.session, env: agent.env };
}

export function openCommand(open: OpenOptions): Command {
  const { session, directory, trusted, model, mode, options, mcpServers, resume } = open;
  return { type: "open", protocol: PROTOCOL, session, directory, trusted, model, mode, options, mcpServers, resume };
}

/**
 * The sample agent that ships with Parley, see testing/sample-agent.ts. Its published name is `scripted`. With a directory of one's own for Node's compile cache it
 * starts three times as fast; a shared one would let others put code into it. A directory that the environment names is the user's own choice, and stays.
 */
export function sampleAgent(compileCache?: string): Omit<LineProtocolOptions, "host"> {
  const program = new URL(`../../testing/sample-agent${extname(import.meta.url)}`, import.meta.url);
  return {
    name: "scripted",
    argv: [process.execPath, fileURLToPath(program)],
    env: compileCache && !process.env.NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE: compileCache } : {},
    models: [{ id: "scripted", name: "Scripted (no model)" }],
    modes: [
      { id: "build", name: "Build", description: "may change files, after asking" },
      { id: "plan", name: "Plan", description: "reads only" },
    ],
    options: [
      {
        id: "effort",
        name: "Effort",
        description: "how much it says when it is asked with [[options]]",
        kind: "select",
        values: [{ id: "low" }, { id: "medium" }, { id: "high" }],
        default: "medium",
      },
    ],
    steer: true,
  };
}
