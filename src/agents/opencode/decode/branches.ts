import { type Fields, fieldsIn, textIn } from "../../../core/json/fields.ts";
import type { Desk, Tree } from "./desk.ts";
import type { Branch, Part } from "./state.ts";
import { childIn } from "./tools.ts";

const MOST_ENDED = 200;

export function newBranch(id: string, floor = ""): Branch {
  return { id, floor, messages: new Map() };
}

/** A sub-agent's session that was told, or found: it belongs here when its parent does. Messages up to `floor` were told before. */
export function adopt(desk: Desk, info: Fields, floor = ""): Branch | undefined {
  const { branches } = desk.tree;
  const [id, parent] = [textIn(info, "id"), textIn(info, "parentID")];
  if (id === undefined) return undefined;
  const known = branches.get(id);
  if (known) return learnFacts(known, info);
  if (parent === undefined) return undefined;
  if (!branches.has(parent)) {
    desk.lookUp(parent);
    return undefined;
  }
  // One that was forgotten is known again only by a call that gives it new work.
  if (floor === "" && desk.tree.strangers.get(id) === true) return undefined;
  const branch: Branch = { ...newBranch(id, floor), parent };
  branches.set(id, branch);
  return learnFacts(branch, info);
}

/** Forgets the sub-agents that are over, but for the last ones: something may still be told of these. */
export function forgetEnded({ branches, strangers }: Tree): void {
  const ended = [...branches.values()].filter(({ parent, turn }) => parent !== undefined && !turn);
  for (const { id } of ended.slice(0, -MOST_ENDED)) {
    branches.delete(id);
    strangers.set(id, true);
  }
}

function learnFacts(branch: Branch, info: Fields): Branch {
  if (branch.parent === undefined) return branch;
  const [title, agent] = [textIn(info, "title"), textIn(info, "agent")];
  if (title) branch.title = title;
  if (agent) branch.agent = agent;
  return branch;
}

/** A call that started a sub-agent names its session. */
export function adoptFrom(desk: Desk, branch: Branch, part: Part, told: Fields): void {
  const id = childIn(told);
  if (id === undefined || id === branch.id) return;
  const input = fieldsIn(fieldsIn(told, "state"), "input");
  const isNew = !desk.tree.branches.has(id);
  const [title, agent] = [textIn(input, "description"), textIn(input, "subagent_type")];
  // All that it says for the call comes after the message that has the call.
  const child = adopt(desk, { id, parentID: branch.id, title, agent }, textIn(told, "messageID"));
  if (!child || child.parent !== branch.id) return;
  child.call ??= part.key;
  // Its beginning was missed, and all that it said so far.
  if (isNew) desk.check(child);
}
