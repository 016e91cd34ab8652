import { z } from "zod";
import type { SessionState } from "../../core/session-state.ts";
import type { Surface } from "./context.ts";
import { type Operation, operation } from "./operation.ts";
import { sessionOf } from "./projection/session-shape.ts";
import { projectOf } from "./workspace/project.ts";

const flag = z.stringbool().optional();

const query = z.looseObject({
  directory: z.string().optional(),
  roots: flag,
  archived: flag,
  start: z.coerce.number().optional(),
  cursor: z.coerce.number().optional(),
  search: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(1_000).optional(),
});

const DEFAULT_LIMIT = 100;
const PAGE = 200;

/** `start` and `cursor` are times of the last change: not before the one, and before the other. */
function fits(state: SessionState, { roots, archived, start, cursor, search }: z.output<typeof query>): boolean {
  if (roots && state.parent !== undefined) return false;
  if (!archived && state.meta?.archived !== undefined) return false;
  if (start !== undefined && state.updated < start) return false;
  if (cursor !== undefined && state.updated >= cursor) return false;
  return search === undefined || (state.title ?? "").toLowerCase().includes(search.toLowerCase());
}

/** Sessions of all projects. */
export function sessionListOperations({ gateway, environment: { projects } }: Surface): Operation[] {
  return [
    operation({
      method: "get",
      path: "/experimental/session",
      id: "experimental.session.list",
      support: "real",
      query,
      async handle({ query: wanted, directory, directoryNamed }) {
        const found: object[] = [];
        const { limit = DEFAULT_LIMIT } = wanted;
        for (let after: string | undefined; found.length < limit; ) {
          const page = await gateway.list({
            limit: PAGE,
            ...(directoryNamed ? { directory } : {}),
            ...(after === undefined ? {} : { after }),
          });
          for (const state of page) {
            if (found.length === limit || !fits(state, wanted)) continue;
            const { id, worktree } = projectOf(state.directory);
            const name = (await projects.find(id))?.name;
            const project = { id, worktree, ...(name === undefined ? {} : { name }) };
            found.push({ ...sessionOf(state, { projectOf: () => id }), project });
          }
          if (page.length < PAGE) break;
          after = page.at(-1)?.id;
        }
        return found;
      },
    }),
  ];
}
