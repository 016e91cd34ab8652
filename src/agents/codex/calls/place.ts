import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { isAbsolute, join } from "node:path";

/**
 * The directory for the calls that the program tells of. It is the user's own directory for programs that run, where there is one: a session may work in a directory that holds
 * Parley's data directory, and there the sandbox lets commands write.
 */
export function callsPlace(dataDirectory: string, runtime: string | undefined): string {
  if (!runtime || !isAbsolute(runtime) || !statSync(runtime, { throwIfNoEntry: false })?.isDirectory())
    return join(dataDirectory, "codex-calls");
  const server = createHash("sha256").update(dataDirectory).digest("hex").slice(0, 16);
  return join(runtime, `parley-${server}`, "codex-calls");
}
