import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { PermissionRule } from "../../../src/core/events/values.ts";
import type { Script } from "../../../src/testing/model/script.ts";
import { of, Stage } from "../../agents/claude/stage.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS } from "../../support/time.ts";

const { program = "", skip } = await realAgent("claude");

const ABOVE = "../../../.env";
const bash = (command: string) => ({ name: "Bash", input: { command, description: command } });
const SCRIPT: Script = {
  prompts: {
    enter: [
      { tools: [{ name: "EnterWorktree", input: { name: "side" } }] },
      { tools: [bash("pwd")] },
      { text: "It said: {{last_tool_result}}" },
    ],
    echo: [{ tools: [bash(`echo broken > ${ABOVE}`)] }, { text: "It said: {{last_tool_result}}" }],
    read: [{ tools: [{ name: "Read", input: { file_path: ABOVE } }] }, { text: "It said: {{last_tool_result}}" }],
  },
};
const RULES: PermissionRule[] = [
  { action: "*", pattern: "*", verdict: "allow" },
  { action: "edit", pattern: ".env", verdict: "deny" },
  { action: "read", pattern: ".env", verdict: "deny" },
];

describe("rules for files and a work tree that the real Claude Code enters", { skip, timeout: GROUP_MS }, () => {
  test("a path that begins in the work tree does not pass a denial", async (t) => {
    const stage = await Stage.open(t, program, { script: SCRIPT, env: { IS_SANDBOX: "1" } });
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: stage.directory });
    git("init", "--quiet");
    git("commit", "--quiet", "--allow-empty", "--message", "one");
    const file = join(stage.directory, ".env");
    writeFileSync(file, "kept\n");
    const id = await stage.session({ mode: "bypassPermissions", permissions: RULES });
    assert.match((await stage.api.ask(id, "[[enter]]")).text, /worktrees\/side$/);
    assert.match((await stage.api.ask(id, "[[read]]")).text, /a rule of this session denies it/);
    const echo = stage.api.ask(id, "[[echo]]");
    const [ask] = await stage.asks(id);
    assert.match(JSON.stringify(ask), /cd \S+\/worktrees\/side && echo broken/);
    await stage.answer(id, ask?.id ?? "", { outcome: "reject" });
    await echo;
    assert.equal(readFileSync(file, "utf8"), "kept\n");
    assert.equal(of(await stage.api.events(id), "permission.resolved").length, 2);
    await stage.close(3);
  });
});
