import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { NewSessionResponse } from "@agentclientprotocol/sdk";
import { played, words } from "../../agents/acp/stage.ts";
import { eventually } from "../../support/eventually.ts";
import { stage, textOf } from "./stage.ts";

const STAND_IN = fileURLToPath(new URL("../../fixtures/agents/acp-as-told.mjs", import.meta.url));

for (const notices of [true, false]) {
  test(`words of an agent after its turn are a message for clients ${notices ? "with" : "without"} notices, also when the session is loaded`, async (t) => {
    const agents = { "stand-in": { acp: [process.execPath, STAND_IN] as const } };
    const capabilities = notices ? { session: { notices: {} } } : {};
    const options = { serverOptions: { agents, defaultAgent: "stand-in" }, capabilities };
    const client = await stage(t, options);
    const where = { cwd: client.server.directory, mcpServers: [] };
    const { sessionId } = await client.agent.request<NewSessionResponse>("session/new", where);
    const prompt = [{ type: "text" as const, text: played([words("in time")], undefined, [words("late words")]) }];
    await client.agent.request("session/prompt", { sessionId, prompt });
    await eventually("they are told", () => textOf(client.updates).endsWith("late words"));
    assert.equal(textOf(client.updates), "in timelate words");
    const ids = client.updates.flatMap(({ update }) =>
      update.sessionUpdate === "agent_message_chunk" ? [update.messageId] : [],
    );
    assert.equal(new Set(ids).size, 2, "they are a message of their own");
    const later = await stage(t, { server: client.server, capabilities });
    await later.agent.request("session/load", { ...where, sessionId });
    assert.equal(textOf(later.updates), "in timelate words");
    assert.deepEqual(
      later.updates.filter(({ update }) => update.sessionUpdate === "notice"),
      [],
    );
  });
}
