import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Stage } from "../../agents/claude/stage.ts";
import { OpencodeClient } from "../../support/opencode.ts";
import { realAgent } from "../../support/real-agent.ts";
import { long } from "../../support/time.ts";

const { program = "", skip } = await realAgent("claude");
const GREETER = fileURLToPath(new URL("../../fixtures/agents/mcp-greeter.mjs", import.meta.url));
const SECRET = "s3cret-of-the-greeter";

describe("MCP servers of the real Claude Code", { skip, timeout: 120_000 }, () => {
  test("a client's server is started, its tool is offered and used, and its secrets are in no argument and in no file that is left", async (t) => {
    const call = { tools: [{ name: "mcp__greeter__greet", input: {} }] };
    const stage = await Stage.open(t, program, { script: { prompts: { "*": [call, { text: "Done." }] } } });
    const { dataDirectory } = stage.server;
    const folder = join(dataDirectory, "claude-mcp");
    mkdirSync(folder);
    writeFileSync(join(folder, "ses_of_a_crash.json"), SECRET);
    const notes = join(dataDirectory, "greeter-notes");
    const server = { name: "greeter", type: "stdio", command: process.execPath, args: [GREETER, notes] };
    const mcpServers = [{ ...server, env: { GREETER_TOKEN: SECRET } }];
    const permissions = [{ action: "*", pattern: "*", verdict: "allow" }];
    const id = await stage.session({ mcpServers, permissions });
    assert.equal((await stage.api.ask(id, "greet me")).reason, "end_turn");
    assert.match(readFileSync(notes, "utf8"), new RegExp(`^started with ${SECRET}$`, "m"));
    const [first, last] = [stage.calls()[0], stage.calls().at(-1)];
    // Newer versions name a server's tools to the model, and tell of them when the model looks for one.
    assert.match(JSON.stringify(first), /mcp__greeter__greet/, "expected the tool to be offered to the model");
    assert.match(JSON.stringify(last?.messages), /Greetings from the server\./);
    assert.deepEqual(readdirSync(folder), [`${id}.json`], "the file of a crash is gone");
    assert.equal(statSync(join(folder, `${id}.json`)).mode & 0o777, 0o600);
    if (existsSync("/proc/self/cmdline")) {
      const lines = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
      const shown = lines.map((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, "utf8");
        } catch {
          return "";
        }
      });
      assert.ok(
        shown.some((line) => line.includes("--mcp-config")),
        "expected the program to run",
      );
      assert.ok(!shown.some((line) => line.includes(SECRET)), "expected no secret in an argument");
    }
    await stage.close(1);
    assert.deepEqual(readdirSync(folder), []);
  });

  test("a server that a client of OpenCode adds is used by the session that begins afterwards", long, async (t) => {
    const call = { tools: [{ name: "mcp__greeter__greet", input: {} }] };
    const stage = await Stage.open(t, program, { script: { prompts: { "*": [call, { text: "Done." }] } } });
    const client = new OpencodeClient(stage.server.parley.url);
    const notes = join(stage.server.dataDirectory, "greeter-notes");
    const query = `?directory=${encodeURIComponent(stage.directory)}`;
    const config = { type: "local", command: [process.execPath, GREETER, notes] };
    const status = await client.expect(200, "POST", `/mcp${query}`, { body: { name: "greeter", config } });
    assert.deepEqual(status, { greeter: { status: "connected" } });
    const permission = [{ permission: "*", pattern: "*", action: "allow" }];
    const { id } = await client.expect<{ id: string }>(200, "POST", `/session${query}`, { body: { permission } });
    assert.equal((await stage.api.ask(id, "greet me")).reason, "end_turn");
    assert.match(JSON.stringify(stage.calls().at(-1)?.messages), /Greetings from the server\./);
    await stage.close(1);
  });
});
