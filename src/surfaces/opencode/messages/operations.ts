import { z } from "zod";
import type { SessionHead } from "../../../log/contract.ts";
import type { Surface } from "../context.ts";
import { notFound, unsupported } from "../errors.ts";
import { type Call, jsonWith, type Operation, operation } from "../operation.ts";
import { answerLater, turnOver } from "../prompts/later-answer.ts";
import { answerTo } from "../prompts/prompt-answer.ts";
import { type PromptInput, promptInput } from "../prompts/prompt-input.ts";
import { givePrompt } from "../prompts/prompting.ts";
import { sessionHead } from "../sessions/session-head.ts";
import type { MessageWithParts } from "../shapes/message.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { History } from "./history.ts";
import { damageTeller } from "./tell-damage.ts";

const pageQuery = z.object({
  limit: z.coerce.number().int().nonnegative().optional(),
  before: z.string().optional(),
});

/** The address of the page after this one, as the client sees this server. */
function linkTo({ request, header }: Pick<Call<unknown, unknown>, "request" | "header">, cursor: string): string {
  const protocol = header("x-forwarded-proto") === "https" ? "https" : "http";
  const url = new URL(request.url ?? "/", `${protocol}://${header("host") ?? "localhost"}`);
  url.searchParams.set("before", cursor);
  return `<${url.href}>; rel="next"`;
}

async function messageOf(history: History, head: SessionHead, id = ""): Promise<MessageWithParts> {
  const message = await history.message(head, id);
  if (!message) throw notFound(`Message not found: ${id}`);
  return message;
}

const KEPT =
  "what was said stays as it was said: the agent remembers it too. Start a new session, or fork this one before it";

export function messageOperations(surface: Surface): Operation[] {
  const { gateway } = surface;
  const history = new History(gateway.log);
  const tellDamage = damageTeller(surface);

  async function prompt({ params, body, header, response }: Call<unknown, PromptInput>): Promise<unknown> {
    const before = await sessionHead(surface, params.sessionID);
    const { id } = before.state;
    const receipt = await givePrompt(surface, before.state, body, header("user-agent"));
    if (receipt.status === "kept") return messageOf(history, await sessionHead(surface, id), receipt.prompt);
    const answer = turnOver(surface, id, receipt).then(async (outcome) => {
      // Of a session that was deleted meanwhile only this is left.
      const head = (await gateway.log.head(id)) ?? before;
      return answerTo(history, head, receipt.prompt, outcome);
    });
    return answerLater(surface, response, id, answer);
  }

  return [
    operation({
      method: "get",
      path: "/session/{sessionID}/message",
      id: "session.messages",
      support: "real",
      note: "text that is being streamed is in it",
      query: pageQuery,
      async handle(call) {
        const { limit, before } = call.query;
        const head = await sessionHead(surface, call.params.sessionID);
        if (before === undefined && !limit) {
          const { messages: all } = await history.page(head, {});
          tellDamage(head.state);
          return all;
        }
        const place = before === undefined ? {} : { before: await decodeCursor(history, head.state.id, before) };
        const { messages, next } = await history.page(head, { ...(limit ? { limit } : {}), ...place });
        tellDamage(head.state);
        if (!next) return messages;
        const cursor = encodeCursor(next);
        return jsonWith(messages, {
          "x-next-cursor": cursor,
          link: linkTo(call, cursor),
          "access-control-expose-headers": "Link, X-Next-Cursor",
        });
      },
    }),
    operation({
      method: "get",
      path: "/session/{sessionID}/message/{messageID}",
      id: "session.message",
      support: "real",
      handle: async ({ params }) => messageOf(history, await sessionHead(surface, params.sessionID), params.messageID),
    }),
    operation({
      method: "post",
      path: "/session/{sessionID}/message",
      id: "session.prompt",
      support: "real",
      note: "answers with the last message of the prompt's own turn, however long that takes",
      body: promptInput,
      handle: prompt,
    }),
    operation({
      method: "post",
      path: "/session/{sessionID}/prompt_async",
      id: "session.prompt_async",
      support: "real",
      body: promptInput,
      status: 204,
      async handle({ params, body, header }) {
        const { state } = await sessionHead(surface, params.sessionID);
        await givePrompt(surface, state, body, header("user-agent"));
      },
    }),
    operation({
      method: "delete",
      path: "/session/{sessionID}/message/{messageID}",
      id: "session.deleteMessage",
      support: "real",
      note: "takes back a prompt that waits; 501 for what was said",
      async handle({ params }) {
        const head = await sessionHead(surface, params.sessionID);
        const { info } = await messageOf(history, head, params.messageID);
        if (!head.state.queue.some(({ id }) => id === info.id)) throw unsupported(KEPT);
        await gateway.withdraw(head.state.id, info.id);
        return true;
      },
    }),
    ...(["delete", "patch"] as const).map((method) =>
      operation({
        method,
        path: "/session/{sessionID}/message/{messageID}/part/{partID}",
        id: method === "delete" ? "part.delete" : "part.update",
        support: "refused",
        note: "what was said stays as it was said",
        async handle({ params }) {
          const { messageID, partID = "" } = params;
          const { parts } = await messageOf(history, await sessionHead(surface, params.sessionID), messageID);
          if (!parts.some(({ id }) => id === partID)) throw notFound(`Part not found: ${partID}`);
          throw unsupported(KEPT);
        },
      }),
    ),
  ];
}
