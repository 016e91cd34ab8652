import type { Agent } from "../contract.ts";
import { openLazily } from "../open-lazily.ts";
import { discoverProgram } from "./discover.ts";
import type { LineProtocolOptions } from "./launch.ts";

/** An agent that is any program which speaks the line protocol. */
export function createLineProtocolAgent(options: LineProtocolOptions): Agent {
  // The decoder brings the schema library with it: it is loaded with the first session, not at the server's start.
  const load = async () => {
    const { openSession } = await import("./session.ts");
    return openSession.bind(undefined, options);
  };
  return {
    name: options.name,
    discover: () => discoverProgram(options),
    open: (open) => openLazily(open, load, options.steer ? ["steer", "decide"] : ["decide"]),
  };
}
