import type { PromptPart } from "../../core/events/values.ts";
import { type Fields, isFields, listIn, present, textIn } from "../../core/json/fields.ts";
import type { Signal } from "../../core/ledger/signals.ts";
import { itemKey } from "./decode/state.ts";
import { wordsDone } from "./decode/texts.ts";
import { toolDone, toolSeen } from "./decode/tools.ts";
import { endOf } from "./decode/turns.ts";
import type { Rpc } from "./rpc.ts";

const PAGE = 50;

function promptPart(content: Fields): PromptPart[] {
  const text = textIn(content, "text");
  if (text !== undefined) return [{ type: "text", text }];
  const [url, path] = [textIn(content, "url"), textIn(content, "path")];
  if (url?.startsWith("data:")) return [{ type: "file", url }];
  return path === undefined ? [] : [{ type: "text", text: `(${textIn(content, "type") ?? "file"}: ${path})` }];
}

function itemSignals(turn: string, item: Fields, directory: string): Signal[] {
  const key = itemKey(turn, textIn(item, "id") ?? "item");
  const seen = toolSeen(item, directory);
  const done = toolDone(item, directory);
  if (!seen || !done) return wordsDone({ key }, item).filter(({ type, ...rest }) => "text" in rest && rest.text !== "");
  return [
    { type: "tool.running", call: key, ...seen },
    { type: "tool.done", call: key, ...done },
  ];
}

/** A turn of the past. Its first message of the user is its prompt; later ones were said while it ran. */
export function pastTurn(turn: Fields, directory: string): Signal[] {
  const id = textIn(turn, "id") ?? "turn";
  const [first, ...rest] = listIn(turn, "items");
  const prompt = first?.type === "userMessage" ? first : undefined;
  const parts = listIn(prompt ?? {}, "content").flatMap(promptPart);
  const items = prompt ? rest : first ? [first, ...rest] : [];
  const said = items.flatMap((item): Signal[] => {
    if (item.type !== "userMessage") return itemSignals(id, item, directory);
    const text = listIn(item, "content").flatMap((one) => textIn(one, "text") ?? []);
    const key = itemKey(id, textIn(item, "id") ?? "item");
    return [{ type: "text.done", item: key, kind: "message", role: "user", text: text.join("\n") }];
  });
  const end = present({ ...endOf(turn, false), point: id });
  return [{ type: "replay.prompt", parts }, ...said, { type: "turn.finished", turn: id, ...end }];
}

/** The conversation so far of a thread that Parley did not begin, oldest first. */
export async function readPast(rpc: Rpc, thread: string, directory: string): Promise<Signal[]> {
  const past: Signal[] = [];
  let cursor: unknown;
  do {
    const page = { threadId: thread, limit: PAGE, sortDirection: "asc", itemsView: "full" };
    const { result = {}, error } = await rpc.ask("thread/turns/list", isText(cursor) ? { ...page, cursor } : page);
    if (error !== undefined) throw new Error(`Codex does not tell the conversation so far: ${error}`);
    const { data } = result;
    for (const turn of Array.isArray(data) ? data.filter(isFields) : []) past.push(...pastTurn(turn, directory));
    cursor = result.nextCursor;
  } while (isText(cursor));
  return [{ type: "replay.begun" }, ...past, { type: "replay.ended" }];
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
