import { type RequestContext, rawQuery } from "../http/read.ts";
import type { Surface } from "./context.ts";
import { decodeHeader, namedDirectory, oneSpelling } from "./directory.ts";
import type { Located, Operation } from "./operation.ts";
import { type Where, whereOf } from "./where.ts";

/** The header by which a node tells another one of its place the directory of a request that names none. */
const DEFAULT_HEADER = "x-parley-directory";
/** The header that names the place of a request. */
const PLACE_HEADER = "x-parley-place";

type Locating = Pick<Surface, "gateway" | "defaultDirectory" | "elsewhere">;

/** Refuses a request that another process answers, before anything is read or done for it. */
async function enter({ gateway }: Locating, where: Where, directory: string | undefined, session: string) {
  switch (where) {
    case "any":
      return undefined;
    case "owner":
      return gateway.enterSession(session);
    case "keeper":
      return gateway.enterKeeper(directory);
    case "place":
      return gateway.enterDirectory(directory);
  }
}

/** The directory that a request is about, for the process that answers it. */
export async function locate(context: RequestContext, operation: Operation, surface: Locating): Promise<Located> {
  const { gateway, defaultDirectory, elsewhere } = surface;
  const { request, params, header } = context;
  const query = rawQuery(context);
  const named = namedDirectory({
    query: query.directory ?? query["location[directory]"],
    header: header("x-opencode-directory"),
  });
  const where = whereOf(operation);
  const { headers } = request;
  const given = elsewhere && headers[DEFAULT_HEADER];
  const usual = typeof given === "string" ? oneSpelling(decodeHeader(given)) : defaultDirectory;
  // Another place has directories of its own, and so may the owner of a session.
  const stays = elsewhere && where !== "owner" && (headers[PLACE_HEADER] ?? gateway.place) === gateway.place;
  if (named === undefined && stays) headers[DEFAULT_HEADER] = encodeURIComponent(usual);
  await enter(surface, where, named, params.sessionID ?? "");
  const spelled = where === "any" && named !== undefined ? await elsewhere?.spelled(named) : undefined;
  const directory = spelled ?? named ?? usual;
  // A directory of another place is only read about here, and a session has one of its own.
  if (spelled === undefined && (!elsewhere || where !== "owner")) gateway.roots.assert(directory);
  return { directory, directoryNamed: named !== undefined };
}
