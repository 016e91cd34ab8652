import { z } from "zod";
import { item, itemStatus, role } from "./items.ts";
import {
  agentOption,
  askOption,
  endReason,
  failure,
  fileTotal,
  limit,
  optionValues,
  permissionRule,
  planEntry,
  prompt,
  question,
  shownServer,
  turnStatus,
  usage,
} from "./values.ts";

const sessionFacts = {
  nativeId: z.string().optional().describe("the agent's own id, used to resume"),
  title: z.string().optional(),
  titled: z.boolean().optional().describe("a client chose the title, so the agent's own does not replace it"),
  model: z.string().optional(),
  mode: z.string().optional(),
  options: optionValues.optional().describe("all options in force, in place of those before"),
  offers: z
    .array(agentOption)
    .optional()
    .describe("the options that the agent offers in this session, in place of those before"),
  toRewind: z
    .array(z.array(z.string()))
    .optional()
    .describe(
      "turns that were cut and that the agent drops before its next prompt, as the ids of their prompts; empty once it has",
    ),
  mcpServers: z.array(shownServer).optional().describe("the MCP servers that its client gave"),
  permissions: z
    .array(permissionRule)
    .optional()
    .describe("decide asks before a person does; the last one that fits counts"),
  meta: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("what a client keeps with the session: added to what is there, null takes an entry away"),
};

const elsewhere = z
  .boolean()
  .optional()
  .describe("it did not run in this session: it was copied from another one, imported, or told once more by the agent");

const point = z
  .string()
  .optional()
  .describe("the agent's own name of the place in its memory that it has reached: forks and reverts go on from there");

const settledBy = z
  .enum(["rule", "turn"])
  .optional()
  .describe(
    "set where nobody is asked: a rule answers at once, or the turn is being stopped; the next event resolves it",
  );

/** The data of every event type. */
export const catalog = {
  "session.started": z.looseObject({
    ...sessionFacts,
    agent: z.string(),
    directory: z.string(),
    rootAgent: z
      .string()
      .optional()
      .describe("of a sub-agent's session: the agent of its root, which runs the sub-agent"),
    forked: z
      .looseObject({ session: z.string(), before: z.string().optional() })
      .optional()
      .describe("the session whose past it begins with, and the message up to which"),
    resumed: z.boolean().optional().describe("true when an agent is started again for a session that had ended"),
    version: z.number().describe("schema version of the events that follow"),
  }),
  "session.updated": z.looseObject({
    ...sessionFacts,
    agent: z.string().optional().describe("another agent serves the session from its first turn on"),
    resume: z.enum(["resumed", "lost"]).optional().describe("lost: the agent no longer knows its own session"),
  }),
  "session.ended": z.looseObject({
    reason: z.enum(["agent_exited", "closed", "shutdown", "deleted", "crashed"]),
    exitCode: z.number().nullable().optional(),
    signal: z.string().nullable().optional(),
    stderr: z.array(z.string()).optional().describe("the last lines"),
    agent: z.string().optional().describe("of a session that is deleted: nothing but this event is left of it"),
    directory: z.string().optional().describe("of a session that is deleted"),
  }),
  "session.note": z.looseObject({
    text: z.string(),
    code: z
      .string()
      .optional()
      .describe("its kind, where that is known; outside_turn: the words of an agent that spoke while no turn ran"),
    call: z.string().optional(),
    item: z.string().optional(),
    about: z.string().optional().describe("the turn it once belonged to"),
    done: z.boolean().optional().describe("the background work it speaks of is over"),
  }),
  "session.limits": z.looseObject({
    limits: z.array(limit).describe("the limits that changed; the others stay as they were"),
  }),
  "history.cut": z.looseObject({
    turns: z.array(z.string()).describe("turns that are no longer part of the conversation, oldest first"),
    from: z.number().describe("number of the first event of the first of them"),
    messages: z.array(z.string()).describe("the messages that are gone: prompts, and the agent's steps"),
    files: z.array(fileTotal).optional().describe("the files that the turns that are left have changed"),
  }),
  "prompt.queued": z.looseObject({ prompt, position: z.number() }),
  "prompt.withdrawn": z.looseObject({ prompt: z.string(), reason: z.enum(["cancelled", "deleted"]) }),
  "turn.started": z.looseObject({
    by: z.enum(["user", "agent"]),
    replayed: z
      .boolean()
      .optional()
      .describe(
        "it was before the session was Parley's: the agent told it once more, and times are those of the telling",
      ),
    model: z.string().optional().describe("the session's at that moment, where known"),
    mode: z.string().optional(),
    options: optionValues.optional(),
    elsewhere,
    after: z.string().optional().describe("for a turn of the agent's own: the last prompt before it"),
    prompt: prompt.omit({ parts: true }).optional().describe("its text is in the user message item that follows"),
    context: z
      .array(prompt.omit({ parts: true }))
      .optional()
      .describe("prompts that were kept for this turn: their messages come first"),
  }),
  "turn.status": turnStatus,
  "turn.ended": z.looseObject({
    reason: endReason,
    usage: usage.optional(),
    model: z.string().optional().describe("the turn's; `usage.models` has all of them where the agent tells"),
    steps: z.number().optional().describe("the model's round trips in it; older events lack it"),
    elsewhere,
    error: failure.optional(),
    files: z.array(fileTotal).optional().describe("the files that the turn's tools changed"),
    duration: z.number().optional().describe("milliseconds since the turn began"),
    tell: z.string().optional().describe("what happened without the agent: it is told with its next prompt"),
    point,
  }),
  "step.started": z.looseObject({
    step: z.number(),
    id: z.string().describe("msg_…"),
    summary: z.boolean().optional().describe("what it says stands for the conversation before it"),
  }),
  "step.ended": z.looseObject({
    step: z.number(),
    id: z.string(),
    finish: z.string().optional(),
    usage: usage.optional(),
    point,
  }),
  "item.started": z.looseObject({ item }),
  "item.updated": z.looseObject({
    item: z.string(),
    status: itemStatus.optional(),
    name: z.string().optional(),
    title: z.string().optional(),
    input: z.unknown().optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
    child: z.string().optional(),
  }),
  "item.delta": z.looseObject({
    item: z.string(),
    kind: z
      .enum(["message", "reasoning", "tool_call", "tool_result"])
      .optional()
      .describe("of the item; older events may lack it"),
    role: role.optional().describe("of a message"),
    field: z.enum(["text", "input"]),
    delta: z.string().optional().describe("to be added at the end"),
    replace: z.string().optional().describe("instead of all that came before"),
  }),
  "item.completed": z.looseObject({ item }),
  "permission.requested": z.looseObject({
    ask: z.string(),
    action: z.string(),
    command: z.string().optional().describe("the whole line of shell that would be run"),
    patterns: z.array(z.string()).describe("what an `always` would allow; none: the action as a whole"),
    title: z.string().optional(),
    call: z.string().optional(),
    input: z.unknown().optional(),
    options: z.array(askOption),
    metadata: z.record(z.string(), z.unknown()).optional(),
    settledBy,
  }),
  "permission.resolved": z.looseObject({
    ask: z.string(),
    outcome: z.enum(["once", "always", "reject", "cancelled"]),
    by: z.string().describe("a client, `rule`, `policy`, `deadline`, `agent` or `turn`"),
    feedback: z.string().optional(),
    action: z.string(),
    command: z.string().optional().describe("of an `always`: the line of shell for which it was given"),
    patterns: z.array(z.string()),
  }),
  "question.requested": z.looseObject({
    ask: z.string(),
    questions: z.array(question),
    kind: z
      .string()
      .optional()
      .describe(
        "`question` or what else the agent asks, `plan` for a plan's approval, `trust` for Parley's own about a project",
      ),
    call: z.string().optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
    settledBy,
  }),
  "question.resolved": z.looseObject({
    ask: z.string(),
    outcome: z.enum(["answered", "rejected", "cancelled"]),
    by: z.string(),
    answers: z.array(z.array(z.string())).optional().describe("one list for each question"),
    feedback: z.string().optional(),
  }),
  "plan.updated": z.looseObject({ entries: z.array(planEntry) }),
  "usage.updated": usage,
  error: failure,
  "agent.unparsed": z.looseObject({
    reason: z.string(),
    sample: z.string().optional(),
    count: z.number().describe("how many since the last report"),
    bytes: z.number().optional(),
  }),
} as const;

export type EventType = keyof typeof catalog;
export type EventData = { [T in EventType]: z.infer<(typeof catalog)[T]> };
