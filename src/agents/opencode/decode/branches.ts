import { type Fields, fieldsIn, textIn } from "../../../core/json/fields.ts";
import type { Desk } from "./desk.ts";
import type { Branch, Part } from "./state.ts";
import { childIn } from "./tools.ts";

export function newBranch(id: string, floor = ""): Branch {
  return { id, floor, messages: new Map() };
}

/** A sub-agent's session that was told, or found: it belongs here when its parent does. */
export function adopt(desk: Desk, info: Fields): Branch | undefined {
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
  const branch: Branch = { ...newBranch(id), parent };
  branches.set(id, branch);
  return learnFacts(branch, info);
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
  const child = adopt(desk, {
    id,
    parentID: branch.id,
    title: textIn(input, "description"),
    agent: textIn(input, "subagent_type"),
  });
  if (!child || child.parent !== branch.id) return;
  child.call ??= part.key;
  // Its beginning was missed, and all that it said so far.
  if (isNew) desk.check(child);
}
