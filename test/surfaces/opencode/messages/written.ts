import type { SessionHead } from "../../../../src/log/contract.ts";
import type { History } from "../../../../src/surfaces/opencode/messages/history.ts";
import { messagesJson } from "../../../../src/surfaces/opencode/messages/message-json.ts";

/** All messages of a session as they are written to a client. */
export async function written(history: History, head: SessionHead): Promise<string> {
  let text = "";
  for await (const piece of messagesJson(history.all(head))) text += piece;
  return text;
}
