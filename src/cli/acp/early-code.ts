import type { AnyMessage } from "@agentclientprotocol/sdk";

/**
 * V8 makes fast code of functions that ran 400 times, and waits for 500 more calls where the kinds of their values changed.
 * For a piece of an answer most run once, so that several answers would be over by then, with a client that waits for each
 * piece.
 */
const FLAGS = ["--invocation-count-for-maglev=60", "--minimum-invocations-after-ic-update=30"];

const isPiece = (message: AnyMessage): boolean =>
  "method" in message && message.method === "session/update" && JSON.stringify(message).includes("agent_message_chunk");

/**
 * Has V8 make fast code early from the first piece of an answer on. Not before: code that is loaded with other flags than
 * it was kept with is compiled anew.
 */
export function earlyCode(): (message: AnyMessage) => void {
  let isSet = false;
  return (message) => {
    if (isSet || !isPiece(message)) return;
    isSet = true;
    const { setFlagsFromString } = process.getBuiltinModule("node:v8");
    for (const flag of FLAGS) setFlagsFromString(flag);
  };
}
