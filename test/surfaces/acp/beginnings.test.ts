import assert from "node:assert/strict";
import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type NewSessionResponse, RequestError } from "@agentclientprotocol/sdk";
import { silentLogger } from "../../../src/core/logger.ts";
import { eventually } from "../../support/eventually.ts";
import { strays } from "../../support/process.ts";
import { temporary } from "../../support/server.ts";
import { stage } from "./stage.ts";

const STAND_IN = fileURLToPath(new URL("../../fixtures/agents/acp-as-told.mjs", import.meta.url));

const wantsLogin = JSON.stringify({ "session/new": { error: { code: -32000, message: "Authentication required" } } });
const refusing = { "session/new": { error: { code: -32603, message: "the model server is down" } } };

describe("a session/new with an agent whose program cannot work", () => {
  const node = process.execPath;
  const rows = [
    { name: "ends at once", acp: [node, "-e", "process.exit(3)"], env: {}, says: /exit.* 3/ },
    { name: "opens no session", acp: [node, STAND_IN], env: refusing, says: /the model server is down/ },
    { name: "sends all back", acp: ["/bin/cat"], env: {}, says: /it does not speak the Agent Client Protocol/ },
    {
      name: "tells no id",
      acp: [node, STAND_IN],
      env: { "session/new": { modes: null } },
      says: /it told no session.s id/,
    },
    {
      name: "tells an empty id",
      acp: [node, STAND_IN],
      env: { "session/new": { sessionId: "" } },
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

const silent = [process.execPath, "-e", "setInterval(() => {}, 1_000)"] as const;

test("a session/new that is taken back is answered at once, and leaves no session and no program", async (t) => {
  const serverOptions = { agents: { silent: { acp: silent } }, defaultAgent: "silent" };
  const { agent, server } = await stage(t, { serverOptions });
  const stop = new AbortController();
  const begun = agent.request(
    "session/new",
    { cwd: server.directory, mcpServers: [] },
    { cancellationSignal: stop.signal },
  );
  const sessions = async () =>
    (await server.api.expect<{ sessions: unknown[] }>(200, "GET", "/v1/sessions")).sessions.length;
  await eventually("the session begins", async () => (await sessions()) === 1);
  // One for the session, and one that is asked what the agent has.
  await eventually("both programs run", () => strays(server.dataDirectory).length === 2);
  stop.abort();
  await assert.rejects(begun, { code: -32800 });
  await eventually("the session is gone", async () => (await sessions()) === 0);
});

test("a session/new whose client goes is taken back, and an agent that takes long to start is told of", async (t) => {
  const serverOptions = { agents: { silent: { acp: silent } }, defaultAgent: "silent" };
  const told: string[] = [];
  const logger = { ...silentLogger, warn: (_: object, words: string) => void told.push(words) };
  const { agent, server, close } = await stage(t, { serverOptions, acp: { logger, slowMs: 5 } });
  const begun = agent.request("session/new", { cwd: server.directory, mcpServers: [] });
  begun.catch(() => {});
  const sessions = async () =>
    (await server.api.expect<{ sessions: unknown[] }>(200, "GET", "/v1/sessions")).sessions.length;
  await eventually("the session begins", async () => (await sessions()) === 1);
  await eventually("it is told of", () => told.length > 0);
  await close();
  assert.equal(await sessions(), 0);
  assert.deepEqual(told, ["session/new waits: its agent has not started after 0.005 s"], "once, and nothing else");
});

test("an agent that is asked what it has by a server that ends is not started", async (t) => {
  const serverOptions = { agents: { silent: { acp: silent } }, defaultAgent: "silent" };
  const { server } = await stage(t, { serverOptions });
  const { gateway } = server.parley;
  await server.stop();
  const { detail, credentials } = await gateway.discover("silent");
  assert.match(detail ?? "", /it does not answer: .*the server that was to run it has ended/s);
  assert.equal(credentials, "unknown");
  assert.deepEqual(strays(server.dataDirectory), []);
});

test("a login is seen by the next session/new", async (t) => {
  const place = await temporary(t);
  const program = join(place, "agent.mjs");
  await copyFile(STAND_IN, program);
  const acp = ["/bin/sh", "-c", `test -e ${place}/key || export STAND_IN='${wantsLogin}'; exec "$0" "$1"`] as const;
  const agents = { locked: { acp: [...acp, process.execPath, program] as [string, ...string[]] } };
  const { agent, server } = await stage(t, { serverOptions: { agents, defaultAgent: "locked" } });
  const where = { cwd: server.directory, mcpServers: [] };
  await assert.rejects(agent.request("session/new", where), { code: -32000 });
  await assert.rejects(agent.request("authenticate", { methodId: "agent-login" }), { code: -32000 });
  await writeFile(join(place, "key"), "");
  await agent.request("authenticate", { methodId: "agent-login" });
  const { sessionId } = await agent.request<NewSessionResponse>("session/new", where);
  assert.ok(sessionId);
});
