import { z } from "zod";
import type { Surface } from "../context.ts";
import { oneSpelling } from "../directory.ts";
import { tagged, unsupported } from "../errors.ts";
import { type Operation, operation } from "../operation.ts";
import { admittedPrompt, partsOf, promptBody } from "./prompt.ts";
import { sessionInfo2 } from "./session-info.ts";
import { sessionPage } from "./session-page.ts";
import { waitIdle } from "./wait-idle.ts";

const model = z.looseObject({ id: z.string(), providerID: z.string() });

const listQuery = z.looseObject({
  limit: z.coerce.number().int().min(1).max(1_000).optional(),
  order: z.enum(["asc", "desc"]).optional(),
  search: z.string().optional(),
  directory: z.string().optional(),
  project: z.string().optional(),
  cursor: z.string().optional(),
});

const newSession = z.looseObject({
  id: z.string().optional(),
  agent: z.string().optional(),
  model: model.optional(),
  location: z.looseObject({ directory: z.string() }).optional(),
});

/** What has no form in the newer half of the API here, and where it is in the older one. */
const IN_THE_OLDER: readonly Omit<Operation, "handle" | "support">[] = [
  {
    method: "get",
    path: "/api/session/{sessionID}/message",
    id: "v2.session.messages",
    note: "GET /session/{sessionID}/message",
  },
  {
    method: "get",
    path: "/api/session/{sessionID}/message/{messageID}",
    id: "v2.session.message",
    note: "GET /session/{sessionID}/message/{messageID}",
  },
  {
    method: "get",
    path: "/api/session/{sessionID}/context",
    id: "v2.session.context",
    note: "GET /session/{sessionID}/message",
  },
  {
    method: "get",
    path: "/api/session/{sessionID}/history",
    id: "v2.session.history",
    note: "GET /v1/sessions/{session}/events",
  },
  {
    method: "get",
    path: "/api/session/{sessionID}/event",
    id: "v2.session.events",
    note: "GET /event, or GET /v1/sessions/{session}/stream",
  },
  {
    method: "post",
    path: "/api/session/{sessionID}/compact",
    id: "v2.session.compact",
    note: "POST /session/{sessionID}/summarize",
  },
  {
    method: "post",
    path: "/api/session/{sessionID}/revert/stage",
    id: "v2.session.revert.stage",
    note: "POST /session/{sessionID}/revert",
    body: z.unknown(),
  },
  {
    method: "post",
    path: "/api/session/{sessionID}/revert/clear",
    id: "v2.session.revert.clear",
    note: "POST /session/{sessionID}/unrevert",
  },
  {
    method: "post",
    path: "/api/session/{sessionID}/revert/commit",
    id: "v2.session.revert.commit",
    note: "POST /session/{sessionID}/revert",
  },
];

function olderOperations({ gateway }: Surface): Operation[] {
  return IN_THE_OLDER.map(({ note = "", ...rest }) =>
    operation({
      ...rest,
      support: "refused",
      note: `use ${note}`,
      async handle({ params: { sessionID = "" } }) {
        await gateway.get(sessionID);
        throw unsupported(`this is not served in this form: use ${note}`);
      },
    }),
  );
}

function commands({ gateway, environment: { catalog } }: Surface): Operation[] {
  return [
    operation({
      method: "post",
      path: "/api/session/{sessionID}/agent",
      id: "v2.session.switchAgent",
      support: "real",
      status: 204,
      body: z.looseObject({ agent: z.string() }),
      async handle({ params: { sessionID = "" }, body }) {
        const { agent } = await gateway.get(sessionID);
        const { mode } = await catalog.choose({ providerID: agent, agent: body.agent });
        if (mode !== undefined) await gateway.update(sessionID, { mode });
      },
    }),
    operation({
      method: "post",
      path: "/api/session/{sessionID}/model",
      id: "v2.session.switchModel",
      support: "real",
      note: "a model of the session's own agent",
      status: 204,
      body: z.looseObject({ model }),
      async handle({ params: { sessionID = "" }, body }) {
        const { agent } = await gateway.get(sessionID);
        const { providerID, id } = body.model;
        if (providerID !== agent)
          throw tagged(
            409,
            "ConflictError",
            `session ${sessionID} is one of ${agent}: for ${providerID}, begin a new one`,
          );
        const choice = await catalog.choose({ providerID, modelID: id });
        if (choice.model !== undefined) await gateway.update(sessionID, { model: choice.model });
      },
    }),
    operation({
      method: "post",
      path: "/api/session/{sessionID}/prompt",
      id: "v2.session.prompt",
      support: "real",
      body: promptBody,
      async handle({ params: { sessionID = "" }, body: { id, prompt, delivery } }) {
        const { directory } = await gateway.get(sessionID);
        const receipt = await gateway.prompt(sessionID, {
          parts: partsOf(prompt, directory),
          ...(id === undefined ? {} : { id }),
          ...(delivery === undefined ? {} : { delivery }),
        });
        return {
          data: {
            admittedSeq: receipt.seq,
            id: receipt.prompt,
            sessionID,
            prompt: admittedPrompt(prompt),
            delivery: receipt.status === "steered" ? "steer" : "queue",
            timeCreated: Date.now(),
          },
        };
      },
    }),
    operation({
      method: "post",
      path: "/api/session/{sessionID}/interrupt",
      id: "v2.session.interrupt",
      support: "real",
      status: 204,
      async handle({ params: { sessionID = "" } }) {
        await gateway.cancel(sessionID, { queue: "clear" });
      },
    }),
    operation({
      method: "post",
      path: "/api/session/{sessionID}/wait",
      id: "v2.session.wait",
      support: "real",
      status: 204,
      async handle({ params: { sessionID = "" }, response }) {
        await gateway.get(sessionID);
        const gone = new AbortController();
        response.once("close", () => gone.abort());
        await waitIdle(gateway.log, sessionID, gone.signal);
      },
    }),
  ];
}

export function v2SessionOperations(surface: Surface): Operation[] {
  const { gateway, environment, defaultDirectory } = surface;
  return [
    operation({
      method: "get",
      path: "/api/session",
      id: "v2.session.list",
      support: "real",
      note: "newest first only",
      query: listQuery,
      async handle({ query }) {
        if (query.order === "asc") throw unsupported("sessions are listed newest first: leave out order=asc");
        const directory = query.directory === undefined ? undefined : oneSpelling(query.directory);
        const { found, next } = await sessionPage(gateway.log, { ...query, directory });
        return { data: found.map(sessionInfo2), cursor: next === undefined ? {} : { next } };
      },
    }),
    operation({
      method: "post",
      path: "/api/session",
      id: "v2.session.create",
      support: "real",
      note: "the id is made by the server",
      body: newSession,
      async handle({ body, directory, directoryNamed }) {
        if (body.id !== undefined) throw unsupported("a session's id is made by the server: leave it out");
        const named = directoryNamed ? directory : body.location?.directory;
        const { agent, model: wanted } = body;
        const wish = { providerID: wanted?.providerID, modelID: wanted?.id, agent };
        const choice = await environment.catalog.chooseForNew(wish);
        const state = await gateway.create({ ...choice, directory: oneSpelling(named ?? defaultDirectory) });
        return { data: sessionInfo2(state) };
      },
    }),
    operation({
      method: "get",
      path: "/api/session/active",
      id: "v2.session.active",
      support: "real",
      async handle() {
        const running = (await gateway.log.unsettled()).filter(({ turn }) => turn !== null);
        return { data: Object.fromEntries(running.map(({ id }) => [id, { type: "running" }])) };
      },
    }),
    operation({
      method: "get",
      path: "/api/session/{sessionID}",
      id: "v2.session.get",
      support: "real",
      handle: async ({ params }) => ({ data: sessionInfo2(await gateway.get(params.sessionID ?? "")) }),
    }),
    ...commands(surface),
    ...olderOperations(surface),
  ];
}
