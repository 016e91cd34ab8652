import { z } from "zod";
import { present } from "../../../core/json/fields.ts";
import { Answer, JSON_TYPE } from "../../http/endpoint.ts";
import { answerList } from "../../http/list-answer.ts";
import { outcomeOf } from "../../http/turn-outcome.ts";
import type { Surface } from "../context.ts";
import { unsupported } from "../errors.ts";
import { MESSAGES_STAY } from "../not-served/table.ts";
import { get, type Operation, type OperationCall, post, remove } from "../operation.ts";
import { answerLater } from "../prompts/later-answer.ts";
import { answerTo } from "../prompts/prompt-answer.ts";
import { type PromptInput, promptInput } from "../prompts/prompt-input.ts";
import { givePrompt } from "../prompts/prompting.ts";
import { sessionHead } from "../sessions/session-head.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { History, messageOf } from "./history.ts";
import { KeptPages } from "./kept-pages.ts";
import { messagesJson } from "./message-json.ts";
import { damageTeller } from "./tell-damage.ts";

const pageQuery = z.object({
  limit: z.coerce.number().int().nonnegative().optional(),
  before: z.string().optional(),
});

/** The address of the page after this one, as the client sees this server. */
function linkTo({ advertised }: Surface, call: Pick<OperationCall, "request" | "header">, cursor: string): string {
  const { request, header } = call;
  const protocol = header("x-forwarded-proto") === "https" ? "https" : "http";
  const url = new URL(request.url ?? "/", advertised ?? `${protocol}://${header("host") ?? "localhost"}`);
  url.searchParams.set("before", cursor);
  return `<${url.href}>; rel="next"`;
}

/** How a page says where older messages are. */
function nextHeaders(surface: Surface, call: OperationCall, cursor: string | undefined): Record<string, string> {
  if (cursor === undefined) return {};
  return {
    "x-next-cursor": cursor,
    link: linkTo(surface, call, cursor),
    "access-control-expose-headers": "Link, X-Next-Cursor",
  };
}

export function messageOperations(surface: Surface): Operation[] {
  const { gateway } = surface;
  const history = new History(gateway.log);
  const kept = new KeptPages();
  const tellDamage = damageTeller(surface);

  async function prompt(call: OperationCall<unknown, PromptInput, "sessionID">): Promise<unknown> {
    const { params, body, header, response } = call;
    const before = await sessionHead(surface, params.sessionID);
    const { id } = before.state;
    const receipt = await givePrompt(surface, before.state, body, header("user-agent"));
    if (receipt.status === "kept") return messageOf(history, await sessionHead(surface, id), receipt.prompt);
    const answer = outcomeOf(gateway.log, id, receipt).then(async (outcome) => {
      // A session that was deleted meanwhile is shown as it was.
      const head = (await gateway.log.head(id)) ?? before;
      return answerTo(history, head, receipt.prompt, outcome);
    });
    return answerLater(surface, response, id, answer);
  }

  async function list(call: OperationCall<z.output<typeof pageQuery>, unknown, "sessionID">): Promise<unknown> {
    const { limit, before } = call.query;
    const head = await sessionHead(surface, call.params.sessionID);
    const place = before === undefined ? undefined : await decodeCursor(history, head.state.id, before);
    if (!limit && place === undefined) {
      const whole = await answerList(call.response, messagesJson(history.all(head)));
      tellDamage(head.state);
      return whole;
    }
    const query = present({ limit: limit || undefined, before: place });
    const known = kept.find(head, query);
    if (known) return new Answer(known.body, { ...JSON_TYPE, ...nextHeaders(surface, call, known.cursor) });
    const { messages, next } = await history.page(head, query);
    tellDamage(head.state);
    const cursor = next && encodeCursor(next);
    const headers = nextHeaders(surface, call, cursor);
    const answer = await answerList(call.response, messagesJson(messages), headers);
    // One with holes is not kept: perhaps more of it can be read the next time.
    if (!(answer instanceof Answer) || gateway.log.unreadable(head.state.id).length > 0) return answer;
    const body = Buffer.from(answer.body ?? "");
    kept.put(head, query, present({ body, cursor }));
    return new Answer(body, { ...answer.headers });
  }

  const path = "/session/{sessionID}/message";
  const one = `${path}/{messageID}` as const;
  return [
    get(path, "session.messages", { note: "text that is being streamed is in it", query: pageQuery }, list),
    get(one, "session.message", async ({ params }) =>
      messageOf(history, await sessionHead(surface, params.sessionID), params.messageID),
    ),
    post(
      path,
      "session.prompt",
      { note: "answers with the last message of the prompt's own turn, however long that takes", body: promptInput },
      prompt,
    ),
    post(
      "/session/{sessionID}/prompt_async",
      "session.prompt_async",
      { body: promptInput, status: 204 },
      async ({ params, body, header }) => {
        const { state } = await sessionHead(surface, params.sessionID);
        await givePrompt(surface, state, body, header("user-agent"));
      },
    ),
    remove(
      one,
      "session.deleteMessage",
      { note: "withdraws a queued prompt; 501 for any other message" },
      async ({ params }) => {
        const head = await sessionHead(surface, params.sessionID);
        const { info } = await messageOf(history, head, params.messageID);
        if (!head.state.queue.some(({ id }) => id === info.id)) throw unsupported(MESSAGES_STAY);
        await gateway.withdraw(head.state.id, info.id);
        return true;
      },
    ),
  ];
}
