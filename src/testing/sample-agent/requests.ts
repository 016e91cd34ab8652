import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Request } from "../../agents/line-protocol/commands.ts";
import type { Memory } from "./memory.ts";

/** The file by which a project adds to what the agent has; it counts only where the project is trusted. */
const PROJECT_FILE = ".sample-agent.json";

function projectFile(directory: string): object {
  try {
    return JSON.parse(readFileSync(join(directory, PROJECT_FILE), "utf8")) as object;
  } catch {
    return {};
  }
}

/** The one line that answers a request. */
export function answerTo(request: Request, memory: Memory): object {
  switch (request.type) {
    case "discover":
      return { type: "discovery", ...(request.trusted ? projectFile(request.directory) : {}) };
    case "sessions":
      return { type: "sessions", sessions: memory.list(request.directory) };
    case "fork":
      if (!memory.knows(request.resume)) return { type: "resume_lost" };
      return { type: "forked", nativeId: memory.copy(request.resume) };
  }
}
