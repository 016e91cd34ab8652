import { createHash } from "node:crypto";
import { type Fields, fieldsIn, isFields, jsonIn, listIn, present, textIn } from "../../../core/json/fields.ts";

/** Names the directory in which calls are told and answered, to the hook. */
export const CALLS_VARIABLE = "PARLEY_CODEX_CALLS";

/** Seconds. A person may be asked about a call, and the program lets a call pass whose hook has no answer in time. */
const TIMEOUT = 864_000;

/** The program names a hook by the place that it comes from and its number there. */
const KEY = "/<session-flags>/config.toml:pre_tool_use:0:0";

const UNASKED = "this call was not made: Parley could not be asked about its rules";

/**
 * The hook writes down the call, makes a bell to be woken by, and waits for the verdict. Whatever goes wrong refuses the call: the program lets a call pass whose
 * hook fails in any other way than by the status 2 with words. It is in one line without quotes and backslashes, for every shell that a user may have.
 */
const SCRIPT = [
  `umask 077; no() { echo ${UNASKED} >&2; exit 2; }`,
  `[ -n "$${CALLS_VARIABLE}" ] && n=$(mktemp "$${CALLS_VARIABLE}/XXXXXXXXXXXX") && cat >"$n" && mkfifo "$n.bell" || no`,
  `exec 3<>"$n.bell" || no`,
  `until [ -e "$n.verdict" ]; do read -r x <&3 || no; done`,
  `cat "$n.verdict" || no`,
  `rm -f "$n.bell" "$n.verdict"; exit 0`,
].join("; ");

const HOOK = { type: "command", command: `exec sh -c '${SCRIPT}'`, timeout: TIMEOUT, async: false } as const;

/** The program's own mark of a hook, which it compares with the one that the user agreed to. */
function markOf({ async, command, timeout, type }: typeof HOOK): string {
  const identity = JSON.stringify({ event_name: "pre_tool_use", hooks: [{ async, command, timeout, type }] });
  return `sha256:${createHash("sha256").update(identity).digest("hex")}`;
}

/**
 * Settings of a thread with which the program tells of each call before it makes it, in every mode, in sub-agents and in code that calls tools. They
 * stand above the user's own, and nothing is written to those. Two things are told to no hook: words that the model types into a terminal, which are asked about by no
 * mode either, so there are no terminals; and searches that the model's own service makes, which a session with rules goes without.
 */
export function hookConfig(ruled: boolean): Fields {
  return {
    ...(ruled ? { web_search: "disabled" } : {}),
    "features.unified_exec_tty": false,
    "features.hooks": true,
    "hooks.PreToolUse": [{ hooks: [HOOK] }],
    "hooks.state": { [KEY]: { trusted_hash: markOf(HOOK), enabled: true } },
  };
}

/** Whether the program's list of a thread's hooks (`hooks/list`) says that ours will run. */
export function isInForce(listed: Fields): boolean {
  const hooks = listIn(listed, "data").flatMap((entry) => listIn(entry, "hooks"));
  const ours = hooks.find(({ key, source }) => key === KEY && source === "sessionFlags");
  return ours?.command === HOOK.command && ours.enabled === true && ours.trustStatus === "trusted";
}

/** Whether a run of a hook that the program tells of (`hook/completed`) is one of ours that failed: its call was made without a verdict. */
export function hasFailed(run: Fields): boolean {
  return run.eventName === "preToolUse" && run.source === "sessionFlags" && run.status === "failed";
}

/** A call that the program is about to make. */
export interface HookCall {
  /** The session's own thread, also for calls of its sub-agents. */
  thread: string;
  /** The thread of the sub-agent that makes it. */
  child?: string;
  /** The id of the item that the call becomes. */
  call: string;
  /** `Bash` and `apply_patch` have their text in the input's `command`; tools of servers are called `mcp__server__tool`. */
  tool: string;
  input: Fields;
  /** Where a command would begin. */
  directory: string;
}

/** The call in the hook's input; undefined where it is none. */
export function callIn(text: string): HookCall | undefined {
  const told = jsonIn(text);
  if (!isFields(told)) return undefined;
  const [thread, call, tool, directory] = ["session_id", "tool_use_id", "tool_name", "cwd"].map((name) =>
    textIn(told, name),
  );
  if (thread === undefined || call === undefined || tool === undefined || directory === undefined) return undefined;
  return {
    thread,
    call,
    tool,
    directory,
    input: fieldsIn(told, "tool_input"),
    ...present({ child: textIn(told, "agent_id") }),
  };
}

/** The hook's answer that lets a call pass, as its mode has it, and the one that refuses it. The model reads the words. */
export function verdictText(refusal: string | undefined): string {
  if (refusal === undefined) return "";
  const why = refusal.trim() === "" ? "a rule of this session denies it" : refusal;
  const decision = { permissionDecision: "deny", permissionDecisionReason: why };
  return JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", ...decision } });
}
