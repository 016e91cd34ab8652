import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { NewSessionResponse, PromptResponse } from "@agentclientprotocol/sdk/unstable";
import { silentLogger } from "../../../src/core/logger.ts";
import type { ParleyOptions } from "../../../src/server/parley.ts";
import { type Cleanup, startServer, type TestServer, temporary } from "../../support/server.ts";
import { stage, textOf, updatesOf } from "./stage.ts";
import { openV2, texts } from "./v2-stage.ts";

const STAND_IN = fileURLToPath(new URL("../../fixtures/agents/acp-as-told.mjs", import.meta.url));

const say = (text: string) => [{ type: "text" as const, text }];
const env = [
  { name: "TOKEN", value: "s3cret" },
  { name: "EMPTY", value: "" },
];
const headers = [
  { name: "Authorization", value: "Bearer s3cret" },
  { name: "x-key", value: "k" },
];
const program = { name: "tools", command: "/usr/bin/tools", args: ["--all", "a b", ""], env };
const web = { type: "http", name: "web", url: "https://example.com/mcp?a=1", headers } as const;
const feed = { type: "sse", name: "feed", url: "http://127.0.0.1:9/sse", headers: [] } as const;

interface Told {
  mcpCapabilities?: object;
  /** Its program cannot be asked before a session begins. */
  cannotBeAsked?: boolean;
  options?: Partial<ParleyOptions>;
}

/** A server whose default agent is the stand-in, and the requests that open sessions there. */
async function startTold(t: Cleanup, { mcpCapabilities, cannotBeAsked = false, options = {} }: Told) {
  const notes = join(await temporary(t), "notes");
  const agentCapabilities = { sessionCapabilities: { resume: {} }, mcpCapabilities };
  const told = { notes, initialize: { protocolVersion: 1, agentCapabilities, authMethods: [] } };
  const only = 'case "$PWD" in */acp/empty) exit 3 ;; esac; exec "$0" "$1"';
  const start = [process.execPath, STAND_IN] as const;
  const acp: [string, ...string[]] = cannotBeAsked ? ["/bin/sh", "-c", only, ...start] : [...start];
  const agents = { told: { acp, env: { STAND_IN: JSON.stringify(told) } } };
  const server = await startServer(t, { agents, defaultAgent: "told", ...options });
  /** Without those in which Parley asked what the agent has. */
  const opened = async () => {
    const lines = (await readFile(notes, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
    const all = lines.map((line) => JSON.parse(line) as { method: string; cwd: string; mcpServers: unknown });
    return all.filter(({ cwd }) => cwd === server.directory).map(({ method, mcpServers }) => ({ method, mcpServers }));
  };
  return { server, opened };
}

async function openV1(t: Cleanup, server: TestServer, mcpServers: object[], capabilities = {}) {
  const logged: string[] = [];
  const logger = { ...silentLogger, warn: (_: object, words: string) => void logged.push(words) };
  const client = await stage(t, { server, capabilities, acp: { agent: "told", logger } });
  const asked = { cwd: server.directory, mcpServers };
  const { sessionId } = await client.agent.request<NewSessionResponse>("session/new", asked as never);
  const prompt = (text: string) =>
    client.agent.request<PromptResponse>("session/prompt", { sessionId, prompt: say(text) });
  const notices = () => updatesOf(client).flatMap((one) => (one.sessionUpdate === "notice" ? [one.title] : []));
  return { ...client, sessionId, prompt, notices, logged };
}

/** Its program ends in the middle of a turn. */
const DIE = JSON.stringify({ steps: [{ exit: 7 }] });

describe("the MCP servers of a client", () => {
  test("reach the program of an agent as they are, and again when that is started anew", async (t) => {
    const { server, opened } = await startTold(t, { mcpCapabilities: { http: true, sse: true } });
    const servers = [program, web, feed];
    const client = await openV1(t, server, servers, { session: { notices: {} } });
    assert.deepEqual(await opened(), [{ method: "session/new", mcpServers: servers }]);
    await assert.rejects(client.prompt(DIE));
    assert.equal((await client.prompt("again")).stopReason, "end_turn");
    assert.match(textOf(client.updates), /again/);
    assert.deepEqual((await opened()).slice(1), [{ method: "session/resume", mcpServers: servers }]);
    assert.deepEqual(client.notices(), []);
  });

  test("reach it by version 2, too", async (t) => {
    const { server, opened } = await startTold(t, { mcpCapabilities: { http: true } });
    const bare = { type: "stdio", name: "bare", command: "/bin/bare" } as const;
    const mcpServers = [{ type: "stdio" as const, ...program }, bare, web];
    const session = await openV2(t, server, { asked: { mcpServers } });
    const reached = [program, { name: "bare", command: "/bin/bare", args: [], env: [] }, web];
    assert.deepEqual(await opened(), [{ method: "session/new", mcpServers: reached }]);
    assert.equal((await session.run(DIE)).idle?.stopReason, "error");
    assert.equal((await session.run("again")).idle?.stopReason, "end_turn");
    assert.match(texts(session.updates), /again/);
    assert.deepEqual((await opened()).slice(1), [{ method: "session/resume", mcpServers: reached }]);
  });

  test("may have any names, and reach the program by names that differ", async (t) => {
    const { server, opened } = await startTold(t, {});
    const [bare, same] = ["My tools (new)", "My tools [new]"].map((name) => ({ ...program, name }));
    await openV1(t, server, [bare as object, same as object]);
    const reached = ["My_tools_new_", "My_tools_new__2"].map((name) => ({ ...program, name }));
    assert.deepEqual(await opened(), [{ method: "session/new", mcpServers: reached }]);
  });

  test("of a kind that version 2 does not have are refused with their kind", async (t) => {
    const { server, opened } = await startTold(t, {});
    const odd = { type: "_pipe", name: "odd" };
    const asked = { mcpServers: [odd] as never[] };
    await assert.rejects(openV2(t, server, { asked }), { code: -32602, message: /by stdio or http, got one by _pipe/ });
    assert.deepEqual(await opened(), []);
  });

  for (const cannotBeAsked of [false, true]) {
    const when = cannotBeAsked ? "says only when it starts that it" : "is known not to take or";
    test(`are left out where the agent ${when} takes none of their kind, and one notice names them`, async (t) => {
      const { server, opened } = await startTold(t, { mcpCapabilities: { http: false, sse: false }, cannotBeAsked });
      const client = await openV1(t, server, [web, program, feed], { session: { notices: {} } });
      assert.equal((await client.prompt("hello")).stopReason, "end_turn");
      assert.deepEqual(await opened(), [{ method: "session/new", mcpServers: [program] }]);
      assert.deepEqual(client.notices(), ["Agent told was started without MCP servers: web, feed"]);
      assert.deepEqual(client.logged, []);
      const silent = await openV1(t, server, [web, program, feed]);
      assert.equal((await silent.prompt("hello")).stopReason, "end_turn");
      assert.deepEqual(silent.notices(), []);
      assert.deepEqual(silent.logged, ["Agent told was started without MCP servers: web, feed"]);
      assert.deepEqual((await opened()).slice(1), [{ method: "session/new", mcpServers: [program] }]);
    });
  }

  test("are named in the first turn where the agent starts with that, since its project was not trusted", async (t) => {
    const trust = { file: join(await temporary(t), "trusted"), configured: [] };
    const { server, opened } = await startTold(t, { cannotBeAsked: true, options: { trust } });
    await writeFile(join(server.directory, ".mcp.json"), "{}");
    const client = await openV1(t, server, [web, program], { session: { notices: {} } });
    assert.deepEqual(await opened(), [], "it has not started");
    client.onPermission(async ({ options }) => ({
      outcome: { outcome: "selected", optionId: options.find(({ name }) => /trust/i.test(name))?.optionId ?? "" },
    }));
    assert.equal((await client.prompt("hello")).stopReason, "end_turn");
    assert.deepEqual(await opened(), [{ method: "session/new", mcpServers: [program] }]);
    assert.deepEqual(client.notices(), [
      "the agent was started without MCP servers of a kind that it does not take: web (http)",
    ]);
  });

  test("of a kind that the agent does not take refuse a session of the universal API", async (t) => {
    const { server, opened } = await startTold(t, { mcpCapabilities: { http: true } });
    const sse = { name: "feed", type: "sse", url: feed.url };
    const refused = await server.api.refused("unsupported", "POST", "/v1/sessions", { mcpServers: [sse] });
    assert.match(refused.detail, /agent told takes no MCP server of type sse; it takes: stdio, http/);
    assert.deepEqual(await opened(), []);
  });

  test("that are left out of a session of the universal API are named by a note of its start", async (t) => {
    const { server, opened } = await startTold(t, { cannotBeAsked: true });
    const stdio = { name: "tools", type: "stdio", command: "/bin/tools" };
    const sse = { name: "feed", type: "sse", url: feed.url };
    const { id } = await server.api.create({ mcpServers: [stdio, sse] });
    assert.equal((await server.api.ask(id, "hello")).reason, "end_turn");
    const [{ mcpServers } = { mcpServers: [] }] = await opened();
    assert.deepEqual(mcpServers, [{ name: "tools", command: "/bin/tools", args: [], env: [] }]);
    const notes = (await server.api.events(id)).flatMap(({ type, data }) =>
      type === "item.completed" && data.item.kind === "status" ? [[data.item.level, data.item.text]] : [],
    );
    assert.deepEqual(notes, [
      ["warn", "the agent was started without MCP servers of a kind that it does not take: feed (sse)"],
    ]);
  });
});
