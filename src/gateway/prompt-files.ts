import { codeOf, ParleyError } from "../core/errors.ts";
import type { PromptPart } from "../core/events/values.ts";
import { FileRefused } from "../host/files/file-refused.ts";
import { realInside } from "../host/files/inside.ts";

/**
 * Refuses a prompt that names a file outside of its session's directory: an agent may read the files of a prompt without
 * asking. A client sends such content itself.
 */
export async function assertFilesInside(parts: readonly PromptPart[], directory: string): Promise<void> {
  for (const part of parts) {
    if (part.type !== "file" || part.path === undefined) continue;
    const { path } = part;
    try {
      await realInside(directory, path);
    } catch (error) {
      // A file that is gone is harmless. Where the directory is gone, the turn fails and says so.
      if (codeOf(error) === "ENOENT") continue;
      if (!(error instanceof FileRefused) && codeOf(error) === undefined) throw error;
      const why = error instanceof FileRefused && error.code === "outside" ? "" : ` (${(error as Error).message})`;
      const wanted = `expected a file inside ${directory}, got ${path}${why}; send what lies outside as a data: URL`;
      throw new ParleyError("invalid", wanted, { path });
    }
  }
}
