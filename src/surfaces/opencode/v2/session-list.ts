import type { SessionState } from "../../../core/session-state.ts";
import type { Gateway } from "../../../gateway/gateway.ts";
import { badRequest } from "../errors.ts";
import { projectOf } from "../workspace/project.ts";

export interface ListQuery {
  limit?: number;
  search?: string;
  directory?: string;
  project?: string;
  cursor?: string;
}

const PAGE = 200;
const DEFAULT_LIMIT = 50;

export function cursorAfter(id: string): string {
  return Buffer.from(JSON.stringify({ after: id })).toString("base64url");
}

function readCursor(cursor: string): string {
  try {
    const { after } = JSON.parse(Buffer.from(cursor, "base64url").toString()) as { after: unknown };
    if (typeof after === "string") return after;
  } catch {
    // Said below.
  }
  throw badRequest(`expected the cursor of an earlier answer, got "${cursor.slice(0, 60)}"`, "Query");
}

function fits(state: SessionState, { search, project }: ListQuery): boolean {
  if (project !== undefined && projectOf(state.directory).id !== project) return false;
  return search === undefined || (state.title ?? "").toLowerCase().includes(search.toLowerCase());
}

/** The newest sessions that fit, and where the next ones begin. Those of sub-agents come with their own session. */
export async function listSessions(
  gateway: Gateway,
  query: ListQuery,
): Promise<{ found: SessionState[]; next?: string }> {
  const { limit = DEFAULT_LIMIT, directory, cursor } = query;
  const found: SessionState[] = [];
  let after = cursor === undefined ? undefined : readCursor(cursor);
  for (;;) {
    const page = await gateway.list({
      parent: null,
      limit: PAGE,
      ...(directory === undefined ? {} : { directory }),
      ...(after === undefined ? {} : { after }),
    });
    for (const state of page) {
      if (!fits(state, query)) continue;
      if (found.length === limit) return { found, next: cursorAfter(found.at(-1)?.id ?? "") };
      found.push(state);
    }
    if (page.length < PAGE) return { found };
    after = page.at(-1)?.id;
  }
}
