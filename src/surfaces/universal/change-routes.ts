import { relative, resolve, sep } from "node:path";
import { z } from "zod";
import type { FileDiff } from "../../core/diff/joined-changes.ts";
import { ParleyError } from "../../core/errors.ts";
import { fileChange, loose } from "../../core/events/values.ts";
import type { Range } from "../../core/history/cuts.ts";
import { present } from "../../core/json/fields.ts";
import { revertOf } from "../../core/ledger/revert.ts";
import type { SessionState } from "../../core/session-state.ts";
import { type Changes, SessionDiffs } from "../../gateway/changes/session-diffs.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { get, post, type Route, remove } from "./route.ts";
import { sessionDetail } from "./schemas.ts";
import { detailView } from "./views.ts";

const { path, kind, from, diff, cut } = fileChange.shape;
const fileDiff = loose("FileDiff", {
  path: path.describe("from the session's directory; absolute where it lies outside"),
  kind,
  from: from.describe("the path that it had before, where it was renamed"),
  additions: z.number().describe("lines"),
  deletions: z.number().describe("lines"),
  diff,
  cut: cut.describe("so many characters of the diff are left out"),
});

const diffQuery = z.object({ turn: z.string().optional().describe("trn_…: what this turn changed; else the session") });

const revertRequest = z
  .strictObject({ turn: z.string().describe("trn_…: this turn and all after it are taken back") })
  .meta({ id: "RevertRequest" });

/** A path as clients see it: from the directory where it lies inside. */
function shownPath(directory: string, given: string): string {
  const way = relative(directory, resolve(directory, given));
  return way === ".." || way.startsWith(`..${sep}`) ? resolve(directory, given) : way.split(sep).join("/");
}

/** Changes of files with the paths that clients see. What compares texts is loaded with the first request. */
async function shownChanges(): Promise<Changes<FileDiff>> {
  const { JoinedChanges } = await import("../../core/diff/joined-changes.ts");
  const joined = new JoinedChanges();
  return {
    add: (changes, directory) =>
      joined.add(
        changes.map((change) => {
          const before = change.from === undefined ? undefined : shownPath(directory, change.from);
          return { ...change, path: shownPath(directory, change.path), ...present({ from: before }) };
        }),
      ),
    list: () => joined.list(),
  };
}

/** The numbers of turns that are taken back until the next prompt cuts them, with their files. */
function takenBack({ meta }: SessionState): Range[] {
  const revert = revertOf(meta);
  return revert && !revert.filesKept ? [{ from: revert.cut.from, to: Number.MAX_SAFE_INTEGER }] : [];
}

/** The changes of a session's files, and how they are taken back. */
export function changeRoutes(gateway: Gateway): Route[] {
  const diffs = new SessionDiffs(gateway.log, shownChanges);
  const detail = async (id: string): Promise<unknown> => detailView(await gateway.head(id));

  async function diffOf(id: string, turn: string | undefined): Promise<FileDiff[]> {
    const head = await gateway.head(id);
    if (turn === undefined) return diffs.of(head, takenBack(head.state));
    const found = await diffs.ofTurn(head, turn);
    if (found) return found;
    throw new ParleyError("turn_not_found", `no turn ${turn} in session ${id}, or it is no longer kept`);
  }

  return [
    get("/v1/sessions/{session}/diff", "getDiff", {
      summary: "The files that a session, or one of its turns, has changed, as far as its agent's tools have told.",
      query: diffQuery,
      answer: z.looseObject({ files: z.array(fileDiff).describe("in the order of their first changes") }),
      errors: [404],
      handle: async ({ params, query }) => ({ files: await diffOf(params.session, query.turn) }),
    }),
    post("/v1/sessions/{session}/revert", "revertSession", {
      summary: "Take back a turn and all after it, files too. The next prompt makes it final.",
      body: revertRequest,
      answer: sessionDetail,
      errors: [403, 404, 409, 422, 501, 503, 507],
      handle: async ({ params, body }) => {
        await gateway.work.revert(params.session, { turn: body.turn });
        return detail(params.session);
      },
    }),
    remove("/v1/sessions/{session}/revert", "unrevertSession", {
      summary: "Do the turns again that were taken back, as long as no prompt has come since.",
      answer: sessionDetail,
      errors: [403, 404, 409, 501, 503, 507],
      handle: async ({ params }) => {
        await gateway.work.unrevert(params.session);
        return detail(params.session);
      },
    }),
  ];
}
