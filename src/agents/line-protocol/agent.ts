import type { Agent } from "../contract.ts";
import { openLazily } from "../open-lazily.ts";
import { PROTOCOL } from "./commands.ts";
import { discoverProgram } from "./discover.ts";
import type { LineProtocolOptions } from "./launch.ts";

/** An agent that is any program which speaks the line protocol. */
export function createLineProtocolAgent(options: LineProtocolOptions): Agent {
  // The decoder brings the schema library with it: it is loaded with the first session, not at the server's start.
  const load = async () => {
    const { openSession } = await import("./session.ts");
    return openSession.bind(undefined, options);
  };
  const has = [
    "decide",
    ...(options.steer ? (["steer"] as const) : []),
    ...(options.can?.includes("rewind") ? (["rewind"] as const) : []),
  ] as const;
  return {
    name: options.name,
    capabilities: {
      ...(options.can?.includes("fork") ? { fork: "native" as const } : {}),
      ...(options.can?.includes("rewind") ? { rewind: "native" as const } : {}),
      ...(options.can?.includes("mcp") ? { mcp: ["stdio", "http", "sse"] as const } : {}),
    },
    discover: (project) => discoverProgram(options, project),
    ...(options.can?.includes("sessions") && {
      sessions: async (project) => {
        const { request } = await import("./request.ts");
        return (await request(options, { type: "sessions", protocol: PROTOCOL, ...project }, "sessions")).sessions;
      },
    }),
    ...(options.can?.includes("fork") && {
      fork: async (project, resume) => {
        const { request } = await import("./request.ts");
        return (await request(options, { type: "fork", protocol: PROTOCOL, ...project, resume }, "forked")).nativeId;
      },
    }),
    open: (open) => openLazily(open, load, has),
  };
}
