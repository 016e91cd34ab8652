import type { Gateway } from "../../gateway/gateway.ts";
import { post, type Route } from "./route.ts";
import { agentReady, compactRequest, forkRequest, outcome, receipt, sessionDetail, shellRequest } from "./schemas.ts";
import { answerTurn, turnQuery } from "./turn-answer.ts";
import { detailView } from "./views.ts";

/** Starts, shell commands, summaries and forks of a session. */
export function workRoutes(gateway: Gateway): Route[] {
  return [
    post("/v1/sessions/{session}/start", "startAgent", {
      summary: "Start the session's agent, and answer when it can take a prompt, or why it cannot.",
      answer: agentReady,
      errors: [403, 404, 422, 503],
      handle: async ({ params }) => ({ ready: await gateway.work.start(params.session) }),
    }),
    post("/v1/sessions/{session}/shell", "runShell", {
      summary:
        "Run a command in the session's directory, as a turn of its own. The agent is told of it with its next prompt.",
      query: turnQuery,
      body: shellRequest,
      status: 202,
      answer: receipt,
      also: { 200: outcome },
      errors: [403, 404, 409, 422, 503, 507],
      handle: async (call) => {
        const session = call.params.session;
        return answerTurn(gateway, call, session, await gateway.work.shell(session, call.body));
      },
    }),
    post("/v1/sessions/{session}/compact", "compactSession", {
      summary: "Have the agent shorten the conversation, as a turn: it goes on from a summary.",
      query: turnQuery,
      body: compactRequest,
      bodyOptional: true,
      status: 202,
      answer: receipt,
      also: { 200: outcome },
      errors: [403, 404, 409, 422, 429, 501, 503, 507],
      handle: async (call) => {
        const session = call.params.session;
        return answerTurn(gateway, call, session, await gateway.work.compact(session, call.body));
      },
    }),
    post("/v1/sessions/{session}/fork", "forkSession", {
      summary: "Make a new session that begins with this one's past: all of it, or what came before a message.",
      body: forkRequest,
      bodyOptional: true,
      status: 201,
      answer: sessionDetail,
      errors: [403, 404, 409, 422, 501, 507],
      handle: async ({ params, body }) => {
        const { id } = await gateway.work.fork(params.session, body);
        return detailView(await gateway.head(id));
      },
    }),
  ];
}
