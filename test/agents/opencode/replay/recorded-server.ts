import { type Fields, fieldsIn, isFields, listIn, numberIn, textIn } from "../../../../src/core/json/fields.ts";

/** A message with its parts, as `GET /session/{id}/message` has it. */
export interface Kept extends Fields {
  info: Fields;
  parts: Fields[];
}

const byId = (a: Fields, b: Fields): number => (String(a.id) < String(b.id) ? -1 : 1);
const createdIn = (info: Fields): number => numberIn(fieldsIn(info, "time"), "created") ?? 0;

/** The state that OpenCode's REST API tells, made of its own events: pieces of texts are not kept, states of parts are. */
export class RecordedServer {
  readonly #sessions = new Map<string, Fields>();
  readonly #messages = new Map<string, Map<string, { info: Fields; parts: Map<string, Fields> }>>();
  readonly #statuses = new Map<string, Fields>();
  readonly #asks = new Map<string, { kind: "permission" | "question"; request: Fields }>();
  readonly #todos = new Map<string, Fields[]>();

  apply(event: Fields): void {
    const properties = fieldsIn(event, "properties");
    const info = fieldsIn(properties, "info");
    const id = textIn(info, "id") ?? "";
    const session = textIn(properties, "sessionID") ?? textIn(info, "sessionID") ?? "";
    switch (event.type) {
      case "session.created":
      case "session.updated":
        this.#sessions.set(id, info);
        break;
      case "session.deleted":
        this.#sessions.delete(session || id);
        this.#messages.delete(session || id);
        break;
      case "message.updated":
        this.#message(session, id).info = info;
        break;
      case "message.part.updated": {
        const part = fieldsIn(properties, "part");
        const message = textIn(part, "messageID") ?? "";
        this.#message(textIn(part, "sessionID") ?? session, message).parts.set(String(part.id), part);
        break;
      }
      case "session.status": {
        const status = fieldsIn(properties, "status");
        if (status.type === "idle") this.#statuses.delete(session);
        else this.#statuses.set(session, status);
        break;
      }
      case "permission.asked":
      case "question.asked":
        this.#asks.set(String(properties.id), {
          kind: event.type === "question.asked" ? "question" : "permission",
          request: properties,
        });
        break;
      case "permission.replied":
      case "question.replied":
      case "question.rejected":
        this.#asks.delete(String(properties.requestID));
        break;
      case "todo.updated":
        this.#todos.set(session, listIn(properties, "todos"));
        break;
    }
  }

  #message(session: string, id: string): { info: Fields; parts: Map<string, Fields> } {
    const messages = this.#messages.get(session) ?? new Map();
    this.#messages.set(session, messages);
    const message = messages.get(id) ?? { info: {}, parts: new Map<string, Fields>() };
    messages.set(id, message);
    return message;
  }

  session(id: string): Fields | undefined {
    return this.#sessions.get(id);
  }

  children(of: string): Fields[] {
    return [...this.#sessions.values()].filter(({ parentID }) => parentID === of);
  }

  /** Of messages that were never told there is nothing. */
  messages(session: string): Kept[] {
    const messages = [...(this.#messages.get(session)?.values() ?? [])].filter(({ info }) => isFields(info) && info.id);
    return messages
      .map(({ info, parts }) => ({ info, parts: [...parts.values()].sort(byId) }))
      .sort((a, b) => createdIn(a.info) - createdIn(b.info) || byId(a.info, b.info));
  }

  message(session: string, id: string): Kept | undefined {
    return this.messages(session).find(({ info }) => info.id === id);
  }

  /** Absent: it is idle. */
  status(session: string): Fields | undefined {
    return this.#statuses.get(session);
  }

  asks(kind: "permission" | "question"): Fields[] {
    return [...this.#asks.values()].filter((ask) => ask.kind === kind).map(({ request }) => request);
  }

  todos(session: string): Fields[] {
    return this.#todos.get(session) ?? [];
  }
}
