import type { SnippetPiece } from "../../core/search/match.ts";
import type { Sought } from "../../core/search/query.ts";
import type { FoundKind } from "../../core/search/text.ts";

export interface SearchQuery {
  sought: Sought;
  /** Of this session and its sub-agents' sessions, however deep. */
  session?: string | undefined;
  directory?: string | undefined;
  /** The session's agent. */
  agent?: string | undefined;
  kind?: FoundKind | undefined;
  /** Positions smaller than this one: where the page before ended. */
  before?: number | undefined;
  limit: number;
}

/** An event in which all that was looked for is, with what is known of its session. */
export interface SearchHit {
  session: string;
  seq: number;
  position: number;
  turn?: string;
  item?: string;
  kind: FoundKind;
  role?: "user" | "assistant" | "system";
  time: number;
  /** The session's title, agent and directory now; its root, for a sub-agent's. */
  title?: string;
  agent: string;
  directory: string;
  root?: string;
  snippet: SnippetPiece[];
}

export interface SearchPage {
  /** Newest first. There may be fewer than asked for although more follow: the work of one page is bounded. */
  hits: SearchHit[];
  /** `before` of the next page; null where nothing follows. */
  next: number | null;
  /** Set while the index is made: what is not in it yet, and not among the newest events, is not found. */
  indexing?: { done: number; of: number };
}
