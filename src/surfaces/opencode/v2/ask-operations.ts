import { z } from "zod";
import { isParleyError } from "../../../core/errors.ts";
import type { Answer } from "../../../core/ledger/signals.ts";
import { permissionAnswer, refuseOthers } from "../asks/answering.ts";
import type { Surface } from "../context.ts";
import { tagged } from "../errors.ts";
import { get, type Operation, post } from "../operation.ts";
import { type Asked, asksIn, asksOfSession } from "./asks.ts";
import { located } from "./location.ts";

type Kind = Asked["kind"];
const NOT_FOUND = { permission: "PermissionNotFoundError", question: "QuestionNotFoundError" } as const;

function noAsk(kind: Kind, requestID: string): Error {
  return tagged(404, NOT_FOUND[kind], `no ${kind} ${requestID} waits for an answer here`, { requestID });
}

const only = (asks: readonly Asked[], kind: Kind): object[] =>
  asks.filter((ask) => ask.kind === kind).map(({ info }) => info);

const permissionReply = z.looseObject({ reply: z.enum(["once", "always", "reject"]), message: z.string().optional() });
const questionReply = z.looseObject({ answers: z.array(z.array(z.string())) });

export function v2AskOperations(surface: Surface): Operation[] {
  const { gateway } = surface;
  const answer = async (params: { sessionID: string; requestID: string }, given: Answer): Promise<void> => {
    const { sessionID, requestID } = params;
    const asks = await asksOfSession(gateway, sessionID);
    if (asks.some(({ id, kind }) => id === requestID && kind !== given.kind)) throw noAsk(given.kind, requestID);
    try {
      await gateway.answer(sessionID, requestID, given, "opencode");
    } catch (error) {
      if (isParleyError(error) && error.code === "ask_not_found") throw noAsk(given.kind, requestID);
      throw error;
    }
  };
  const session = "/api/session/{sessionID}";
  const list = (kind: Kind) =>
    get(`/api/${kind}/request`, `v2.${kind}.request.list`, async ({ directory }) =>
      located(directory, only(await asksIn(gateway, directory), kind)),
    );
  const listOfSession = (kind: Kind) =>
    get(`${session}/${kind}`, `v2.session.${kind}.list`, async ({ params }) => ({
      data: only(await asksOfSession(gateway, params.sessionID), kind),
    }));
  return [
    list("permission"),
    listOfSession("permission"),
    get(`${session}/permission/{requestID}`, "v2.session.permission.get", async ({ params }) => {
      const asks = await asksOfSession(gateway, params.sessionID);
      const found = asks.find(({ id, kind }) => id === params.requestID && kind === "permission");
      if (!found) throw noAsk("permission", params.requestID);
      return { data: found.info };
    }),
    post(
      `${session}/permission/{requestID}/reply`,
      "v2.session.permission.reply",
      { status: 204, body: permissionReply },
      async ({ params, body: { reply, message } }) => {
        const given = permissionAnswer(reply, message);
        await answer(params, given);
        if (reply === "reject") await refuseOthers(surface, params.sessionID, params.requestID, given);
      },
    ),
    list("question"),
    listOfSession("question"),
    post(
      `${session}/question/{requestID}/reply`,
      "v2.session.question.reply",
      { status: 204, body: questionReply },
      ({ params, body: { answers } }) => answer(params, { kind: "question", outcome: "answered", answers }),
    ),
    post(`${session}/question/{requestID}/reject`, "v2.session.question.reject", { status: 204 }, ({ params }) =>
      answer(params, { kind: "question", outcome: "rejected", stop: true }),
    ),
  ];
}
