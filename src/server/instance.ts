import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";

/** The stable id of a data directory, by which a later boot knows the processes that an earlier one left. */
export function instanceOf(dataDirectory: string): string {
  return createHash("sha256").update(realpathSync(dataDirectory)).digest("hex").slice(0, 16);
}
