/** The content of a request, in any wire format. */
export interface Conversation {
  model: string;
  stream: boolean;
  system: string;
  entries: readonly Entry[];
  tools: readonly Offered[];
  /** The client's own name for this conversation, where it tells one. */
  id?: string;
  /** Whether the client wants usage in the stream (chat completions only). */
  wantsUsage: boolean;
  /** Why a real service would refuse this request. */
  refusal?: string;
}

/** A tool that the client offers. */
export interface Offered {
  name: string;
  /** How a call of it is written, where it is no function (Responses only). */
  form?: Form;
  /** The id that a call must name beside it (Responses only). */
  namespace?: string;
}

/** A tool of free text, the client's own search for tools, a search that the service itself makes. */
export type Form = "custom" | "tool_search" | "web_search";

export type Entry =
  | { role: "user"; text: string }
  | { role: "assistant"; calls: readonly string[] }
  | { role: "tool"; call: string; text: string };

/** A marker names a scenario of the script: `[[name]]` anywhere in the prompt. */
export const MARKER = /\[\[([\w.-]+)\]\]/g;

/** The words that clients add to the user's. */
const ADDED =
  /<(system-reminder|environment_context|user_instructions|turn_aborted|permissions)\b[^>]*>[\s\S]*?<\/\1>/g;

export function ownWords(said: string): string {
  return said.replace(ADDED, "").trim();
}

/** The number of the last user entry that has words of its own; -1 without any. */
export function promptAt(entries: readonly Entry[]): number {
  return entries.findLastIndex((entry) => entry.role === "user" && ownWords(entry.text) !== "");
}

/** How many replies came since the prompt: neighbours are one reply, which Responses sends as several items. */
export function repliesSince(entries: readonly Entry[], prompt: number): number {
  let replies = 0;
  for (const [index, entry] of entries.entries()) {
    if (index > prompt && entry.role === "assistant" && entries[index - 1]?.role !== "assistant") replies += 1;
  }
  return replies;
}

/** The check of services that they do not document: each call has its result, each result its call. */
export function unpaired(entries: readonly Entry[], adjacent = true): string | undefined {
  const open = new Set<string>();
  for (const entry of entries) {
    if (entry.role === "tool") {
      if (!open.delete(entry.call)) return `tool result ${entry.call} has no tool call before it, or is its second one`;
    } else if (entry.role === "assistant") {
      for (const call of entry.calls) open.add(call);
    } else if (adjacent && open.size > 0) {
      break;
    }
  }
  return open.size === 0 ? undefined : `tool calls without a result after them: ${[...open].join(", ")}`;
}
