import { z } from "zod";
import type { Surface } from "../context.ts";
import { History } from "../messages/history.ts";
import { get, type Operation, post } from "../operation.ts";
import type { PendingAsks } from "../projection/open-asks.ts";
import { sessionHead } from "../sessions/session-head.ts";
import { answerAsk, replyToPermission } from "./answering.ts";

const reply = z.enum(["once", "always", "reject"]);

export function askOperations(surface: Surface): Operation[] {
  const { log } = surface.gateway;
  const history = new History(log);

  /** The open asks of a directory, of sub-agents too, in the order in which they were asked. */
  async function pending<K extends keyof PendingAsks>(kind: K, directory: string): Promise<PendingAsks[K][number][]> {
    const asking = (await log.unsettled()).filter((state) => state.asks.length > 0 && state.directory === directory);
    const found: PendingAsks[K][number][] = [];
    for (const { id } of asking) {
      const head = await log.head(id);
      if (head) found.push(...(await history.asks(head))[kind]);
    }
    return found.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  return [
    get("/permission", "permission.list", ({ directory }) => pending("permissions", directory)),
    post(
      "/permission/{requestID}/reply",
      "permission.reply",
      {
        note: "`always` holds for the session, and outlives a restart",
        body: z.object({ reply, message: z.string().optional() }),
      },
      async ({ params, body }) => {
        await replyToPermission(surface, params.requestID, body.reply, body.message);
        return true;
      },
    ),
    post(
      "/session/{sessionID}/permissions/{permissionID}",
      "permission.respond",
      { body: z.object({ response: reply }) },
      async ({ params, body }) => {
        await sessionHead(surface, params.sessionID);
        await replyToPermission(surface, params.permissionID, body.response);
        return true;
      },
    ),
    get("/question", "question.list", ({ directory }) => pending("questions", directory)),
    post(
      "/question/{requestID}/reply",
      "question.reply",
      { body: z.object({ answers: z.array(z.array(z.string())) }) },
      async ({ params, body: { answers } }) => {
        await answerAsk(surface, params.requestID, { kind: "question", outcome: "answered", answers });
        return true;
      },
    ),
    post("/question/{requestID}/reject", "question.reject", async ({ params }) => {
      await answerAsk(surface, params.requestID, { kind: "question", outcome: "rejected", stop: true });
      return true;
    }),
  ];
}
