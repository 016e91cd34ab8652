import type { TrustedDirectory } from "../../core/trust.ts";

/** The user's trust in directories. It is read anew for each answer, so that a change holds from the next start of an agent on. */
export interface Trust {
  list(): TrustedDirectory[];
  /** The trusted directory that this one is, or lies in. It is looked up by where the path really leads. */
  covering(directory: string): string | undefined;
  add(directory: string): void;
  /** Takes exactly this directory back; false when it was not in the user's list. */
  remove(directory: string): boolean;
}
