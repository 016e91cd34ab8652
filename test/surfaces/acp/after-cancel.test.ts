import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { NewSessionResponse, PromptResponse } from "@agentclientprotocol/sdk/unstable";
import { isFields } from "../../../src/core/json/fields.ts";
import { played, update, words } from "../../agents/acp/stage.ts";
import { eventually } from "../../support/eventually.ts";
import { type Cleanup, startServer } from "../../support/server.ts";
import { staysSo } from "../../support/time.ts";
import { stage, textOf, updatesOf } from "./stage.ts";

const PROGRAM = fileURLToPath(new URL("../../fixtures/agents/acp-as-told.mjs", import.meta.url));

const call = { toolCallId: "t", title: "sleep", kind: "execute", rawInput: { command: "sleep 9" } };
const modes = (currentModeId: string) => ({
  currentModeId,
  availableModes: ["build", "plan"].map((id) => ({ id, name: id })),
});

/** What an agent may still tell of a turn between the cancel and its answer. */
const LATE = [
  words("late "),
  update("agent_thought_chunk", { content: { type: "text", text: "still thinking" } }),
  update("tool_call_update", { toolCallId: "t", status: "completed", rawOutput: { output: "done" } }),
  update("tool_call", { ...call, toolCallId: "u", status: "in_progress" }),
  update("plan", { entries: [{ content: "stop", priority: "high", status: "in_progress" }] }),
  update("usage_update", { used: 10, size: 100, cost: { amount: 1, currency: "USD" } }),
  update("session_info_update", { title: "A late title" }),
  update("notice", { severity: "info", title: "Stopping" }),
  update("compaction_update", { compactionId: "c", status: "in_progress" }),
  update("current_mode_update", { currentModeId: "plan" }),
];

/** Cancels a turn whose agent tells this before it answers, and sees that nothing comes after the response. */
async function assertNothingFollows(t: Cleanup, late: readonly object[]): Promise<void> {
  const env = { STAND_IN: JSON.stringify({ "session/new": { sessionId: "sess-stand-in", modes: modes("build") } }) };
  const server = await startServer(t, {
    agents: { told: { acp: [process.execPath, PROGRAM], env } },
    defaultAgent: "told",
  });
  const client = await stage(t, { server, capabilities: { session: { notices: {}, compaction: {} } } });
  const place = { cwd: server.directory, mcpServers: [] };
  const { sessionId } = await client.agent.request<NewSessionResponse>("session/new", place);
  const prompt = (text: string): Promise<PromptResponse> =>
    client.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  await prompt(played([words("hello")]));
  await eventually("its commands are told", () =>
    updatesOf(client).some(({ sessionUpdate }) => sessionUpdate === "available_commands_update"),
  );

  const steps = [words("on "), update("tool_call", { ...call, status: "in_progress" }), { until: "session/cancel" }];
  const cancelled = prompt(played([...steps, ...late], { stopReason: "cancelled" }));
  await eventually("it works", () => textOf(client.updates).includes("on "));
  await client.agent.notify("session/cancel", { sessionId });
  assert.equal((await cancelled).stopReason, "cancelled");
  const response = client.messages.findLastIndex(
    ({ message: { result } }) => isFields(result) && result.stopReason === "cancelled",
  );
  const later = (): unknown[] => client.messages.slice(response + 1);
  await staysSo("no message after the response", () => later().length === 0);
  assert.equal((await prompt(played([words("again")]))).stopReason, "end_turn");
}

test("CANCEL-002 all that an agent tells of a turn behind its cancel comes before the response, or not at all", (t) =>
  assertNothingFollows(t, LATE));

test("CANCEL-002 commands that an agent tells behind a cancel come before the response, too", (t) => {
  const availableCommands = [{ name: "late", description: "a command" }];
  return assertNothingFollows(t, [update("available_commands_update", { availableCommands })]);
});
