import { z } from "zod";
import { present } from "../../core/json/fields.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { NodesView } from "./node-routes.ts";
import { get, patch, post, type Route, remove } from "./route.ts";
import { importRequest, session, sessionDetail, sessionPatch, sessionQuery, sessionRequest } from "./schemas.ts";
import { detailView, sessionView } from "./views.ts";

export function sessionRoutes(gateway: Gateway, defaultDirectory: string, nodes?: NodesView): Route[] {
  /** Views with the places of their sessions, where there are several. */
  async function placed<View extends { id: string }>(views: readonly View[]): Promise<View[]> {
    const places = await nodes?.places(views.map(({ id }) => id));
    return views.map((view) => ({ ...view, ...present({ place: places?.get(view.id) }) }));
  }
  const detail = async (id: string): Promise<unknown> => (await placed([detailView(await gateway.head(id))]))[0];
  return [
    post("/v1/sessions", "createSession", {
      summary:
        "Create a session: an agent in a directory. The agent starts with the first prompt, or now with `start`.",
      body: sessionRequest,
      bodyOptional: true,
      status: 201,
      answer: sessionDetail,
      errors: [403, 404, 409, 422, 501, 503, 507],
      handle: async ({ body }) => {
        const { id } = await gateway.create({
          directory: defaultDirectory,
          unnamed: body.directory === undefined,
          ...body,
        });
        return detail(id);
      },
    }),
    post("/v1/sessions/import", "importSession", {
      summary: "Store a session that `parley export` wrote, with those of its sub-agents. Nothing runs.",
      body: importRequest,
      status: 201,
      answer: sessionDetail,
      errors: [403, 413, 422, 503, 507],
      handle: async ({ body }) => detail(await gateway.importSession(body)),
    }),
    get("/v1/sessions", "listSessions", {
      summary: "List sessions, newest first.",
      query: sessionQuery,
      answer: z.looseObject({ sessions: z.array(session), next: z.string().nullable() }),
      handle: async ({ query }) => {
        const { parent, ...rest } = query;
        const sessions = await gateway.list({ ...rest, parent: parent ?? null });
        const last = sessions.at(-1)?.id;
        return {
          sessions: await placed(sessions.map(sessionView)),
          next: sessions.length === query.limit && last ? last : null,
        };
      },
    }),
    get("/v1/sessions/{session}", "getSession", {
      summary: "What is true of a session now, with the number of its newest event.",
      answer: sessionDetail,
      errors: [404],
      handle: ({ params }) => detail(params.session),
    }),
    patch("/v1/sessions/{session}", "updateSession", {
      summary: "Rename a session, or choose a model or mode: it is in force when the answer comes.",
      body: sessionPatch,
      answer: sessionDetail,
      errors: [404, 409, 422, 501, 507],
      handle: async ({ params, body }) => {
        await gateway.update(params.session, body);
        return detail(params.session);
      },
    }),
    remove("/v1/sessions/{session}", "deleteSession", {
      summary: "Stop what runs in a session and forget it.",
      status: 204,
      errors: [404, 507],
      handle: async ({ params }) => gateway.remove(params.session),
    }),
  ];
}
