/** A difference to native OpenCode that is meant, as docs/opencode.md tells it. */
export interface Difference {
  fits: RegExp;
  why: string;
}

export const DIFFERENCES: readonly Difference[] = [];
