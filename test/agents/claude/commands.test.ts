import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { answerLine, controlLine, userLine } from "../../../src/agents/claude/commands.ts";
import type { Request } from "../../../src/agents/claude/decode/state.ts";
import type { Answer } from "../../../src/core/ledger/signals.ts";

const body = (request: Request, answer: Answer): Record<string, unknown> => {
  const line = JSON.parse(answerLine("r1", request, answer)) as { type: string; response: Record<string, unknown> };
  assert.equal(line.type, "control_response");
  assert.deepEqual([line.response.subtype, line.response.request_id], ["success", "r1"]);
  return line.response.response as Record<string, unknown>;
};

const bash: Request = { tool: "Bash", input: { command: "touch x" } };
const plan: Request = { tool: "ExitPlanMode", input: { plan: "1. Do" } };
const question: Request = {
  tool: "AskUserQuestion",
  input: { questions: [{ question: "One?" }, { question: "Two?" }, { question: "Three?" }] },
};

describe("answers to Claude Code", () => {
  const table: [string, Request, Answer, Record<string, unknown>][] = [
    [
      "once: the input is echoed, or the program would refuse it",
      bash,
      { kind: "permission", outcome: "once" },
      { behavior: "allow", updatedInput: bash.input },
    ],
    [
      "always: the program is told no more than that",
      bash,
      { kind: "permission", outcome: "always" },
      { behavior: "allow", updatedInput: bash.input },
    ],
    [
      "reject with feedback: the model reads it",
      bash,
      { kind: "permission", outcome: "reject", feedback: "no" },
      { behavior: "deny", message: "no" },
    ],
    [
      "a plan is approved: the program asks before each change, whatever it did before it planned",
      plan,
      { kind: "question", outcome: "answered", answers: [["Approve"]] },
      {
        behavior: "allow",
        updatedInput: plan.input,
        updatedPermissions: [{ type: "setMode", mode: "default", destination: "session" }],
      },
    ],
    [
      "a plan is approved, with edits",
      plan,
      { kind: "question", outcome: "answered", answers: [["Approve and accept edits"]] },
      {
        behavior: "allow",
        updatedInput: plan.input,
        updatedPermissions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
      },
    ],
    [
      "a plan is sent back with a wish",
      plan,
      { kind: "question", outcome: "answered", answers: [["Keep planning", "add tests"]] },
      { behavior: "deny", message: "add tests" },
    ],
    [
      "a plan is rejected",
      plan,
      { kind: "question", outcome: "rejected", feedback: "never" },
      { behavior: "deny", message: "never" },
    ],
    [
      "questions: several labels, words of one's own, and one without an answer",
      question,
      { kind: "question", outcome: "answered", answers: [["A", "B"], ["my own"], []] },
      { behavior: "allow", updatedInput: { ...question.input, answers: { "One?": "A, B", "Two?": "my own" } } },
    ],
  ];
  for (const [name, request, answer, expected] of table) {
    test(name, () => assert.deepEqual(body(request, answer), expected));
  }

  test("a refusal without words still has some, for the model", () => {
    for (const request of [bash, plan, question]) {
      const answer: Answer =
        request === bash ? { kind: "permission", outcome: "reject" } : { kind: "question", outcome: "rejected" };
      const { behavior, message } = body(request, answer);
      assert.equal(behavior, "deny");
      assert.match(String(message), /The user/);
    }
  });

  test("every line is one line of JSON, whatever it holds: the program dies of anything else", () => {
    const odd = 'a\nb\u2028c"d\\e\u0000';
    for (const line of [
      userLine([{ type: "text", text: odd }], odd),
      controlLine(odd, { subtype: "interrupt", cancel_queued: true }),
    ]) {
      assert.ok(!line.includes("\n"));
      assert.doesNotThrow(() => JSON.parse(line));
    }
    assert.equal(JSON.parse(userLine([], "u")).message.role, "user");
  });
});
