import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { CALLS_VARIABLE, hookConfig } from "../../../src/agents/codex/calls/hook.ts";
import { listIn, textIn } from "../../../src/core/json/fields.ts";

/** The command that the program is told to run before each call. */
export function hookCommand(): string {
  const [group] = listIn(hookConfig(false), "hooks.PreToolUse");
  const [hook] = listIn(group ?? {}, "hooks");
  return textIn(hook ?? {}, "command") ?? "";
}

/** The input that the program gives to the hook. */
export function hookInput(input: object, more: object = {}): string {
  const about = { session_id: "thread", turn_id: "turn", cwd: "/project", hook_event_name: "PreToolUse" };
  return JSON.stringify({ ...about, tool_name: "Bash", tool_input: input, tool_use_id: "call_1", ...more });
}

export interface HookRun {
  child: ChildProcess;
  /** Its end, as the program sees it. */
  ended: Promise<{ code: number | null; out: string; err: string }>;
}

/** Runs the hook as the program does: by a shell of the user's. */
export function runHook(directory: string, input: string, shell = "sh"): HookRun {
  const child = spawn(shell, ["-c", hookCommand()], { env: { ...process.env, [CALLS_VARIABLE]: directory } });
  const exit = once(child, "close");
  const ended = Promise.all([exit, text(child.stdout), text(child.stderr)]).then(([[code], out, err]) => ({
    code,
    out,
    err,
  }));
  // A hook that refuses at once leaves its input unread.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return { child, ended };
}
