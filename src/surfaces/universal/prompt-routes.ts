import { createHash } from "node:crypto";
import type { z } from "zod";
import { present } from "../../core/json/fields.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { PromptRequest } from "../../gateway/requests.ts";
import type { Call } from "../http/endpoint.ts";
import { post, type Route, remove } from "./route.ts";
import { cancelled, cancelRequest, outcome, promptRequest, receipt } from "./schemas.ts";
import { answerTurn, turnQuery } from "./turn-answer.ts";

type PromptCall = Call<z.output<typeof turnQuery>, z.output<typeof promptRequest>>;

/** The prompt's id: the body's own, else one made from the Idempotency-Key header, else none. */
function idOf({ body, header }: PromptCall): string | undefined {
  const key = header("idempotency-key");
  return (
    body.id ?? (key === undefined ? undefined : `msg_${createHash("sha256").update(key).digest("hex").slice(0, 40)}`)
  );
}

function requestOf(call: PromptCall): PromptRequest {
  const { text, parts, delivery, model, mode, options, system, attended } = call.body;
  const request: PromptRequest = { parts: parts ?? [{ type: "text", text: text ?? "" }] };
  const id = idOf(call);
  return { ...request, ...present({ id, delivery, model, mode, options, system, attended }) };
}

export function promptRoutes(gateway: Gateway): Route[] {
  return [
    post("/v1/sessions/{session}/prompts", "sendPrompt", {
      summary: "Give the agent a prompt. 202 means that it is stored; with `wait` the answer is the turn's outcome.",
      query: turnQuery,
      body: promptRequest,
      status: 202,
      answer: receipt,
      also: { 200: outcome },
      errors: [403, 404, 409, 422, 429, 503, 507],
      handle: async (call) => {
        const session = call.params.session;
        return answerTurn(gateway, call, session, await gateway.prompt(session, requestOf(call)));
      },
    }),
    remove("/v1/sessions/{session}/prompts/{prompt}", "withdrawPrompt", {
      summary: "Take back a prompt that waits.",
      status: 204,
      errors: [404, 507],
      handle: async ({ params }) => gateway.withdraw(params.session, params.prompt),
    }),
    post("/v1/sessions/{session}/cancel", "cancelTurn", {
      summary: "Stop the turn. Answers when the agent is quiet.",
      body: cancelRequest,
      bodyOptional: true,
      answer: cancelled,
      errors: [404, 507],
      handle: async ({ params, body }) => {
        const { queue = "clear", turn: only } = body;
        const turn = await gateway.cancel(params.session, present({ queue, turn: only }));
        return turn === undefined ? { cancelled: false } : { cancelled: true, turn };
      },
    }),
  ];
}
