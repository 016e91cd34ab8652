import type { PermissionRule as UniversalRule, Usage } from "../../../core/events/values.ts";
import type { SessionState } from "../../../core/session-state.ts";
import { addUsage } from "../../../core/usage.ts";
import { OPENCODE_VERSION } from "../context.ts";
import type { FileDiff, PermissionRule, Session, Todo } from "../shapes/session.ts";
import { slugOf } from "./slug.ts";
import { tokensOf } from "./usage.ts";

/** What answers, as far as it is known. */
export interface Choice {
  model?: string | undefined;
  mode?: string | undefined;
}

const UNKNOWN_MODEL = "default";

/** What answers, in OpenCode's words: without a mode it is the default one, or what kind of sub-agent this is. */
export function answering(
  { model = UNKNOWN_MODEL, mode }: Choice,
  { agent, parent }: SessionState,
): { agent: string; providerID: string; modelID: string } {
  return { agent: mode ?? (parent === undefined ? "build" : agent), providerID: agent, modelID: model };
}

export interface SessionExtras {
  /** What the open turn has used so far: the state counts it when it ends. */
  usage?: Usage;
  diffs?: readonly FileDiff[];
  compacting?: number;
  projectOf?(directory: string): string;
}

/** Every session in one project, as OpenCode has it for directories without a repository. */
function oneProject(): string {
  return "global";
}

function titleOf({ title, parent, created }: SessionState): string {
  // Clients know a session without a title by this form.
  return title ?? `${parent === undefined ? "New" : "Child"} session - ${new Date(created).toISOString()}`;
}

function ruleOf({ action, pattern, verdict }: UniversalRule): PermissionRule {
  return { permission: action, pattern, action: verdict };
}

function isRevert(value: unknown): value is NonNullable<Session["revert"]> {
  return typeof value === "object" && value !== null && "messageID" in value;
}

/** What clients keep with a session comes back as they gave it. */
function kept({ permissions, meta = {} }: SessionState): Pick<Session, "permission" | "revert" | "metadata"> {
  const { revert, metadata } = meta;
  return {
    ...(permissions ? { permission: permissions.map(ruleOf) } : {}),
    ...(isRevert(revert) ? { revert } : {}),
    ...(typeof metadata === "object" && metadata !== null ? { metadata: metadata as Record<string, unknown> } : {}),
  };
}

function summaryOf(diffs: readonly FileDiff[]): NonNullable<Session["summary"]> {
  const sum = (field: "additions" | "deletions"): number => diffs.reduce((total, diff) => total + diff[field], 0);
  return { additions: sum("additions"), deletions: sum("deletions"), files: diffs.length };
}

/** A session as `GET /session/:id` gives it. */
export function sessionOf(state: SessionState, extras: SessionExtras = {}): Session {
  const { usage, diffs, compacting, projectOf = oneProject } = extras;
  const used = addUsage(state.usage, usage);
  const archived = state.meta?.archived;
  const { agent, providerID, modelID } = answering(state, state);
  return {
    id: state.id,
    slug: slugOf(state.id),
    projectID: projectOf(state.directory),
    directory: state.directory,
    path: "",
    ...(state.parent === undefined ? {} : { parentID: state.parent }),
    ...(diffs ? { summary: summaryOf(diffs) } : {}),
    cost: used.cost ?? 0,
    tokens: tokensOf(used.tokens),
    title: titleOf(state),
    agent,
    model: { id: modelID, providerID },
    version: OPENCODE_VERSION,
    time: {
      created: state.created,
      updated: state.updated,
      ...(compacting === undefined ? {} : { compacting }),
      ...(typeof archived === "number" ? { archived } : {}),
    },
    ...kept(state),
  };
}

export function todosOf(plan: SessionState["plan"]): Todo[] {
  return plan.map(({ text, status, priority = "medium" }) => ({ content: text, status, priority }));
}
