import type { SnippetPiece } from "../core/search/match.ts";
import type { FoundKind } from "../core/search/text.ts";

export interface SearchOptions {
  /** This session and those of its sub-agents. */
  session?: string;
  directory?: string;
  agent?: string;
  kind?: FoundKind;
  /** `next` of the page before. */
  after?: string;
  limit?: number;
}

/** An event in which all that was looked for is. Title, agent and directory are the session's. */
export interface SearchHit {
  session: string;
  seq: number;
  turn?: string;
  item?: string;
  kind: FoundKind;
  role?: "user" | "assistant" | "system";
  time: number;
  title?: string;
  agent: string;
  directory: string;
  /** The topmost session, of a sub-agent's. */
  root?: string;
  /** The text around the first hit, in one line. */
  snippet: SnippetPiece[];
}

export interface SearchResult {
  /** Newest first. A page may have fewer than asked for, or none, before the last one. */
  hits: SearchHit[];
  /** Null on the last page. */
  next: string | null;
  /** Set while the index is being made: so many events of so many are in it, and of the others only the newest are found. */
  indexing?: { done: number; of: number };
}
