import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import type {
  NewSessionResponse,
  SessionConfigOption,
  SetSessionConfigOptionResponse,
} from "@agentclientprotocol/sdk/unstable";
import { Closers } from "../../support/closers.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { type StageOptions, stage, textOf, updatesOf } from "./stage.ts";

const STAND_IN = fileURLToPath(new URL("../../fixtures/agents/acp-as-told.mjs", import.meta.url));

const configOptions = [{ id: "web", name: "Web", type: "boolean", currentValue: false }];
const told = { "session/new": { sessionId: "sess-stand-in", configOptions }, "session/set_config_option": {} };
const update = (sessionUpdate: string, facts: object) => ({ update: { sessionUpdate, ...facts } });

/** A turn with words, a notice and a compaction. */
const ALL = JSON.stringify({
  steps: [
    update("agent_message_chunk", { content: { type: "text", text: "before " } }),
    update("notice", { severity: "warning", title: "Low on credit" }),
    update("compaction_update", { compactionId: "a", status: "in_progress" }),
    update("compaction_summary_chunk", { compactionId: "a", content: { type: "text", text: "We spoke." } }),
    update("compaction_update", { compactionId: "a", status: "completed" }),
    update("agent_message_chunk", { content: { type: "text", text: "after" } }),
  ],
});
const OPTIONAL = ["notice", "compaction_update", "compaction_summary_chunk"];

describe("what a client of version 1 is told as it declared", () => {
  const closers = new Closers();
  let server: TestServer;
  before(async () => {
    const env = { STAND_IN: JSON.stringify(told) };
    const agents = { told: { acp: [process.execPath, STAND_IN] as [string, string], env } };
    server = await startServer(closers, { agents, defaultAgent: "told" });
  });
  after(() => closers.close());

  async function open(t: Parameters<typeof stage>[0], capabilities: NonNullable<StageOptions["capabilities"]>) {
    const client = await stage(t, { server, capabilities });
    const asked = { cwd: server.directory, mcpServers: [] };
    const opened = await client.agent.request<NewSessionResponse>("session/new", asked);
    return { ...client, ...opened };
  }
  const web = (options: readonly SessionConfigOption[] | null | undefined) => options?.find(({ id }) => id === "web");

  for (const [session, kinds] of [
    [{}, []],
    [{ notices: {} }, ["notice"]],
    [{ compaction: {} }, ["compaction_update", "compaction_summary_chunk"]],
    [{ notices: {}, compaction: {} }, OPTIONAL],
  ] as const)
    test(`CLIENTCAP-002 CLIENTCAP-003 ${JSON.stringify(session)}`, async (t) => {
      const client = await open(t, { session });
      const prompt = [{ type: "text" as const, text: ALL }];
      await client.agent.request("session/prompt", { sessionId: client.sessionId, prompt });
      const shown = new Set(updatesOf(client).map(({ sessionUpdate }) => sessionUpdate as string));
      assert.deepEqual(
        OPTIONAL.filter((kind) => shown.has(kind)),
        kinds,
      );
      assert.equal(textOf(client.updates), "before after");
    });

  for (const isDeclared of [true, false])
    test(`CONFIG-003 an option that is on or off, ${isDeclared ? "declared" : "not declared"}`, async (t) => {
      const client = await open(t, isDeclared ? { session: { configOptions: { boolean: {} } } } : {});
      const set = async (value: boolean | string) => {
        const given = typeof value === "boolean" ? { type: "boolean" as const, value } : { value };
        const asked = { sessionId: client.sessionId, configId: "web", ...given };
        const answer = await client.agent.request<SetSessionConfigOptionResponse>("session/set_config_option", asked);
        return web(answer.configOptions);
      };
      const [on, off] = isDeclared ? [true, false] : ["true", "false"];
      const type = isDeclared ? "boolean" : "select";
      assert.deepEqual([web(client.configOptions)?.type, web(client.configOptions)?.currentValue], [type, off]);
      for (const value of [on, off]) {
        const now = await set(value);
        assert.deepEqual([now?.type, now?.currentValue], [type, value]);
        const { options } = await server.api.session(client.sessionId);
        assert.deepEqual(options, { web: value === on });
      }
    });
});
