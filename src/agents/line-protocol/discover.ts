import { findProgram } from "../../host/find-program.ts";
import type { Discovery } from "../contract.ts";
import type { LineProtocolOptions } from "./launch.ts";

/** Looks for the program without running it. */
export async function discoverProgram(agent: LineProtocolOptions): Promise<Discovery> {
  const [program] = agent.argv;
  const found = await findProgram(program, agent.env?.PATH ?? process.env.PATH);
  return {
    installed: found !== undefined,
    detail: found ?? `no program ${program} was found; install it or correct its path`,
    credentials: "not_needed",
    models: agent.models ?? [],
    modes: agent.modes ?? [],
    ...(agent.options ? { options: agent.options } : {}),
  };
}
