import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { ClientCapabilities, PromptResponse } from "@agentclientprotocol/sdk/unstable";
import { played, update, words } from "../../agents/acp/stage.ts";
import { Closers } from "../../support/closers.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { stage, textOf, updatesOf } from "./stage.ts";

const PROGRAM = fileURLToPath(new URL("../../fixtures/agents/acp-as-told.mjs", import.meta.url));

const SUMMARY = "We spoke of the sea.";

/** What is told and asked in every client. */
const ALWAYS = ["agent_message_chunk", "session/request_permission", "session_info_update", "tool_call"];

/** What a client gets beside that, by what it declared. */
const DECLARED: [what: string, capabilities: ClientCapabilities, kinds: readonly string[]][] = [
  ["nothing", {}, []],
  ["notices", { session: { notices: {} } }, ["notice"]],
  ["compactions", { session: { compaction: {} } }, ["compaction_update", "compaction_summary_chunk"]],
  ["forms", { elicitation: { form: {} } }, ["elicitation/create"]],
  ["files and terminals", { fs: { readTextFile: true, writeTextFile: true }, terminal: true }, []],
];

/** A turn with a notice, a compaction, a permission and a form. */
const TURN = [
  words("before "),
  update("notice", { severity: "warning", title: "Slow", description: "The model is busy." }),
  update("compaction_update", { compactionId: "c", status: "in_progress" }),
  update("compaction_summary_chunk", { compactionId: "c", content: { type: "text", text: SUMMARY } }),
  update("compaction_update", { compactionId: "c", status: "completed" }),
  {
    request: {
      method: "session/request_permission",
      params: {
        toolCall: { toolCallId: "t", title: "touch x", kind: "execute", rawInput: { command: "touch x" } },
        options: [{ optionId: "y", name: "Yes", kind: "allow_once" }],
      },
    },
  },
  {
    request: {
      method: "elicitation/create",
      params: {
        mode: "form",
        message: "Which?",
        requestedSchema: { type: "object", properties: { color: { type: "string", enum: ["red", "green"] } } },
      },
    },
  },
  words("after"),
];

describe("CLIENTCAP-001 CLIENTCAP-002 CLIENTCAP-003 in a turn that warns, compacts and asks", () => {
  const closers = new Closers();
  let server: TestServer;
  before(async () => {
    const told = { acp: [process.execPath, PROGRAM] as const };
    server = await startServer(closers, { agents: { told }, defaultAgent: "told" });
  });
  after(() => closers.close());

  for (const [what, capabilities, kinds] of DECLARED)
    test(`a client that declared ${what} gets that and no more`, async (t) => {
      const requests = { "elicitation/create": async () => ({ action: "decline" }) };
      const client = await stage(t, { server, capabilities, requests });
      client.onPermission(async ({ options: [first] }) => ({
        outcome: { outcome: "selected", optionId: first?.optionId ?? "" },
      }));
      const { sessionId } = await client.agent.request("session/new", { cwd: server.directory, mcpServers: [] });
      const prompt = [{ type: "text" as const, text: played(TURN) }];
      const from = client.messages.length;
      assert.equal(
        (await client.agent.request<PromptResponse>("session/prompt", { sessionId, prompt })).stopReason,
        "end_turn",
      );
      const asked = client.messages
        .slice(from)
        .flatMap(({ from, message: { id, method } }) => (from === "agent" && id !== undefined ? (method ?? []) : []));
      const told = updatesOf(client).map(({ sessionUpdate }) => sessionUpdate);
      const ignored = ["tool_call_update", "available_commands_update"];
      const all = [...new Set([...asked, ...told])].filter((kind) => !ignored.includes(kind));
      assert.deepEqual(all.sort(), [...ALWAYS, ...kinds].sort());
      assert.equal(textOf(client.updates), "before after");
      assert.equal(textOf(client.updates, "compaction_summary_chunk"), what === "compactions" ? SUMMARY : "");
    });
});
