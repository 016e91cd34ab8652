import type { MessageText } from "../projection/transcript.ts";
import type { MessageWithParts } from "../shapes/message.ts";

type Messages = MessageWithParts | MessageText;

/** About so many characters are given at once. */
const PIECE = 16 * 1024;

/** The JSON of a list of messages, some at a time, and of a long message some of its parts: it may have thousands of them. */
export async function* messagesJson(messages: Iterable<Messages> | AsyncIterable<Messages>): AsyncGenerator<string> {
  let text = "[";
  let between = "";
  for await (const { info, parts } of messages) {
    text += `${between}{"info":${JSON.stringify(info)},"parts":[`;
    let comma = "";
    for (const part of parts) {
      text += comma + (typeof part === "string" ? part : JSON.stringify(part));
      comma = ",";
      if (text.length < PIECE) continue;
      yield text;
      text = "";
    }
    text += "]}";
    between = ",";
  }
  yield `${text}]`;
}
