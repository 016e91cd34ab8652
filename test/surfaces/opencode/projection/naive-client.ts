import assert from "node:assert/strict";
import type { Projected } from "../../../../src/surfaces/opencode/projection/outbox.ts";
import type { SessionEvent } from "../../../../src/surfaces/opencode/shapes/event.ts";
import type { Message, MessageWithParts, Part } from "../../../../src/surfaces/opencode/shapes/message.ts";
import type { Session, SessionStatus } from "../../../../src/surfaces/opencode/shapes/session.ts";

/** Holds what it hears and nothing else, and is strict about the order it hears it in. */
export class NaiveClient {
  readonly messages = new Map<string, { info: Message; parts: Map<string, Part> }>();
  readonly asks = new Set<string>();
  status: SessionStatus = { type: "idle" };
  session: Session | undefined;

  hear({ event, part: whole }: Projected): void {
    switch (event.type) {
      case "session.created":
      case "session.updated":
        this.session = event.properties.info;
        return;
      case "session.status":
        this.status = event.properties.status;
        return;
      case "message.updated": {
        const { info } = event.properties;
        const known = this.messages.get(info.id);
        if (known) assert.equal(known.info.time.created, info.time.created, "a message's place never changes");
        this.messages.set(info.id, { info, parts: known?.parts ?? new Map() });
        return;
      }
      case "message.removed":
        assert.ok(this.messages.delete(event.properties.messageID), "only what is there is removed");
        return;
      case "message.part.updated":
        return this.#put(event.properties.part);
      case "message.part.removed":
        assert.ok(this.#parts(event).delete(event.properties.partID), "only what is there is removed");
        return;
      case "message.part.delta":
        return this.#add(event, whole);
      case "permission.asked":
      case "question.asked":
        assert.ok(!this.asks.has(event.properties.id));
        this.asks.add(event.properties.id);
        return;
      case "permission.replied":
      case "question.replied":
      case "question.rejected":
        assert.ok(this.asks.delete(event.properties.requestID), "an answer is to something that was asked");
    }
  }

  #parts(event: Extract<SessionEvent, { properties: { messageID: string } }>): Map<string, Part> {
    const message = this.messages.get(event.properties.messageID);
    assert.ok(message, `${event.type} for a message that was never heard of`);
    return message.parts;
  }

  #put(part: Part): void {
    const message = this.messages.get(part.messageID);
    assert.ok(message, "a part comes after its message");
    const before = message.parts.get(part.id);
    if (before) assert.equal(before.type, part.type);
    if (before && "text" in before && "text" in part && "time" in part && part.time?.end !== undefined)
      assert.equal(part.text, before.text, "the last word on a text is what the deltas made of it");
    if (before?.type === "tool" && part.type === "tool") assertForward(before.state.status, part.state.status);
    message.parts.set(part.id, part);
  }

  #add(event: Extract<SessionEvent, { type: "message.part.delta" }>, whole: Part | undefined): void {
    const parts = this.#parts(event);
    const part = parts.get(event.properties.partID);
    assert.ok(part && "text" in part, "a delta comes after its part");
    const longer = { ...part, text: part.text + event.properties.delta };
    parts.set(part.id, longer);
    assert.deepEqual(whole, longer, "the part beside a delta is the part so far");
  }

  list(): MessageWithParts[] {
    return [...this.messages.values()]
      .sort((a, b) => a.info.time.created - b.info.time.created || (a.info.id < b.info.id ? -1 : 1))
      .map(({ info, parts }) => ({ info, parts: [...parts.values()].sort((a, b) => (a.id < b.id ? -1 : 1)) }));
  }
}

const ORDER = ["pending", "running", "completed", "error"];

function assertForward(before: string, now: string): void {
  const done = before === "completed" || before === "error";
  assert.ok(
    done ? before === now : ORDER.indexOf(now) >= ORDER.indexOf(before),
    `a tool went from ${before} to ${now}`,
  );
}
