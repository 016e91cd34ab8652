import type { MessageText } from "../projection/transcript.ts";
import type { MessageWithParts } from "../shapes/message.ts";

type Messages = MessageWithParts | MessageText;

/** The JSON of a list of messages, a part at a time: a message may have thousands of them. */
export async function* messagesJson(messages: Iterable<Messages> | AsyncIterable<Messages>): AsyncGenerator<string> {
  let before = "[";
  for await (const { info, parts } of messages) {
    yield `${before}{"info":${JSON.stringify(info)},"parts":[`;
    let comma = "";
    for (const part of parts) {
      yield comma + (typeof part === "string" ? part : JSON.stringify(part));
      comma = ",";
    }
    yield "]}";
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}
