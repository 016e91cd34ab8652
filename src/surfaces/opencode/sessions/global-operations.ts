import { z } from "zod";
import { present } from "../../../core/json/fields.ts";
import type { SessionState } from "../../../core/session-state.ts";
import { jsonWith } from "../../http/endpoint.ts";
import type { Surface } from "../context.ts";
import { get, type Operation } from "../operation.ts";
import { parentOf } from "../projection/session-shape.ts";
import { projectOf } from "../workspace/project.ts";
import { lastChanged, listedBy, titleHas, wholeTime } from "./session-list.ts";
import { shownSession } from "./shown-session.ts";

const flag = z.stringbool().optional();

const query = z.looseObject({
  directory: z.string().optional(),
  roots: flag,
  archived: flag,
  start: z.coerce.number().optional(),
  cursor: z.coerce.number().optional(),
  search: z.string().optional(),
  limit: z.coerce.number().int().nonnegative().optional(),
});

const DEFAULT_LIMIT = 100;
/** Sorts after every id. */
const BEHIND_ALL = "~";
const LARGEST_LIMIT = 10_000;

/** `start` and `cursor` are times of the last change: not before the one, and before the other. */
function fits(state: SessionState, { roots, archived, search }: z.output<typeof query>): boolean {
  if (roots && parentOf(state) !== undefined) return false;
  if (!archived && state.meta?.archived !== undefined) return false;
  return titleHas(state, search);
}

/** Sessions of all projects, or of the directory that the query names. */
export function globalSessionOperations(surface: Surface): Operation[] {
  const { projects } = surface.environment;

  async function withProject(state: SessionState): Promise<object> {
    const { id, worktree } = projectOf(state.directory);
    const name = (await projects.find(id))?.name;
    return { ...shownSession(state), project: present({ id, worktree, name }) };
  }

  return [
    get("/experimental/session", "experimental.session.list", { query }, async ({ query: wanted, directory }) => {
      const limit = Math.min(wanted.limit ?? DEFAULT_LIMIT, LARGEST_LIMIT);
      const { start, cursor } = wanted;
      const since = start === undefined ? undefined : wholeTime(start);
      const after = cursor === undefined ? undefined : { updated: wholeTime(cursor), id: BEHIND_ALL };
      const place = present({ directory: wanted.directory ? directory : undefined, since, after });
      const found = await lastChanged(listedBy(surface), { ...place, limit: limit + 1 }, (state) =>
        fits(state, wanted),
      );
      const page = found.slice(0, limit);
      const list = await Promise.all(page.map(withProject));
      if (page.length === 0 || found.length === page.length) return list;
      return jsonWith(list, {
        "x-next-cursor": String(page.at(-1)?.updated),
        "access-control-expose-headers": "X-Next-Cursor",
      });
    }),
  ];
}
