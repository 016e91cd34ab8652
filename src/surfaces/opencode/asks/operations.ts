import { z } from "zod";
import type { Surface } from "../context.ts";
import { History } from "../messages/history.ts";
import { type Operation, operation } from "../operation.ts";
import type { PendingAsks } from "../projection/open-asks.ts";
import { sessionHead } from "../sessions/session-head.ts";
import { answerAsk, replyToPermission } from "./answering.ts";

const reply = z.enum(["once", "always", "reject"]);

export function askOperations(surface: Surface): Operation[] {
  const { log } = surface.gateway;
  const history = new History(log);

  /** What waits for an answer in a directory, of sub-agents too, in the order in which it was asked. */
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
    operation({
      method: "get",
      path: "/permission",
      id: "permission.list",
      support: "real",
      handle: ({ directory }) => pending("permissions", directory),
    }),
    operation({
      method: "post",
      path: "/permission/{requestID}/reply",
      id: "permission.reply",
      support: "real",
      note: "`always` holds for the session, and outlives a restart",
      body: z.object({ reply, message: z.string().optional() }),
      async handle({ params, body }) {
        await replyToPermission(surface, params.requestID ?? "", body.reply, body.message);
        return true;
      },
    }),
    operation({
      method: "post",
      path: "/session/{sessionID}/permissions/{permissionID}",
      id: "permission.respond",
      support: "real",
      body: z.object({ response: reply }),
      async handle({ params, body }) {
        await sessionHead(surface, params.sessionID);
        await replyToPermission(surface, params.permissionID ?? "", body.response);
        return true;
      },
    }),
    operation({
      method: "get",
      path: "/question",
      id: "question.list",
      support: "real",
      handle: ({ directory }) => pending("questions", directory),
    }),
    operation({
      method: "post",
      path: "/question/{requestID}/reply",
      id: "question.reply",
      support: "real",
      body: z.object({ answers: z.array(z.array(z.string())) }),
      async handle({ params, body }) {
        const { answers } = body;
        await answerAsk(surface, params.requestID ?? "", { kind: "question", outcome: "answered", answers });
        return true;
      },
    }),
    operation({
      method: "post",
      path: "/question/{requestID}/reject",
      id: "question.reject",
      support: "real",
      async handle({ params }) {
        await answerAsk(surface, params.requestID ?? "", { kind: "question", outcome: "rejected", stop: true });
        return true;
      },
    }),
  ];
}
