import { messageOf } from "../core/errors.ts";
import { EXIT, EXIT_PIPE_CLOSED, systemCodeOf } from "./exit.ts";
import { safeText } from "./output/safe-text.ts";

/** A line, or several, for the person on stderr. They may repeat words of a project, a file or an agent. */
export function tell(message: string): void {
  process.stderr.write(`${safeText(message).replace(/^/gm, "parley: ")}\n`);
}

/** The exit code after stdout refused a write. A reader that has seen enough (`| head -1`) is no error; a full disk is. */
export function outputLost(error: unknown): number {
  if (systemCodeOf(error) === "EPIPE") return EXIT_PIPE_CLOSED;
  tell(`stdout cannot be written to: ${messageOf(error)}`);
  return EXIT.failed;
}
