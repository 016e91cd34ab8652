import assert from "node:assert/strict";
import { test } from "node:test";
import type { z } from "zod";
import type {
  AgentInfo,
  AskAnswer,
  EventStream,
  Gap,
  ListedAsk,
  Outcome,
  ParleyEvent,
  PromptInput,
  Receipt,
  SessionDetail,
  SessionHandle,
  StreamEvent,
  UnknownEvent,
} from "../../src/client/index.ts";
import type { Gateway } from "../../src/gateway/gateway.ts";
import type { PendingAsk } from "../../src/gateway/requests.ts";
import type { outcomeOf } from "../../src/surfaces/http/turn-outcome.ts";
import type { agent } from "../../src/surfaces/universal/agent-schemas.ts";
import type { Gap as ServerGap } from "../../src/surfaces/universal/events/cursor.ts";
import type * as schemas from "../../src/surfaces/universal/schemas.ts";
import type { detailView } from "../../src/surfaces/universal/views.ts";

/** Compiles only if every value of A is one of B. */
type Is<A extends B, B> = A;

// The types of the client fit the responses of the server.
export type FromServer = [
  Is<Awaited<ReturnType<Gateway["prompt"]>>, Receipt>,
  Is<Awaited<ReturnType<typeof outcomeOf>>, Outcome>,
  Is<ServerGap, Gap>,
  Is<PendingAsk, ListedAsk>,
  Is<ReturnType<typeof detailView>, SessionDetail>,
  Is<z.output<typeof agent>, AgentInfo>,
];
// The requests of the client fit the schemas of the server.
export type ToServer = [
  Is<PromptInput, z.input<typeof schemas.promptRequest>>,
  Is<Exclude<AskAnswer, string>, z.input<typeof schemas.answerRequest>>,
];

/** A program's use of an event; the compiler must know the data of each type. */
function describe(event: StreamEvent): string {
  switch (event.type) {
    case "turn.ended":
      return event.data.reason satisfies "end_turn" | "cancelled" | (string & {});
    case "item.delta":
      return (event.data.delta satisfies string | undefined) ?? "";
    case "item.completed":
      return event.data.item.kind === "tool_call" ? event.data.item.name : event.data.item.id;
    case "gap":
      return `${event.data.first satisfies number} ${event.data.snapshot.status satisfies string}`;
    default:
      // @ts-expect-error a question's data is not known before its type is
      return event.data.questions ?? event.type;
  }
}

/** When every known type is dealt with, only an unknown one can be left. */
function unknownType(event: Extract<StreamEvent, { type: "gap" | "error" }>): string {
  switch (event.type) {
    case "gap":
    case "error":
      return "";
    default:
      return (event satisfies never as UnknownEvent).type;
  }
}

export type Shapes = [
  Is<ReturnType<SessionHandle["events"]>, AsyncIterable<StreamEvent>>,
  Is<ReturnType<SessionHandle["run"]>, AsyncIterable<StreamEvent>>,
  Is<EventStream<ParleyEvent>, AsyncIterable<ParleyEvent>>,
  Is<StreamEvent["seq"], number>,
];

export async function overloads(session: SessionHandle): Promise<[Receipt, Outcome]> {
  return [await session.prompt("x"), await session.prompt("x", { wait: true })];
}

test("events narrow on their type", () => {
  const envelope = { id: "s:1", seq: 1, session: "s", time: 0, source: "agent" } as const;
  assert.equal(describe({ ...envelope, type: "turn.ended", data: { reason: "refusal" } }), "refusal");
  assert.equal(describe({ ...envelope, type: "item.delta", data: { item: "i", field: "text", delta: "d" } }), "d");
  assert.equal(unknownType({ ...envelope, type: "agent.dreamt", data: {} } as never), "agent.dreamt");
});
