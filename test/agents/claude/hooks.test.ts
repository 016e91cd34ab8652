import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { answerLine } from "../../../src/agents/claude/commands.ts";
import { type DecodeState, inMode, newDecodeState } from "../../../src/agents/claude/decode/state.ts";
import { decodeLine } from "../../../src/agents/claude/decode.ts";
import { BEFORE_CALL, BEFORE_PROMPT, decided } from "../../../src/agents/claude/hooks.ts";
import { isLaxer, MODES, needsNewProcess } from "../../../src/agents/claude/modes.ts";

const hook = (id: string, callback: string, input: object): string =>
  JSON.stringify({
    type: "control_request",
    request_id: id,
    request: { subtype: "hook_callback", callback_id: callback, input },
  });
const call = (tool: string, input: object, more: object = {}): string =>
  hook("h1", BEFORE_CALL, {
    tool_name: tool,
    tool_input: input,
    tool_use_id: "toolu_1",
    permission_mode: "default",
    ...more,
  });
const start = (mode = "default"): DecodeState => inMode(newDecodeState("/project"), mode);
const DENIED = /"permissionDecision":"deny"/;

describe("hooks of Claude Code", () => {
  test("a call that is about to be made is an intent, in the words of Parley's rules", () => {
    const { said, foreign, state } = decodeLine(start(), call("Bash", { command: "cat .env" }), 0);
    assert.equal(foreign, undefined);
    const [intent] = said.map(({ signal }) => signal);
    assert.ok(intent?.type === "intent");
    assert.deepEqual([intent.ask, intent.action, intent.command, intent.call], ["h1", "bash", "cat .env", "toolu_1"]);
    assert.equal(state.hooked, true);
    const again = decodeLine(state, call("Bash", { command: "cat .env" }), 0);
    assert.deepEqual([again.said, again.foreign], [[], undefined], "a repeat is the same intent");
    const request = state.requests.get("h1");
    assert.ok(request);
    const answer = { kind: "permission", outcome: "reject", feedback: "a rule denies it" } as const;
    const line = JSON.parse(answerLine("h1", request, answer)) as { response: { subtype: string; response: unknown } };
    assert.equal(line.response.subtype, "success", "an error would let the call be made");
    assert.deepEqual(line.response.response, {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "a rule denies it",
      },
    });
  });

  test("prompts, questions and plans need no verdict", () => {
    for (const line of [
      hook("h1", BEFORE_PROMPT, {}),
      call("AskUserQuestion", { questions: [] }),
      call("ExitPlanMode", { plan: "1." }),
    ]) {
      const { said, foreign } = decodeLine(start(), line, 0);
      assert.deepEqual([said, foreign], [[], { id: "h1", subtype: "hook_callback", hook: {} }]);
    }
  });

  test("where permissions were bypassed nobody plans, and in a plan there everything but looking is asked for", () => {
    const state = inMode(start("bypassPermissions"), "auto");
    const refused = decodeLine(state, call("EnterPlanMode", {}, { permission_mode: "auto" }), 0);
    assert.match(JSON.stringify(refused.foreign?.hook), DENIED);
    const allowed = decodeLine(start("acceptEdits"), call("EnterPlanMode", {}, { permission_mode: "acceptEdits" }), 0);
    assert.equal(allowed.said[0]?.signal.type, "intent");
    const asks = (tool: string): boolean | undefined =>
      decodeLine(state, call(tool, {}, { permission_mode: "plan" }), 0).state.requests.get("h1")?.hook?.asks;
    assert.deepEqual([asks("Write"), asks("Bash"), asks("Read")], [true, true, false]);
  });

  test("the mode that a call would be made in is told where it is not the one that is known", () => {
    const modes = (line: string): unknown[] =>
      decodeLine(start("plan"), line, 0).said.flatMap(({ signal }) => (signal.type === "session" ? [signal.mode] : []));
    assert.deepEqual(modes(call("Read", {}, { permission_mode: "acceptEdits" })), ["acceptEdits"]);
    assert.deepEqual(modes(call("Read", {}, { permission_mode: "plan" })), []);
  });

  test("a verdict is go, ask, or a refusal where nobody is asked", () => {
    const decision = (asks: boolean, nobodyAsked: boolean, verdict: "go" | "ask"): unknown =>
      (decided({ asks, nobodyAsked }, verdict).hookSpecificOutput as { permissionDecision?: string } | undefined)
        ?.permissionDecision;
    assert.deepEqual(
      [decision(false, false, "go"), decision(false, true, "go"), decision(true, false, "go")],
      [undefined, undefined, "ask"],
    );
    assert.deepEqual(
      [decision(true, true, "go"), decision(false, false, "ask"), decision(false, true, "ask")],
      ["deny", "ask", "deny"],
    );
  });

  test("modes: only a new process enters or leaves the one without permissions", () => {
    for (const { id } of MODES) {
      assert.equal(needsNewProcess(id, false), id === "bypassPermissions");
      assert.equal(needsNewProcess(id, true), id !== "bypassPermissions");
    }
    assert.ok(isLaxer("acceptEdits", "plan") && isLaxer("bypassPermissions", "acceptEdits"));
    assert.ok(!isLaxer("plan", "default") && !isLaxer("default", "plan") && !isLaxer("default", "auto"));
  });
});
