import type { Word } from "../shell/word.ts";

/** Words that are run as a command of their own. */
export interface Inner {
  words: Word[];
  /** Names and values that are set for it. */
  assignments?: { name: string; value: string }[];
}

/** The facts that are known of a command by its program. */
export interface Insight {
  /** Commands that it runs: each needs a permission of its own. */
  inner?: Inner[];
  /** Commands that it runs as this program's own business: a denial binds them, and a rule for the whole allows them. */
  told?: Inner[];
  /** Lines of shell that it runs. */
  lines?: string[];
  /** Files that it writes as a redirection would. */
  writes?: string[];
  /** How many of its words a rule must spell out before a wildcard can stand for the rest; more than there are: no wildcard can. */
  spelled?: number;
  /** It may run programs that nobody sees in its words. */
  hidden?: boolean;
}

/** Nothing but a rule of exactly these words allows it. */
export function opaque(words: readonly Word[]): Insight {
  return { spelled: words.length + 1, hidden: true };
}
