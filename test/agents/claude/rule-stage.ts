import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { PermissionRule } from "../../../src/core/events/values.ts";
import type { Script } from "../../../src/testing/model/script.ts";
import { completed, of, Stage } from "./stage.ts";

const bash = (command: string) => ({ name: "Bash", input: { command, description: command } });
const task = {
  description: "Look",
  prompt: "[[sub]] look",
  subagent_type: "general-purpose",
  run_in_background: false,
};
const SCRIPT: Script = {
  prompts: {
    cat: [{ tools: [bash("cat .env")] }, { text: "It said: {{last_tool_result}}" }],
    read: [{ tools: [{ name: "Read", input: { file_path: ".env" } }] }, { text: "It said: {{last_tool_result}}" }],
    main: [{ tools: [{ name: "Agent", input: task }] }, { text: "It is done." }],
    sub: [{ tools: [bash("cat .env")] }, { text: "It said: {{last_tool_result}}" }],
  },
};
const SECRET = "SECRET=yes";
export const DENY: PermissionRule[] = [
  { action: "bash", pattern: "cat .env*", verdict: "deny" },
  { action: "read", pattern: ".env", verdict: "deny" },
];

export async function openWithSecret(
  t: TestContext,
  program: string,
  env: Record<string, string> = {},
): Promise<Stage> {
  const stage = await Stage.open(t, program, { script: SCRIPT, env: { IS_SANDBOX: "1", ...env } });
  writeFileSync(join(stage.directory, ".env"), `${SECRET}\n`);
  return stage;
}

/** All that was ever said of the session, its sub-agents' included. */
const heard = (stage: Stage): string =>
  JSON.stringify([stage.stream.events, stage.calls().map((call) => call.messages)]);

/** Denied commands and files are refused in a mode, the sub-agent's too, and the log has it. */
export async function deniedIn(t: TestContext, program: string, mode: string): Promise<void> {
  const stage = await openWithSecret(t, program);
  const id = await stage.session({ mode, permissions: DENY });
  for (const name of ["cat", "read", "main"]) {
    const { text } = await stage.api.ask(id, `[[${name}]]`);
    // Newer versions name the hook before its words.
    const denied = /^It said: (PreToolUse:\w+ hook error: )?a rule of this session denies it$/;
    assert.match(text, name === "main" ? /It is done/ : denied);
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
}
