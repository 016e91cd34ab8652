import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { RequestError } from "@agentclientprotocol/sdk";
import { stage } from "./stage.ts";

const STAND_IN = fileURLToPath(new URL("../../fixtures/agents/acp-as-told.mjs", import.meta.url));

const refusing = { "session/new": { error: { code: -32603, message: "the model server is down" } } };

describe("a session/new with an agent whose program cannot work", () => {
  const node = process.execPath;
  const rows = [
    { name: "ends at once", acp: [node, "-e", "process.exit(3)"], env: {}, says: /exit.* 3/ },
    { name: "opens no session", acp: [node, STAND_IN], env: refusing, says: /the model server is down/ },
    {
      name: "tells no id",
      acp: [node, STAND_IN],
      env: { "session/new": { modes: null } },
      says: /it told no session.s id/,
    },
  ] as const;
  for (const { name, acp, env, says } of rows) {
    test(`is refused with the reason: it ${name}`, async (t) => {
      const agents = { broken: { acp, env: { STAND_IN: JSON.stringify(env) } } };
      const { agent, server } = await stage(t, { serverOptions: { agents, defaultAgent: "broken" } });
      const begun = agent.request("session/new", { cwd: server.directory, mcpServers: [] });
      await assert.rejects(begun, (error) => {
        assert.ok(error instanceof RequestError);
        assert.equal(error.code, -32603);
        assert.match(error.message, says);
        return true;
      });
      const { sessions } = await server.api.expect<{ sessions: unknown[] }>(200, "GET", "/v1/sessions");
      assert.deepEqual(sessions, [], "no session is left");
    });
  }
});
