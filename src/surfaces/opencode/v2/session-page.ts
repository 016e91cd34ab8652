import type { SessionState } from "../../../core/session-state.ts";
import { badRequest } from "../errors.ts";
import { allSessions, isBelow, type Listed, titleHas } from "../sessions/session-list.ts";
import { projectOf } from "../workspace/project.ts";

export interface PageQuery {
  limit?: number;
  search?: string;
  directory?: string;
  project?: string;
  /** Only what lies at or below this path of its project. */
  subpath?: string;
  cursor?: string;
}

const DEFAULT_LIMIT = 50;
/** OpenCode's web page asks for 5,000 sessions at once. A larger page ends here, and its cursor leads on. */
const LARGEST_LIMIT = 10_000;

function cursorAfter(id: string): string {
  return Buffer.from(JSON.stringify({ after: id })).toString("base64url");
}

function readCursor(cursor: string): string {
  try {
    const { after } = JSON.parse(Buffer.from(cursor, "base64url").toString()) as { after: unknown };
    if (typeof after === "string") return after;
  } catch {
    // The error below covers this, too.
  }
  throw badRequest(`expected the cursor of an earlier answer, got "${cursor.slice(0, 60)}"`, "Query");
}

function fits(state: SessionState, { search, project, subpath }: PageQuery): boolean {
  const { directory } = state;
  const inProject = project === undefined || projectOf(directory).id === project;
  return inProject && (!subpath || isBelow(directory, subpath)) && titleHas(state, search);
}

/** The newest sessions that fit, and where the next ones begin. Those of sub-agents come with their own session. */
export async function sessionPage(listed: Listed, query: PageQuery): Promise<{ found: SessionState[]; next?: string }> {
  const { directory, cursor } = query;
  const limit = Math.min(query.limit ?? DEFAULT_LIMIT, LARGEST_LIMIT);
  const after = cursor === undefined ? {} : { after: readCursor(cursor) };
  const found: SessionState[] = [];
  for await (const state of allSessions(listed, { parent: null, directory, ...after })) {
    if (!fits(state, query)) continue;
    if (found.length === limit) return { found, next: cursorAfter(found.at(-1)?.id ?? "") };
    found.push(state);
  }
  return { found };
}
