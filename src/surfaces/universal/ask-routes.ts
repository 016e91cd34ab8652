import { z } from "zod";
import { present } from "../../core/json/fields.ts";
import type { Answer } from "../../core/ledger/signals.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { get, post, type Route } from "./route.ts";
import { answerRequest, ask } from "./schemas.ts";

const askList = z.looseObject({ asks: z.array(ask) });
const CLIENT_NAME = /^[\w .:@/-]{1,64}$/;

function answerOf(body: z.output<typeof answerRequest>): Answer {
  switch (body.outcome) {
    case "once":
    case "always":
    case "reject":
      return { kind: "permission", outcome: body.outcome, ...wordsOf(body) };
    case "answered":
      return { kind: "question", outcome: "answered", answers: body.answers };
    case "rejected":
      return { kind: "question", outcome: "rejected", ...wordsOf(body) };
  }
}

function wordsOf({ feedback, stop }: { feedback?: string; stop?: boolean }): { feedback?: string; stop?: boolean } {
  return present({ feedback, stop: stop || undefined });
}

export function askRoutes(gateway: Gateway): Route[] {
  return [
    get("/v1/asks", "listAllAsks", {
      summary: "Permissions and questions that wait for an answer, in all sessions.",
      answer: askList,
      handle: async () => ({ asks: await gateway.asks() }),
    }),
    get("/v1/sessions/{session}/asks", "listAsks", {
      summary: "Those of one session and its sub-agents.",
      answer: askList,
      errors: [404],
      handle: async ({ params }) => ({ asks: await gateway.asks(params.session) }),
    }),
    post("/v1/sessions/{session}/asks/{ask}", "answerAsk", {
      summary: "Answer. The first answer wins; a later one gets 409 with the one that won.",
      body: answerRequest,
      answer: z.looseObject({ ask: z.string(), outcome: z.string() }),
      errors: [404, 409, 422, 507],
      handle: async ({ params, body, header }) => {
        const name = header("x-parley-client");
        const by = name !== undefined && CLIENT_NAME.test(name) ? name : "client";
        await gateway.answer(params.session, params.ask, answerOf(body), by);
        return { ask: params.ask, outcome: body.outcome };
      },
    }),
  ];
}
