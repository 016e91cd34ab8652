import { codeOf, ParleyError } from "../core/errors.ts";
import type { PromptPart } from "../core/events/values.ts";
import { FileRefused } from "../host/files/file-refused.ts";
import { realInside } from "../host/files/inside.ts";

/**
 * A prompt names files of its session's directory only, whichever way it came in: an agent may read what a prompt names
 * without asking. Content from elsewhere is sent along.
 */
export async function assertFilesInside(parts: readonly PromptPart[], directory: string): Promise<void> {
  for (const part of parts) {
    if (part.type !== "file" || part.path === undefined) continue;
    const { path } = part;
    try {
      await realInside(directory, path);
    } catch (error) {
      // A directory that is gone has no files; that the agent cannot start there is told by the turn.
      if (codeOf(error) === "ENOENT") continue;
      if (!(error instanceof FileRefused) && codeOf(error) === undefined) throw error;
      const why = error instanceof FileRefused && error.code === "outside" ? "" : ` (${(error as Error).message})`;
      const wanted = `expected a file inside ${directory}, got ${path}${why}; send what lies outside as a data: URL`;
      throw new ParleyError("invalid", wanted, { path });
    }
  }
}
