import type { EndReason } from "../../../core/events/values.ts";
import { fieldsIn, present, textIn } from "../../../core/json/fields.ts";
import { askedPart, permissionOf, questionOf } from "./asks.ts";
import { forgetEnded } from "./branches.ts";
import type { Desk } from "./desk.ts";
import type { Branch, Message, Turn } from "./state.ts";

/** The last finish reason of the model is the reason of the turn's end. */
const REASONS: Readonly<Record<string, EndReason>> = {
  length: "max_tokens",
  "max-tokens": "max_tokens",
  "content-filter": "refusal",
};

/** The last message of the agent in the open turn. */
function lastOf(branch: Branch): Message | undefined {
  const agents = [...branch.messages.values()].filter(({ role }) => role === "assistant");
  return agents.reduce<Message | undefined>((last, one) => (last && last.id > one.id ? last : one), undefined);
}

function reasonOf({ turn }: Branch, last: Message | undefined): EndReason {
  // A refusal that was to end the turn ends it as the person wanted.
  if (turn?.aborted) return turn.refused ? "end_turn" : "cancelled";
  if (turn?.failure) return "error";
  const finish = textIn(last?.info ?? {}, "finish") ?? "";
  return Object.hasOwn(REASONS, finish) ? (REASONS[finish] ?? "end_turn") : "end_turn";
}

/** Whether the last message answers the last prompt; a message of the program's own may stand for that one. */
function isAnswered({ prompts }: Turn, last: Message): boolean {
  const parent = textIn(last.info, "parentID");
  return parent === undefined || !prompts.has(parent) || parent === [...prompts].at(-1);
}

/** Whether all that belongs to the turn of a session was told. The program has said that it works no more. */
export function isSettled(branch: Branch): boolean {
  const { turn } = branch;
  if (!turn) return true;
  const isCut = turn.failure !== undefined || turn.aborted;
  const last = lastOf(branch);
  // The program tells some errors before it begins a turn, and goes on with it.
  if (!last) return isCut && turn.worked;
  return last.over && (isCut || turn.refused || isAnswered(turn, last));
}

/** Ends the turn of a session, and those of its sub-agents before it. */
export function endTurn(desk: Desk, branch: Branch): void {
  const { tree } = desk;
  const { turn } = branch;
  if (!turn) return;
  for (const child of tree.branches.values()) if (child.parent === branch.id) endTurn(desk, child);
  for (const ask of tree.asks.values()) if (ask.session === branch.id) withdraw(desk, ask.id);
  const last = lastOf(branch);
  const reason = reasonOf(branch, last);
  const error = reason === "error" ? turn.failure : undefined;
  desk.tell(branch, { type: "turn.finished", turn: turn.id, reason, ...present({ error, point: last?.id }) });
  branch.floor = [branch.floor, ...turn.prompts, ...branch.messages.keys()].reduce((a, b) => (a > b ? a : b));
  branch.messages.clear();
  branch.turn = undefined;
  branch.ended = true;
  if (branch.parent === undefined) forgetEnded(tree);
}

export function withdraw(desk: Desk, id: string): void {
  const { asks, branches } = desk.tree;
  const ask = asks.get(id);
  const branch = ask && branches.get(ask.session);
  asks.delete(id);
  if (branch && ask?.told) desk.tell(branch, { type: "ask.withdrawn", ask: id });
}

/** Tells the asks whose call is known by now. `looked`: this message was looked for, so its asks wait no longer. */
export function tellAsks(desk: Desk, looked?: string): void {
  const { asks, branches, directory } = desk.tree;
  for (const ask of asks.values()) {
    const branch = branches.get(ask.session);
    if (ask.told || !branch) continue;
    const { request } = ask;
    const part = askedPart(branch, request);
    if (part?.input === undefined && textIn(fieldsIn(request, "tool"), "messageID") !== looked) continue;
    ask.told = true;
    const diff = textIn(fieldsIn(request, "metadata"), "diff");
    if (part && diff !== undefined) part.diff = diff;
    if (ask.kind === "question") desk.tell(branch, questionOf(request, part));
    else {
      const type = desk.tree.isIntent(request) ? "intent" : "permission";
      desk.tell(branch, { type, ...permissionOf(request, part, directory) });
    }
  }
}
