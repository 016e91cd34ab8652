import { type ContentBlock, RequestError } from "@agentclientprotocol/sdk/unstable";
import { type Fields, fieldsIn, isFields, textIn } from "../../core/json/fields.ts";
import { invalidParams, requestError } from "./errors.ts";

/** As long as the remote transports of the SDK let an id be. */
const MAX_ID = 1_024;

/** Refuses what no path of a request can hold. */
export function assertId(id: string): void {
  if (id.length > MAX_ID) throw invalidParams(`expected an id, got ${id.length} characters`);
  if (/^\.{0,2}$/.test(id) || !id.isWellFormed()) throw invalidParams(`expected an id, got ${JSON.stringify(id)}`);
}

/** Answers a request, or with the protocol's error. */
export async function told<T>(answer: () => Promise<T>, session?: string): Promise<T> {
  try {
    if (session !== undefined) assertId(session);
    return await answer();
  } catch (error) {
    throw requestError(error, session);
  }
}

/** Refuses instructions of the client, which no agent would follow: the session would be another one than was asked for. */
export function assertNoInstructions({ systemPrompt }: { systemPrompt?: unknown }): void {
  if (systemPrompt != null)
    throw invalidParams(
      "expected no systemPrompt: agents of Parley have their own instructions; write yours into a file that the agent reads, such as AGENTS.md, or into the prompt",
    );
}

/** The params of a request about a session that is none of the protocol's own. */
export function sessionFields(params: unknown): Fields & { sessionId: string } {
  const sessionId = isFields(params) ? textIn(params, "sessionId") : undefined;
  if (!isFields(params) || sessionId === undefined) throw invalidParams("expected an object with a sessionId");
  return { ...params, sessionId };
}

/** The texts without which a block of a kind is none. */
const NEEDS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["text", ["text"]],
  ["image", ["data", "mimeType"]],
  ["resource_link", ["uri", "name"]],
]);

function isBlock(value: unknown): value is ContentBlock {
  if (!isFields(value)) return false;
  if (value.type === "resource") return textIn(fieldsIn(value, "resource"), "uri") !== undefined;
  return (NEEDS.get(value.type) ?? ["type"]).every((name) => textIn(value, name) !== undefined);
}

/** The blocks in a request that is none of the protocol's own, which looks at those of the others. */
export function blocksIn({ prompt }: Fields): ContentBlock[] {
  if (!Array.isArray(prompt) || !prompt.every(isBlock))
    throw invalidParams("expected a prompt, a list of content blocks");
  return prompt;
}

/** Whether the client took its request back; the signal of a connection that is over fires, too. */
export function isCancelled(signal: AbortSignal | undefined): boolean {
  const reason: unknown = signal?.reason;
  return reason instanceof RequestError && reason.code === RequestError.requestCancelled().code;
}
