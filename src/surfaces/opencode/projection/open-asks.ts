import type { EventOf } from "../../../core/events/event.ts";
import type { SessionState } from "../../../core/session-state.ts";
import type { PermissionRequest, QuestionRequest } from "../shapes/ask.ts";
import { permissionRequest, questionRequest } from "./ask-shapes.ts";
import type { Outbox } from "./outbox.ts";

export interface PendingAsks {
  permissions: PermissionRequest[];
  questions: QuestionRequest[];
}

/** The answers to a question, and the call that asked it. */
export interface Answered {
  call: string | undefined;
  answers: string[][];
}

type Asked = EventOf<"permission.requested"> | EventOf<"question.requested">;
type Resolved = EventOf<"permission.resolved"> | EventOf<"question.resolved">;

/**
 * The open asks of a session, and the events by which clients hear of them. Clients hear nothing of an ask that a rule answers: a client
 * without a person refuses each ask that it hears of, and would say so although the tool runs.
 */
export class OpenAsks {
  readonly #unsaid = new Set<string>();
  readonly #permissions = new Map<string, PermissionRequest>();
  readonly #questions = new Map<string, { request: QuestionRequest; call?: string }>();

  /** Takes in the asks that were open before the view began. */
  hold({ id: sessionID, directory, asks }: SessionState): void {
    const place = { sessionID, directory };
    for (const ask of asks) {
      if (ask.kind === "permission") this.#permissions.set(ask.id, permissionRequest(ask.request, place));
      else this.#questions.set(ask.id, { request: questionRequest(ask.request, place) });
    }
  }

  /** Remembers an ask that a rule answers at once. */
  leaveUnsaid({ data }: Asked): void {
    this.#unsaid.add(data.ask);
  }

  ask(event: Asked, place: Parameters<typeof permissionRequest>[1], out: Outbox): void {
    if (event.type === "permission.requested") {
      const request = permissionRequest(event.data, place);
      this.#permissions.set(request.id, request);
      out.say("permission.asked", request);
      return;
    }
    const request = questionRequest(event.data, place);
    this.#questions.set(request.id, { request, call: event.data.call });
    out.say("question.asked", request);
  }

  /** Refuses the asks that nobody needs to answer any more, so that no client keeps a dialog open. */
  resolve(event: Resolved, sessionID: string, out: Outbox): void {
    const requestID = event.data.ask;
    if (this.#unsaid.delete(requestID)) return;
    if (event.type === "permission.resolved") {
      const { outcome } = event.data;
      this.#permissions.delete(requestID);
      const reply = outcome === "cancelled" ? "reject" : outcome;
      return out.say("permission.replied", { sessionID, requestID, reply });
    }
    const { outcome, answers = [] } = event.data;
    this.#questions.delete(requestID);
    if (outcome !== "answered") return out.say("question.rejected", { sessionID, requestID });
    out.say("question.replied", { sessionID, requestID, answers });
  }

  /** Of a question that is being answered. */
  answered(event: Resolved): Answered | undefined {
    if (event.type !== "question.resolved" || event.data.outcome !== "answered") return undefined;
    return { call: this.#questions.get(event.data.ask)?.call, answers: event.data.answers ?? [] };
  }

  refuseAll(sessionID: string, out: Outbox): void {
    for (const requestID of this.#permissions.keys())
      out.say("permission.replied", { sessionID, requestID, reply: "reject" });
    for (const requestID of this.#questions.keys()) out.say("question.rejected", { sessionID, requestID });
  }

  pending(): PendingAsks {
    return {
      permissions: [...this.#permissions.values()],
      questions: [...this.#questions.values()].map(({ request }) => request),
    };
  }
}
