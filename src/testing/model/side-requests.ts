import { percentDecoded } from "../../core/percent.ts";
import { type Conversation, ownWords } from "./conversation.ts";
import type { Script } from "./script.ts";

const MODELS = ["scripted"];
const TITLE = "A scripted session";
const CHARACTERS_PER_TOKEN = 4;

function model(id: string): object {
  const made = { created: 0, created_at: "1970-01-01T00:00:00Z" };
  return { id, object: "model", type: "model", display_name: id, owned_by: "parley", ...made };
}

/** Answers the requests that agents make beside those for replies; undefined for any other. */
export function sideAnswer(method: string, path: string, body: string, script: Script): object | undefined {
  if (method === "HEAD") return {};
  if (method === "POST" && path.endsWith("/messages/count_tokens")) {
    return { input_tokens: Math.ceil(body.length / CHARACTERS_PER_TOKEN) };
  }
  if (method === "POST" && path.endsWith(":countTokens")) {
    return { totalTokens: Math.ceil(body.length / CHARACTERS_PER_TOKEN) };
  }
  if (method !== "GET") return undefined;
  if (path.endsWith("/models")) {
    const data = (script.models ?? MODELS).map(model);
    return { object: "list", data, has_more: false, first_id: null, last_id: null, models: [] };
  }
  const named = /\/models\/([^/]+)$/.exec(path)?.[1];
  if (named !== undefined) return model(percentDecoded(named));
  return path === "/" ? { service: "scripted model" } : undefined;
}

/** Agents have a title made of the first prompt, marker and all, which must not start its scenario. */
const ASKS_FOR_TITLE =
  /title generator|generate (?:a |an |the )?(?:\w+[ ,-]+){0,5}title|write (?:a |an |the )?(?:\w+[ ,-]+){0,5}title/i;

export function asksForTitle({ tools, system, entries }: Conversation): boolean {
  if (tools.length > 0) return false;
  const said = entries.map((entry) => (entry.role === "user" ? ownWords(entry.text) : "")).join("\n");
  return ASKS_FOR_TITLE.test(system) || ASKS_FOR_TITLE.test(said);
}

/** Claude Code wants its title as JSON. */
export function titleText(script: Script, { system }: Conversation): string {
  const title = script.title ?? TITLE;
  return /return json/i.test(system) ? JSON.stringify({ title }) : title;
}
