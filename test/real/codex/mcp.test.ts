import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { completed, Stage } from "../../agents/codex/stage.ts";
import { OpencodeClient } from "../../support/opencode.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, long } from "../../support/time.ts";

const { program = "", skip } = await realAgent("codex");
const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/agents/${name}.mjs`, import.meta.url));
const SECRET = "s3cret-of-the-greeter";

/** The model looks for a server's tool before it can call it. */
const calls = (tool: string) => [
  { tools: [{ name: "tool_search", input: { query: tool } }] },
  { tools: [{ name: tool, input: {} }] },
  { text: "It said: {{last_tool_result}}" },
];

function commandLines(): string[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8");
    } catch {
      return "";
    }
  });
}

describe("MCP servers of the real Codex", { skip, timeout: GROUP_MS }, () => {
  test("a client's server is started, its tool is asked for and used, and its secrets are in no argument and in no file", async (t) => {
    const stage = await Stage.open(t, program, { script: { prompts: { "*": calls("greet") } } });
    const notes = join(stage.server.dataDirectory, "greeter-notes");
    const server = { name: "greeter", type: "stdio", command: process.execPath, args: [fixture("mcp-greeter"), notes] };
    const mcpServers = [{ ...server, env: { GREETER_TOKEN: SECRET } }];
    const id = await stage.session({ mcpServers });
    const running = stage.api.ask(id, "greet me");
    const [ask] = await stage.asks(id);
    assert.ok(ask?.kind === "permission");
    assert.match(ask.request.action, /greeter/);
    await stage.answer(id, ask.id, { outcome: "once" });
    const { reason, text } = await running;
    assert.equal(reason, "end_turn");
    assert.match(text, /Greetings from the server\./);
    assert.match(readFileSync(notes, "utf8"), new RegExp(`^started with ${SECRET}$`, "m"));
    const [call] = completed(await stage.api.events(id), "tool_call");
    assert.deepEqual([call?.name, call?.status], ["mcp__greeter__greet", "completed"]);
    if (existsSync("/proc/self/cmdline")) {
      const shown = commandLines();
      assert.ok(
        shown.some((line) => line.includes("app-server")),
        "expected the program to run",
      );
      assert.ok(!shown.some((line) => line.includes(SECRET)), "expected no secret in an argument");
    }
    const refused = stage.api.ask(id, "greet me again");
    const again = await stage.nth("permission.requested", 2);
    await stage.answer(id, again.data.ask, { outcome: "reject" });
    assert.doesNotMatch((await refused).text, /Greetings/);
    await stage.close(2);
    const own = readdirSync(stage.home, { recursive: true, encoding: "utf8" });
    const left = own.filter((name) => /\.(toml|json|jsonl)$/.test(name));
    assert.ok(left.length > 0);
    for (const name of left)
      assert.doesNotMatch(readFileSync(join(stage.home, name), "utf8"), new RegExp(SECRET), name);
  });

  test("a rule holds for a server whose name the program spells otherwise", long, async (t) => {
    const stage = await Stage.open(t, program, { script: { prompts: { "*": calls("greet") } } });
    const args = [fixture("mcp-greeter"), join(stage.server.dataDirectory, "greeter-notes")];
    const mcpServers = [{ name: "my-greeter", type: "stdio", command: process.execPath, args }];
    const permissions = [{ action: "mcp__my-greeter__*", pattern: "*", verdict: "deny" }];
    const id = await stage.session({ mode: "full-access", mcpServers, permissions });
    assert.match((await stage.api.ask(id, "greet me")).text, /a rule of this session denies it/);
    const [call] = completed(await stage.api.events(id), "tool_call").filter(({ name }) => name !== "tool_search");
    assert.deepEqual([call?.name, call?.status], ["mcp__my-greeter__greet", "failed"]);
    await stage.close(1);
  });

  test("a form of a server is questions, and the answers reach it", async (t) => {
    const stage = await Stage.open(t, program, { script: { prompts: { "*": calls("ask") } } });
    const server = { name: "asker", type: "stdio", command: process.execPath, args: [fixture("mcp-asker")] };
    const permissions = [{ action: "mcp__*", pattern: "*", verdict: "allow" }];
    const id = await stage.session({ mcpServers: [server], permissions });
    const running = stage.api.ask(id, "ask me");
    const [ask] = await stage.asks(id);
    assert.ok(ask?.kind === "question");
    assert.match(ask.request.questions[0]?.question ?? "", /Who are you\?/);
    const at = ask.request.questions.map(({ options }) => (options.length > 0 ? ["blue"] : ["Ada"]));
    await stage.answer(id, ask.id, { outcome: "answered", answers: at });
    assert.match((await running).text, /"action":"accept","content":\{"colour":"blue","name":"Ada"\}/);
    const second = stage.api.ask(id, "ask me again");
    const again = await stage.nth("question.requested", 2);
    await stage.answer(id, again.data.ask, { outcome: "rejected" });
    assert.match((await second).text, /"action":"(decline|cancel)"/);
    await stage.close(2);
  });

  test("a server that a client of OpenCode adds is used by the session that begins afterwards", long, async (t) => {
    const stage = await Stage.open(t, program, { script: { prompts: { "*": calls("greet") } } });
    const client = new OpencodeClient(stage.server.parley.url);
    const notes = join(stage.server.dataDirectory, "greeter-notes");
    const query = `?directory=${encodeURIComponent(stage.directory)}`;
    const config = { type: "local", command: [process.execPath, fixture("mcp-greeter"), notes] };
    const status = await client.expect(200, "POST", `/mcp${query}`, { body: { name: "greeter", config } });
    assert.deepEqual(status, { greeter: { status: "connected" } });
    const permission = [{ permission: "*", pattern: "*", action: "allow" }];
    const { id } = await client.expect<{ id: string }>(200, "POST", `/session${query}`, { body: { permission } });
    assert.match((await stage.api.ask(id, "greet me")).text, /Greetings from the server\./);
    await stage.close(1);
  });
});
