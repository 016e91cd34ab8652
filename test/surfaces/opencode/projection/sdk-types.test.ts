import assert from "node:assert/strict";
import { test } from "node:test";
import type * as sdk from "@opencode-ai/sdk/v2";
import type { PermissionRequest, QuestionRequest } from "../../../../src/surfaces/opencode/shapes/ask.ts";
import type { SessionEvent } from "../../../../src/surfaces/opencode/shapes/event.ts";
import type { Message, Part } from "../../../../src/surfaces/opencode/shapes/message.ts";
import type { Session, SessionStatus, Todo } from "../../../../src/surfaces/opencode/shapes/session.ts";
import { EDITED, Story } from "./story.ts";

// These compile only while OpenCode's own SDK can read what goes out.
const asEvent = (event: SessionEvent): sdk.Event => event;
const asMessage = (message: Message): sdk.Message => message;
const asPart = (part: Part): sdk.Part => part;
const asSession = (session: Session): sdk.Session => session;
const asStatus = (status: SessionStatus): sdk.SessionStatus => status;
const asPermission = (request: PermissionRequest): sdk.PermissionRequest => request;
const asQuestion = (request: QuestionRequest): sdk.QuestionRequest => request;
const asTodo = (todo: Todo): sdk.Todo => todo;

test("the events of a turn fit the types of the SDK", () => {
  const story = new Story().prompt().step().say("Hm.", "reasoning").run("c", "edit").ask("c", "edit", "README.md");
  story
    .answer({ kind: "permission", outcome: "once" })
    .done("c", { files: [EDITED] })
    .say("Done.")
    .endStep("stop")
    .end();
  const view = story.view();
  const known: Record<string, number> = {};
  for (const event of story.said()) {
    const { type } = asEvent(event);
    known[type] = (known[type] ?? 0) + 1;
  }
  assert.ok((known["message.part.updated"] ?? 0) > 5);
  for (const { info, parts } of view.messages()) {
    asMessage(info);
    for (const part of parts) asPart(part);
  }
  asSession(view.session());
  asStatus(view.status());
  view.asks().permissions.map(asPermission);
  view.asks().questions.map(asQuestion);
  [{ content: "a", status: "pending", priority: "low" }].map(asTodo);
});
