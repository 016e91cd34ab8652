import type { OpencodeEvent } from "../../../../src/surfaces/opencode/shapes/event.ts";
import type { Message, Part } from "../../../../src/surfaces/opencode/shapes/message.ts";
import type { Session, SessionStatus } from "../../../../src/surfaces/opencode/shapes/session.ts";

/** The screen of a client that only listens: OpenCode's own clients keep theirs in this way. */
export class Mirror {
  readonly sessions = new Map<string, Session>();
  readonly messages = new Map<string, Message>();
  readonly parts = new Map<string, Part>();
  readonly status = new Map<string, string>();
  readonly asks = new Map<string, string>();
  /** Events in a wrong order: a part before its message, a delta before its part. */
  readonly faults: string[] = [];

  take(event: OpencodeEvent): void {
    const { type, properties } = event;
    switch (type) {
      case "session.created":
      case "session.updated": {
        const info = properties.info as Session;
        this.sessions.set(info.id, info);
        return;
      }
      case "session.deleted":
        this.sessions.delete((properties.info as Session).id);
        return;
      case "session.status":
        this.status.set(properties.sessionID as string, (properties.status as SessionStatus).type);
        return;
      case "message.updated": {
        const info = properties.info as Message;
        this.messages.set(info.id, structuredClone(info));
        return;
      }
      case "message.removed":
        this.messages.delete(properties.messageID as string);
        return;
      case "message.part.updated": {
        const part = properties.part as Part;
        if (!this.messages.has(part.messageID)) this.faults.push(`part ${part.id} came before its message`);
        this.parts.set(part.id, structuredClone(part));
        return;
      }
      case "message.part.removed":
        this.parts.delete(properties.partID as string);
        return;
      case "message.part.delta":
        return this.takeDelta(properties as { partID: string; field: string; delta: string });
      case "permission.asked":
      case "question.asked":
        this.asks.set(properties.id as string, type);
        return;
      case "permission.replied":
      case "question.replied":
      case "question.rejected":
        this.asks.delete(properties.requestID as string);
        return;
    }
  }

  private takeDelta({ partID, field, delta }: { partID: string; field: string; delta: string }): void {
    const part = this.parts.get(partID);
    if (!part || !("text" in part) || field !== "text") {
      this.faults.push(`a delta of ${field} for ${partID}, which has no such text`);
      return;
    }
    part.text += delta;
  }

  /** Messages with their parts, as shown: by their ids. */
  transcript(session: string): { info: Message; parts: Part[] }[] {
    const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);
    return [...this.messages.values()]
      .filter((info) => info.sessionID === session)
      .sort(byId)
      .map((info) => ({
        info,
        parts: [...this.parts.values()].filter((part) => part.messageID === info.id).sort(byId),
      }));
  }
}
