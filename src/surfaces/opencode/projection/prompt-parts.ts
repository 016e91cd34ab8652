import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { PromptPart, Task } from "../../../core/events/values.ts";
import { timePart } from "../../../core/ids.ts";
import { objectAs, present } from "../../../core/json/fields.ts";
import type { AgentPart, FilePart, Part, SubtaskPart, TextPart } from "../shapes/message.ts";
import { derivedId, digestChars } from "./derived-ids.ts";

type Bare<P> = P extends unknown ? Omit<P, "id" | "sessionID" | "messageID"> : never;

/** A part of a prompt as OpenCode's clients send it. */
export type PartInput = Bare<TextPart | FilePart | AgentPart | SubtaskPart> & { id?: string };

/**
 * A client's part as Parley keeps it. What the universal prompt has no word for goes along in loose fields, so that
 * `userParts` can show it again: `id`, a text's marks, and under `opencode` a part that is neither text nor file, whose
 * text is what the agent reads.
 */
export function promptPartOf(input: PartInput, text = ""): PromptPart {
  const { id, ...part } = input;
  if (part.type === "text") return { ...part, ...present({ id }) };
  if (part.type !== "file") return { type: "text", text, opencode: part, ...present({ id }) };
  const { filename: name, ...rest } = part;
  return { ...rest, ...present({ name, id }) };
}

function isForeign(value: unknown): value is Bare<AgentPart | SubtaskPart> {
  if (typeof value !== "object" || value === null || !("type" in value)) return false;
  return value.type === "agent" || value.type === "subtask";
}

function textPart(part: Extract<PromptPart, { type: "text" }>): Bare<TextPart | AgentPart | SubtaskPart> {
  const { text, synthetic, ignored, metadata, opencode } = part;
  if (isForeign(opencode)) return opencode;
  const marks = { synthetic: synthetic || undefined, ignored: ignored === true || undefined };
  return present({ type: "text", text, ...marks, metadata: objectAs<Record<string, unknown>>(metadata) });
}

function filePart(part: Extract<PromptPart, { type: "file" }>, directory: string): Bare<FilePart> {
  const { path, url, mime = "text/plain", name, source } = part;
  const filename = name ?? (path === undefined ? undefined : basename(path));
  const address = url ?? (path === undefined ? "" : pathToFileURL(resolve(directory, path)).href);
  return present({
    type: "file",
    mime,
    filename,
    url: address,
    source: objectAs<NonNullable<FilePart["source"]>>(source),
  });
}

/** Ids for all parts: the client's own, or ones that sort where the part stands. */
function partIds(parts: readonly PromptPart[], messageID: string, created: number): string[] {
  const seen = new Set<string>();
  const own = parts.map(({ id }) => {
    if (typeof id !== "string" || seen.has(id)) return undefined;
    seen.add(id);
    return id;
  });
  // Clients make ids by their own clock, so a part before one of theirs can only be sure to sort first with no time at all.
  const time = own.some((id) => id !== undefined) ? 0 : created;
  let before = `prt_${timePart(time, 0, false)}${digestChars(messageID, 10)}`;
  return own.map((id, at) => {
    if (id === undefined) return before + String(at).padStart(4, "0");
    before = id;
    return id;
  });
}

/** The message that asks for a compaction says so first; what the agent reads is behind it. */
function compactionPart({ sessionID, messageID }: UserMessageFrame, auto: boolean): Part {
  return { id: derivedId("prt", 0, messageID), sessionID, messageID, type: "compaction", auto };
}

interface UserMessageFrame {
  sessionID: string;
  messageID: string;
  created: number;
  directory: string;
  task?: Task | undefined;
}

/** The parts of a prompt's message: those of the prompt, each with an id that is the same on every reading. */
export function userParts(parts: readonly PromptPart[], frame: UserMessageFrame): Part[] {
  const { sessionID, messageID, created, directory, task } = frame;
  const ids = partIds(parts, messageID, created);
  const head = task?.type === "compact" ? [compactionPart(frame, task.auto ?? false)] : [];
  const rest = parts.map(
    (part, at): Part => ({
      id: ids[at] ?? "",
      sessionID,
      messageID,
      ...(part.type === "text" ? textPart(part) : filePart(part, directory)),
    }),
  );
  return [...head, ...rest];
}
