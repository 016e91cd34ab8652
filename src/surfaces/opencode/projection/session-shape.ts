import type { OptionValues, Usage } from "../../../core/events/values.ts";
import { objectAs, present } from "../../../core/json/fields.ts";
import { type Revert, revertOf } from "../../../core/ledger/revert.ts";
import type { SessionState } from "../../../core/session-state.ts";
import { addUsage } from "../../../core/usage.ts";
import { variantIn } from "../catalog/variants.ts";
import { OPENCODE_VERSION } from "../context.ts";
import { rulesetOf } from "../sessions/permission-rules.ts";
import type { Session, SessionStatus, Todo } from "../shapes/session.ts";
import { slugOf } from "./slug.ts";
import { tokensOf } from "./usage.ts";

/** The model and mode that answer, as far as they are known. */
export interface Choice {
  model?: string | undefined;
  mode?: string | undefined;
  options?: OptionValues | undefined;
}

const UNKNOWN_MODEL = "default";

/** The name that agents give to the mode in which they work by themselves, where it is not OpenCode's name. */
const OWN_MODE = "default";

export interface Answering {
  agent: string;
  providerID: string;
  modelID: string;
  variant?: string;
}

/**
 * The agent and model that answer, in OpenCode's words: without a mode the default one, or the kind of the sub-agent. The provider is an
 * agent that clients can find in the catalogue, which a sub-agent is not.
 */
export function answering(
  { model = UNKNOWN_MODEL, mode, options }: Choice,
  { agent, parent, rootAgent = agent }: SessionState,
): Answering {
  const named = mode === OWN_MODE ? undefined : mode;
  const who = named ?? (parent === undefined ? "build" : agent);
  return present({ agent: who, providerID: rootAgent, modelID: model, variant: variantIn(options) });
}

export interface SessionExtras {
  /** The usage of the open turn so far: the state counts it when the turn ends. */
  usage?: Usage;
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

/**
 * The session that clients show it below: the root of a sub-agent, or the parent that the client that made it named. The TUI shows the asks
 * of a session and of its direct children only, so a sub-agent of a sub-agent is a child of the root.
 */
export function parentOf({ parent, root, meta }: Pick<SessionState, "parent" | "root" | "meta">): string | undefined {
  const { parentID } = meta ?? {};
  return root ?? parent ?? (typeof parentID === "string" ? parentID : undefined);
}

function shownRevert({ messageID, partID, diff }: Revert): NonNullable<Session["revert"]> {
  return present({ messageID, partID, diff });
}

/** The facts that clients keep with a session, as they gave them. */
function kept({ meta = {}, permissions }: SessionState): Pick<Session, "permission" | "revert" | "metadata"> {
  const revert = revertOf(meta);
  return present({
    permission: permissions && rulesetOf(permissions),
    revert: revert && shownRevert(revert),
    metadata: objectAs<Record<string, unknown>>(meta.metadata),
  });
}

function summaryOf({ files = [] }: SessionState): NonNullable<Session["summary"]> {
  const sum = (field: "additions" | "deletions"): number => files.reduce((total, file) => total + file[field], 0);
  return { additions: sum("additions"), deletions: sum("deletions"), files: files.length };
}

/** A session as `GET /session/:id` gives it. */
export function sessionOf(state: SessionState, extras: SessionExtras = {}): Session {
  const { usage, compacting, projectOf = oneProject } = extras;
  const used = addUsage(state.usage, usage);
  const archived = typeof state.meta?.archived === "number" ? state.meta.archived : undefined;
  const { agent, providerID, modelID, variant } = answering(state, state);
  const { id, directory, created, updated } = state;
  return {
    id,
    slug: slugOf(id),
    projectID: projectOf(directory),
    directory,
    path: "",
    ...present({ parentID: parentOf(state) }),
    summary: summaryOf(state),
    cost: used.cost ?? 0,
    tokens: tokensOf(used.tokens),
    title: titleOf(state),
    agent,
    model: present({ id: modelID, providerID, variant }),
    version: OPENCODE_VERSION,
    time: present({ created, updated, compacting, archived }),
    ...kept(state),
  };
}

export function statusOf({ turn }: SessionState): SessionStatus {
  if (!turn) return { type: "idle" };
  const { status } = turn;
  if (status.status !== "retrying") return { type: "busy" };
  const { attempt, message, next } = status;
  return { type: "retry", attempt, message, next };
}

export function todosOf(plan: SessionState["plan"]): Todo[] {
  return plan.map(({ text, status, priority = "medium" }) => ({ content: text, status, priority }));
}
