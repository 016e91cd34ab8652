import type { PermissionRequest, QuestionRequest } from "./ask.ts";
import type { Message, MessageError, Part } from "./message.ts";
import type { FileDiff, Session, SessionStatus, Todo } from "./session.ts";

/** An event as OpenCode's clients read it; `properties` are as the type says. */
export interface OpencodeEvent {
  id: string;
  type: string;
  properties: Record<string, unknown>;
}

/** The properties of a session's events, by type. */
export type SessionEvents = {
  "session.created": { sessionID: string; info: Session };
  "session.updated": { sessionID: string; info: Session };
  "session.deleted": { sessionID: string; info: Session };
  "session.status": { sessionID: string; status: SessionStatus };
  "session.idle": { sessionID: string };
  "session.compacted": { sessionID: string };
  "session.diff": { sessionID: string; diff: FileDiff[] };
  "session.error": { sessionID: string; error: MessageError };
  "message.updated": { sessionID: string; info: Message };
  "message.removed": { sessionID: string; messageID: string };
  "message.part.updated": { sessionID: string; part: Part; time: number };
  "message.part.removed": { sessionID: string; messageID: string; partID: string };
  "message.part.delta": { sessionID: string; messageID: string; partID: string; field: string; delta: string };
  "permission.asked": PermissionRequest;
  "permission.replied": { sessionID: string; requestID: string; reply: "once" | "always" | "reject" };
  "question.asked": QuestionRequest;
  "question.replied": { sessionID: string; requestID: string; answers: string[][] };
  "question.rejected": { sessionID: string; requestID: string };
  "todo.updated": { sessionID: string; todos: Todo[] };
  "file.edited": { file: string };
  "tui.toast.show": { message: string; variant: "info" | "success" | "warning" | "error" };
};

/** An event about a session, of a type whose properties are known. */
export type SessionEvent = {
  [T in keyof SessionEvents]: { id: string; type: T; properties: SessionEvents[T] };
}[keyof SessionEvents];
