import type { Fields } from "../../core/json/fields.ts";

/** Ids of the hooks that Parley registers. */
export const BEFORE_CALL = "parley-before-call";
export const BEFORE_PROMPT = "parley-before-prompt";

/** Seconds. The answer comes at once, unless the log takes no writes; a call whose hook has no answer in time is refused. */
const TIMEOUT = 3_600;

/** With these the program tells of each prompt and of each call before it does anything with it, in every mode. */
export const HOOKS: Fields = {
  PreToolUse: [{ hookCallbackIds: [BEFORE_CALL], timeout: TIMEOUT }],
  UserPromptSubmit: [{ hookCallbackIds: [BEFORE_PROMPT], timeout: TIMEOUT }],
};

function decision(permissionDecision: "ask" | "deny", permissionDecisionReason: string): Fields {
  return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason } };
}

export function refuseCall(why: string): Fields {
  return decision("deny", why);
}

/** The program then asks as it does for any other permission. */
function askBeforeCall(why: string): Fields {
  return decision("ask", why);
}

/** A call that no rule denies: the program goes on as it would, or asks a person where its mode has one asked. */
export function decided({ asks, nobodyAsked }: { asks: boolean; nobodyAsked: boolean }, verdict: "go" | "ask"): Fields {
  if (verdict === "go" && !asks) return {};
  const why = `${verdict === "ask" ? "a rule" : "the mode"} of this session has it asked`;
  return nobodyAsked ? refuseCall(`${why}, and in the mode dontAsk nobody is`) : askBeforeCall(why);
}

export const UNHOOKED =
  "this session has rules that deny tool calls or have them asked, and this Claude Code does not tell of its calls before it makes them: install the tested version (parley install claude), or take the rules away";
