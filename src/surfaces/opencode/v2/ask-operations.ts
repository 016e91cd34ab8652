import { z } from "zod";
import { isParleyError } from "../../../core/errors.ts";
import type { Answer } from "../../../core/ledger/signals.ts";
import type { Surface } from "../context.ts";
import { tagged, unsupported } from "../errors.ts";
import { type Operation, operation } from "../operation.ts";
import { type Asked, asksIn, asksOfSession } from "./asks.ts";
import { located } from "./location.ts";

type Kind = Asked["kind"];
const NOT_FOUND = { permission: "PermissionNotFoundError", question: "QuestionNotFoundError" } as const;

function noAsk(kind: Kind, requestID: string): Error {
  return tagged(404, NOT_FOUND[kind], `no ${kind} ${requestID} waits for an answer here`, { requestID });
}

const only = (asks: readonly Asked[], kind: Kind): object[] =>
  asks.filter((ask) => ask.kind === kind).map(({ info }) => info);

export function v2AskOperations({ gateway }: Surface): Operation[] {
  const answer = async (params: Readonly<Record<string, string>>, given: Answer): Promise<void> => {
    const { sessionID = "", requestID = "" } = params;
    const asks = await asksOfSession(gateway, sessionID);
    if (asks.some(({ id, kind }) => id === requestID && kind !== given.kind)) throw noAsk(given.kind, requestID);
    try {
      await gateway.answer(sessionID, requestID, given, "opencode");
    } catch (error) {
      if (isParleyError(error) && error.code === "ask_not_found") throw noAsk(given.kind, requestID);
      throw error;
    }
  };
  return [
    operation({
      method: "get",
      path: "/api/permission/request",
      id: "v2.permission.request.list",
      support: "real",
      handle: async ({ directory }) => located(directory, only(await asksIn(gateway, directory), "permission")),
    }),
    operation({
      method: "get",
      path: "/api/permission/saved",
      id: "v2.permission.saved.list",
      support: "empty",
      note: "`always` holds for its session, and is not kept beyond it",
      handle: async () => ({ data: [] }),
    }),
    operation({
      method: "delete",
      path: "/api/permission/saved/{id}",
      id: "v2.permission.saved.remove",
      support: "refused",
      note: "404: none is saved",
      async handle({ params: { id = "" } }) {
        throw tagged(404, "NotFoundError", `no saved permission ${id}: permissions are kept with their session`);
      },
    }),
    operation({
      method: "post",
      path: "/api/session/{sessionID}/permission",
      id: "v2.session.permission.create",
      support: "refused",
      note: "permissions are asked for by agents",
      body: z.unknown(),
      async handle({ params: { sessionID = "" } }) {
        await gateway.get(sessionID);
        throw unsupported("a permission is asked for by the session's agent, not by a client");
      },
    }),
    operation({
      method: "get",
      path: "/api/session/{sessionID}/permission",
      id: "v2.session.permission.list",
      support: "real",
      handle: async ({ params }) => ({
        data: only(await asksOfSession(gateway, params.sessionID ?? ""), "permission"),
      }),
    }),
    operation({
      method: "get",
      path: "/api/session/{sessionID}/permission/{requestID}",
      id: "v2.session.permission.get",
      support: "real",
      async handle({ params: { sessionID = "", requestID = "" } }) {
        const asks = await asksOfSession(gateway, sessionID);
        const found = asks.find(({ id, kind }) => id === requestID && kind === "permission");
        if (!found) throw noAsk("permission", requestID);
        return { data: found.info };
      },
    }),
    operation({
      method: "post",
      path: "/api/session/{sessionID}/permission/{requestID}/reply",
      id: "v2.session.permission.reply",
      support: "real",
      status: 204,
      body: z.looseObject({ reply: z.enum(["once", "always", "reject"]), message: z.string().optional() }),
      handle: ({ params, body: { reply, message } }) =>
        answer(params, {
          kind: "permission",
          outcome: reply,
          ...(message === undefined ? {} : { feedback: message }),
        }),
    }),
    operation({
      method: "get",
      path: "/api/question/request",
      id: "v2.question.request.list",
      support: "real",
      handle: async ({ directory }) => located(directory, only(await asksIn(gateway, directory), "question")),
    }),
    operation({
      method: "get",
      path: "/api/session/{sessionID}/question",
      id: "v2.session.question.list",
      support: "real",
      handle: async ({ params }) => ({ data: only(await asksOfSession(gateway, params.sessionID ?? ""), "question") }),
    }),
    operation({
      method: "post",
      path: "/api/session/{sessionID}/question/{requestID}/reply",
      id: "v2.session.question.reply",
      support: "real",
      status: 204,
      body: z.looseObject({ answers: z.array(z.array(z.string())) }),
      handle: ({ params, body: { answers } }) => answer(params, { kind: "question", outcome: "answered", answers }),
    }),
    operation({
      method: "post",
      path: "/api/session/{sessionID}/question/{requestID}/reject",
      id: "v2.session.question.reject",
      support: "real",
      status: 204,
      handle: ({ params }) => answer(params, { kind: "question", outcome: "rejected" }),
    }),
  ];
}
