import { withEntry } from "../../../core/entries.ts";
import { type Fields, fieldsIn, present, textIn } from "../../../core/json/fields.ts";
import { BEFORE_CALL, BEFORE_PROMPT, refuseCall } from "../hooks.ts";
import { DONT_ASK, isLaxer, PLAN } from "../modes.ts";
import { permitted } from "../permission-patterns.ts";
import { toolTitle } from "../tool-title.ts";
import { announceCall } from "./children.ts";
import { inMode, type Reading, type Request } from "./state.ts";

/** A request of the program that no person answers. */
export interface Foreign {
  id: string;
  subtype: string;
  /** The answer to a hook that needs no verdict; without one the request is refused. */
  hook?: Fields;
}

/** Tools that ask a person in every mode. */
const QUESTIONS: ReadonlySet<string> = new Set(["AskUserQuestion", "ExitPlanMode"]);
/** Tools that change nothing that a mode would ask about. */
const LOOKS: ReadonlySet<string> = new Set(["Read", "Glob", "Grep", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate"]);

/** The program is about to do something. Returns what needs no verdict of the session's rules. */
export function onHook(reading: Reading, id: string, request: Fields): Foreign | undefined {
  const answer = (hook: Fields): Foreign => ({ id, subtype: "hook_callback", hook });
  reading.patch({ hooked: true });
  const callback = textIn(request, "callback_id");
  if (callback === BEFORE_PROMPT) return answer({});
  if (callback !== BEFORE_CALL) return { id, subtype: "hook_callback" };
  if (reading.state.requests.has(id)) return undefined;
  const body = fieldsIn(request, "input");
  const tool = textIn(body, "tool_name") ?? "unknown";
  const mode = textIn(body, "permission_mode");
  const agent = textIn(body, "agent_id");
  const child = reading.state.children.get(agent ?? "")?.ref;
  const inChild = agent !== undefined;
  const session = reading.state.mode;
  sayMode(reading, mode, inChild, child);
  if (QUESTIONS.has(tool)) return answer({});
  const { mayBypass } = reading.state;
  if (tool === "EnterPlanMode" && mayBypass)
    return answer(refuseCall("permissions are bypassed, and would be while you plan: plan in words instead"));
  const laxer = inChild && mode !== undefined && isLaxer(mode, session ?? "default");
  const asks = (laxer || (mode === PLAN && mayBypass)) && !LOOKS.has(tool);
  const nobodyAsked = mode === DONT_ASK || (inChild && session === DONT_ASK);
  const input = fieldsIn(body, "tool_input");
  const call = textIn(body, "tool_use_id");
  const intent: Request = { tool, input, ...present({ call, child }), hook: { asks, nobodyAsked } };
  announceCall(reading, agent, intent);
  reading.patch({ requests: withEntry(reading.state.requests, id, intent) });
  const { directory } = reading.state;
  const place = textIn(body, "cwd") ?? directory;
  reading.patch({ places: withEntry(reading.state.places, agent ?? "", place === directory ? undefined : place) });
  const title = toolTitle(tool, input, directory) ?? tool;
  const about = {
    ...permitted(tool, input, { directory, place }),
    title,
    input,
    metadata: { tool },
    ...present({ call }),
  };
  reading.say({ type: "intent", ask: id, ...about }, child);
  return undefined;
}

/** A call's hook says in which mode it would be made: a sub-agent may have one of its own. */
function sayMode(reading: Reading, mode: string | undefined, inChild: boolean, child: Request["child"]): void {
  if (mode === undefined || mode === reading.state.mode || (inChild && !child)) return;
  if (!inChild) reading.state = inMode(reading.state, mode);
  reading.say({ type: "session", mode }, child);
}
