import type { MessageWithParts } from "../shapes/message.ts";

/** The JSON of a list of messages, a part at a time: a message may have thousands of them. */
export async function* messagesJson(
  messages: Iterable<MessageWithParts> | AsyncIterable<MessageWithParts>,
): AsyncGenerator<string> {
  let before = "[";
  for await (const { info, parts } of messages) {
    yield `${before}{"info":${JSON.stringify(info)},"parts":[`;
    let comma = "";
    for (const part of parts) {
      yield comma + JSON.stringify(part);
      comma = ",";
    }
    yield "]}";
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}
