import { z } from "zod";
import { catalog } from "../../core/events/catalog.ts";
import {
  agentOption,
  delivery,
  endReason,
  failure,
  limit,
  loose,
  optionValues,
  permissionRule,
  planEntry,
  prompt,
  promptPart,
  shownServer,
  turnStatus,
  usage,
} from "../../core/events/values.ts";
import { mcpServer } from "./agent-schemas.ts";

const LIST_LIMIT = 200;

/** The body of a request, with a name in the schemas. A field that is not known is refused. */
function strict<S extends z.ZodRawShape>(id: string, shape: S): z.ZodObject<S, z.core.$strict> {
  return z.strictObject(shape).meta({ id });
}

export const sessionRequest = strict("SessionRequest", {
  agent: z
    .string()
    .optional()
    .describe("one of GET /v1/agents, a known ACP agent, or acp: with a command line; the default agent otherwise"),
  directory: z.string().optional().describe("absolute path; the server's own directory otherwise"),
  place: z
    .string()
    .max(64)
    .optional()
    .describe("the place that has the directory, where nodes of several places share the log: see GET /v1/nodes"),
  model: z.string().optional(),
  mode: z.string().optional(),
  options: optionValues.optional().describe("options of the agent by their ids, such as effort"),
  title: z.string().max(500).optional(),
  permissions: z.array(permissionRule).optional().describe("decide asks before a person does"),
  mcpServers: z
    .array(mcpServer)
    .max(100)
    .optional()
    .describe("servers of tools for its agent; but for names and types they are told to nobody"),
  resume: z
    .string()
    .min(1)
    .optional()
    .describe(
      "the agent's own id of a session that it keeps, see GET /v1/agents/{agent}/sessions: its agent starts at once",
    ),
  start: z
    .boolean()
    .optional()
    .describe("its agent starts now, and the first prompt does not wait for it; a failure is told by that prompt"),
});

export const sessionPatch = z
  .strictObject({
    agent: z.string().optional().describe("another agent, before the first turn"),
    title: z.string().max(500).optional(),
    model: z.string().optional(),
    mode: z.string().optional(),
    options: optionValues.optional().describe("those that are named change, the others stay"),
    permissions: z.array(permissionRule).optional(),
  })
  .refine(
    (patch) => Object.keys(patch).length > 0,
    "expected at least one of agent, title, model, mode, options, permissions",
  )
  .meta({ id: "SessionPatch" });

export const promptRequest = z
  .strictObject({
    id: z.string().optional().describe("msg_…; the same id with the same body is the same prompt"),
    text: z.string().optional().describe("short for parts with one text"),
    parts: z.array(promptPart).optional(),
    delivery: delivery
      .optional()
      .describe("while the session is busy: queue (default), steer or reject; context begins no turn"),
    model: z.string().optional().describe("from this prompt on"),
    mode: z.string().optional().describe("from this prompt on"),
    options: optionValues.optional().describe("from this prompt on"),
    system: z.string().optional().describe("further instructions for this turn"),
    attended: z
      .boolean()
      .optional()
      .describe("the client shows questions: it may be asked, before the agent starts, whether the project is trusted"),
  })
  .refine((body) => (body.text === undefined) !== (body.parts === undefined), "expected either text or parts")
  .refine((body) => body.parts === undefined || body.parts.length > 0, "expected at least one part")
  .meta({ id: "PromptRequest" });

export const shellRequest = strict("ShellRequest", {
  id: z.string().optional().describe("msg_…; the same id with the same command is run once"),
  command: z.string().min(1),
});

export const compactRequest = strict("CompactRequest", {
  id: z.string().optional().describe("msg_…; the same id is one turn"),
});

export const agentReady = loose("AgentReady", {
  ready: z.boolean().describe("false: the agent waits for a prompt, which asks first whether the project is trusted"),
});

export const importRequest = strict("ImportRequest", {
  jsonl: z.string().describe("the lines of an export, as `parley export` wrote them"),
  directory: z
    .string()
    .optional()
    .describe("the session's directory here, by its absolute path; the one that it had otherwise"),
});

export const forkRequest = strict("ForkRequest", {
  before: z.string().optional().describe("a message's id: only what came before it is copied"),
});

export const receipt = loose("Receipt", {
  prompt: z.string(),
  status: z.enum(["started", "queued", "steered", "kept"]),
  turn: z.string().optional(),
  position: z.number().optional(),
  seq: z.number().describe("the number of the event that made it durable"),
});

export const outcome = loose("Outcome", {
  receipt,
  turn: z.string().optional(),
  reason: z.union([endReason, z.literal("withdrawn")]),
  text: z.string().describe("what the agent said last"),
  usage: usage.optional(),
  error: failure.optional(),
  duration: z.number().optional().describe("milliseconds since the turn began"),
});

export const cancelRequest = strict("CancelRequest", {
  queue: z.enum(["clear", "keep"]).optional().describe("what happens to prompts that wait; clear by default"),
  turn: z.string().optional().describe("stop this turn only, and nothing if another one is open by now"),
});

export const cancelled = loose("Cancelled", {
  cancelled: z.boolean(),
  turn: z.string().optional().describe("the turn that was stopped"),
});

export const answerRequest = z
  .union([
    z.strictObject({
      outcome: z.enum(["once", "always", "reject"]),
      feedback: z.string().optional(),
      stop: z.boolean().optional().describe("with a refusal: end the turn, where the agent can"),
    }),
    z.strictObject({
      outcome: z.literal("answered"),
      answers: z.array(z.array(z.string())).describe("one list for each question"),
    }),
    z.strictObject({
      outcome: z.literal("rejected"),
      feedback: z.string().optional(),
      stop: z.boolean().optional().describe("end the turn, where the agent can"),
    }),
  ])
  .meta({ id: "AnswerRequest" });

const openAsk = {
  id: z.string(),
  session: z.string(),
  about: z
    .looseObject({
      title: z.string().optional(),
      agent: z.string(),
      directory: z.string(),
      root: z.string().optional().describe("the topmost session, where a sub-agent asks"),
    })
    .describe("the session that asks"),
  turn: z.string().optional(),
  time: z.number(),
};

export const ask = z
  .discriminatedUnion("kind", [
    z.looseObject({ ...openAsk, kind: z.literal("permission"), request: catalog["permission.requested"] }),
    z.looseObject({ ...openAsk, kind: z.literal("question"), request: catalog["question.requested"] }),
  ])
  .meta({ id: "Ask" });

export const session = loose("Session", {
  id: z.string(),
  agent: z.string(),
  directory: z.string(),
  place: z.string().optional().describe("the nodes that have its directory, where several share the log"),
  status: z.enum(["idle", "busy", "requires_action", "retrying", "compacting"]),
  title: z.string().optional(),
  model: z.string().optional(),
  mode: z.string().optional(),
  options: optionValues.optional(),
  offers: z.array(agentOption).optional().describe("the options that the agent offers in this session"),
  mcpServers: z.array(shownServer).optional().describe("the MCP servers that its client gave"),
  permissions: z.array(permissionRule).optional(),
  nativeId: z.string().optional().describe("the agent's own id"),
  parent: z.string().optional(),
  root: z.string().optional(),
  created: z.number(),
  updated: z.number(),
  turn: z.looseObject({ id: z.string(), seq: z.number(), started: z.number(), status: turnStatus }).nullable(),
  turns: z.number().describe("how many there were"),
  queue: z.array(prompt).describe("prompts that wait"),
  asks: z.array(z.unknown()).describe("open asks of this session alone"),
  plan: z.array(planEntry),
  usage,
  limits: z.array(limit).optional().describe("the newest word on each limit of its agent's models"),
});

export const sessionDetail = loose("SessionDetail", {
  ...session.shape,
  last: z.number().describe("number of the newest event"),
  first: z.number().describe("number of the oldest event kept"),
});

export const sessionQuery = z.object({
  directory: z.string().optional(),
  parent: z.string().optional().describe("sub-agents' sessions of this session; without it, sessions of their own"),
  after: z.string().optional().describe("the last id of the page before"),
  limit: z.coerce.number().int().min(1).max(LIST_LIMIT).default(50),
});

export const trustQuery = z.object({
  directory: z.string().optional().describe("absolute path; the server's own directory otherwise"),
});

export const trustRequest = strict("TrustRequest", {
  directory: z.string().describe("absolute path"),
  trusted: z.boolean(),
});

export const trustView = loose("Trust", {
  directory: z.string(),
  trusted: z.boolean(),
  by: z.string().optional().describe("the trusted directory that it is or lies in"),
  settings: z
    .array(
      z.looseObject({
        agent: z.string().describe("the agent that would use it; parley for slash commands that run something"),
        path: z.string(),
        keys: z.array(z.string()).optional(),
        stopsAgent: z.literal(true).optional().describe("without trust the agent is not started there"),
      }),
    )
    .describe("what the project brings that is used only where it is trusted"),
  warning: z.string().optional().describe("why one should think twice before trusting it"),
});

export const trustList = loose("TrustList", {
  trusted: z.array(z.looseObject({ directory: z.string(), source: z.enum(["configuration", "command"]) })),
});

export const problem = loose("Problem", {
  type: z.string(),
  title: z.string(),
  status: z.number(),
  detail: z.string(),
  code: z.string(),
});
