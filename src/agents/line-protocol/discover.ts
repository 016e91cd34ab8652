import { findProgram } from "../../host/find-program.ts";
import type { Discovery, Project } from "../contract.ts";
import { PROTOCOL } from "./commands.ts";
import type { LineProtocolOptions } from "./launch.ts";

/** Looks for the program, and asks it about a project where it was declared able to. Otherwise nothing is run. */
export async function discoverProgram(agent: LineProtocolOptions, project?: Project): Promise<Discovery> {
  const [program] = agent.argv;
  const found = await findProgram(program, agent.env?.PATH ?? process.env.PATH);
  const asked = found !== undefined && agent.can?.includes("discover") ? project : undefined;
  return {
    installed: found !== undefined,
    detail: found ?? `no program ${program} was found; install it or correct its path`,
    credentials: "not_needed",
    models: agent.models ?? [],
    modes: agent.modes ?? [],
    ...(agent.options ? { options: agent.options } : {}),
    ...(asked ? await aboutProject(agent, asked) : {}),
  };
}

async function aboutProject(agent: LineProtocolOptions, project: Project): Promise<Partial<Discovery>> {
  const { request } = await import("./request.ts");
  const { type: _, ...said } = await request(agent, { type: "discover", protocol: PROTOCOL, ...project }, "discovery");
  return said;
}
