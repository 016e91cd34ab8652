import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import type { PermissionRule } from "../../src/core/events/values.ts";
import type { Script } from "../../src/testing/model/script.ts";
import { completed, of, Stage } from "../agents/claude/stage.ts";
import { realAgent } from "../support/real-agent.ts";

const { program = "", skip } = await realAgent("claude");

const bash = (command: string) => ({ name: "Bash", input: { command, description: command } });
const task = { description: "Look", prompt: "[[sub]] look", subagent_type: "general-purpose" };
const SCRIPT: Script = {
  prompts: {
    cat: [{ tools: [bash("cat .env")] }, { text: "It said: {{last_tool_result}}" }],
    read: [{ tools: [{ name: "Read", input: { file_path: ".env" } }] }, { text: "It said: {{last_tool_result}}" }],
    main: [{ tools: [{ name: "Agent", input: task }] }, { text: "It is done." }],
    sub: [{ tools: [bash("cat .env")] }, { text: "It said: {{last_tool_result}}" }],
  },
};
const SECRET = "SECRET=yes";
const DENY: PermissionRule[] = [
  { action: "bash", pattern: "cat .env*", verdict: "deny" },
  { action: "read", pattern: ".env", verdict: "deny" },
];

async function open(t: TestContext, env: Record<string, string> = {}): Promise<Stage> {
  const stage = await Stage.open(t, program, { script: SCRIPT, env: { IS_SANDBOX: "1", ...env } });
  writeFileSync(join(stage.directory, ".env"), `${SECRET}\n`);
  return stage;
}

/** All that was ever said of the session, its sub-agents' included. */
const heard = (stage: Stage): string =>
  JSON.stringify([stage.stream.events, stage.calls().map((call) => call.messages)]);

describe("rules of a session and what the real Claude Code does not ask about", { skip, timeout: 240_000 }, () => {
  for (const mode of ["default", "acceptEdits", "bypassPermissions"]) {
    test(`in ${mode} a denied command and a denied file are refused, the sub-agent's too, and the log has it`, async (t) => {
      const stage = await open(t);
      const id = await stage.session({ mode, permissions: DENY });
      for (const name of ["cat", "read", "main"]) {
        const { text } = await stage.api.ask(id, `[[${name}]]`);
        assert.match(text, name === "main" ? /It is done/ : /^It said: a rule of this session denies it$/);
      }
      assert.ok(!heard(stage).includes(SECRET));
      const sessions = [...new Set(stage.stream.events.map((event) => event.session))];
      const all = (await Promise.all(sessions.map((session) => stage.api.events(session)))).flat();
      const resolved = of(all, "permission.resolved").map(({ data }) => [data.action, data.outcome, data.by]);
      assert.deepEqual(resolved, [
        ["bash", "reject", "rule"],
        ["read", "reject", "rule"],
        ["bash", "reject", "rule"],
      ]);
      const failed = completed(all, "tool_call").filter(({ status }) => status === "failed");
      assert.deepEqual(
        failed.map((item) => (item.error as { code: string } | undefined)?.code),
        ["rejected", "rejected", "rejected"],
      );
      await stage.close(4);
    });
  }

  test("rules that come and go during the session hold from the next call on", async (t) => {
    const stage = await open(t);
    const id = await stage.session({ mode: "bypassPermissions" });
    const change = (permissions: PermissionRule[]) =>
      stage.api.expect(200, "PATCH", `/v1/sessions/${id}`, { permissions });
    assert.match((await stage.api.ask(id, "[[cat]]")).text, /SECRET/);
    await change(DENY);
    assert.match((await stage.api.ask(id, "[[cat]]")).text, /a rule of this session denies it/);
    await change([]);
    assert.match((await stage.api.ask(id, "[[cat]]")).text, /SECRET/);
    assert.equal(of(await stage.api.events(id), "permission.requested").length, 1);
    await stage.close(3);
  });

  test("a rule that has a command asked has it asked where the mode asks nothing, and refused where nobody is", async (t) => {
    const stage = await open(t);
    const permissions: PermissionRule[] = [{ action: "bash", pattern: "cat *", verdict: "ask" }];
    const id = await stage.session({ mode: "bypassPermissions", permissions });
    const running = stage.api.ask(id, "[[cat]]");
    const [ask] = await stage.asks(id);
    await stage.answer(id, ask?.id ?? "", { outcome: "reject", feedback: "not that one" });
    assert.equal((await running).text, "It said: not that one");
    const silent = await stage.api.ask(id, {
      parts: [{ type: "text", text: "[[cat]]" }],
      mode: "dontAsk",
    });
    assert.match(silent.text, /in the mode dontAsk nobody is/);
    await stage.close(2);
  });

  test("a program that is told to go without hooks has them all the same", async (t) => {
    const stage = await open(t, { CLAUDE_CODE_SIMPLE: "1" });
    mkdirSync(join(stage.home, ".claude"));
    writeFileSync(join(stage.home, ".claude", "settings.json"), JSON.stringify({ disableAllHooks: true }));
    const id = await stage.session({ permissions: DENY });
    assert.match((await stage.api.ask(id, "[[cat]]")).text, /a rule of this session denies it/);
    await stage.close(1);
  });
});
