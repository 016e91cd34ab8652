import { isAbsolute, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { PromptPart } from "../../../core/events/values.ts";
import { oneSpelling } from "../directory.ts";
import { badRequest } from "../errors.ts";
import { promptPartOf } from "../projection/prompt-parts.ts";

const partId = z
  .string()
  .regex(/^prt_[\w-]{1,64}$/, "expected prt_ and up to 64 letters, digits, - or _")
  .optional();
const anything = z.record(z.string(), z.unknown());
const count = z.number().int().nonnegative();
const sourceText = z.object({ value: z.string(), start: count, end: count });
const place = z.object({ line: count, character: count });
const source = z.discriminatedUnion("type", [
  z.object({ type: z.literal("file"), text: sourceText, path: z.string() }),
  z.object({
    type: z.literal("symbol"),
    text: sourceText,
    path: z.string(),
    range: z.object({ start: place, end: place }),
    name: z.string(),
    kind: count,
  }),
  z.object({ type: z.literal("resource"), text: sourceText, clientName: z.string(), uri: z.string() }),
]);
const model = z.object({ providerID: z.string(), modelID: z.string() });

const partInput = z.discriminatedUnion("type", [
  z.object({
    id: partId,
    type: z.literal("text"),
    text: z.string(),
    synthetic: z.boolean().optional(),
    ignored: z.boolean().optional(),
    metadata: anything.optional(),
  }),
  z.object({
    id: partId,
    type: z.literal("file"),
    mime: z.string(),
    filename: z.string().optional(),
    url: z.string(),
    source: source.optional(),
  }),
  z.object({ id: partId, type: z.literal("agent"), name: z.string(), source: sourceText.optional() }),
  z.object({
    id: partId,
    type: z.literal("subtask"),
    prompt: z.string(),
    description: z.string(),
    agent: z.string(),
    model: model.optional(),
    command: z.string().optional(),
  }),
]);

type PartInput = z.output<typeof partInput>;

/** Clients know parts by their ids: of two with the same one only the last would be shown. */
function hasOwnIds(parts: readonly { id?: string }[]): boolean {
  const ids = parts.flatMap(({ id }) => (id === undefined ? [] : [id]));
  return new Set(ids).size === ids.length;
}

export const partInputs = z.array(partInput).refine(hasOwnIds, "expected each part to have an id of its own");

/** The body of a prompt. */
export const promptInput = z.object({
  messageID: z.string().optional(),
  model: model.optional(),
  agent: z.string().optional(),
  noReply: z.boolean().optional(),
  tools: z.record(z.string(), z.boolean()).optional(),
  format: z.looseObject({ type: z.string() }).optional(),
  system: z.string().optional(),
  variant: z.string().optional(),
  parts: partInputs.min(1, "expected at least one part"),
});

export type PromptInput = z.output<typeof promptInput>;

function isOutside(path: string): boolean {
  return path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path);
}

/** The path of a `file:` URL, from the session's directory, which the client may know by another name. */
function pathInside(url: string, directory: string): string {
  let file: string;
  try {
    file = fileURLToPath(new URL(url));
  } catch {
    throw badRequest(`expected a file: URL of an absolute path, got ${url}`);
  }
  const named = relative(directory, file);
  const path = isOutside(named) ? relative(directory, oneSpelling(file)) : named;
  if (isOutside(path))
    throw badRequest(`expected a file inside ${directory}, got ${url}; send what lies outside as a data: URL`);
  return path === "" ? "." : path;
}

/** A file on disk is named by its path, so that the agent reads it as it is then; other content comes along. */
function filePart({ url, ...rest }: Extract<PartInput, { type: "file" }>, directory: string): PromptPart {
  if (url.startsWith("data:")) return promptPartOf({ ...rest, url });
  if (!url.startsWith("file:")) throw badRequest(`expected a file: or data: URL, got ${url.slice(0, 60)}`);
  const path = pathInside(url, directory);
  const { url: _, ...part } = promptPartOf({ ...rest, url }) as Extract<PromptPart, { type: "file" }>;
  return { ...part, path };
}

/** The parts of a prompt as Parley keeps them. What only OpenCode has a form for is said to the agent in words. */
export function promptParts(parts: readonly PartInput[], directory: string): PromptPart[] {
  return parts.map((part) => promptPart(part, directory));
}

function promptPart(part: PartInput, directory: string): PromptPart {
  switch (part.type) {
    case "text":
      return promptPartOf(part);
    case "file":
      return filePart(part, directory);
    case "agent":
      return promptPartOf(part, `(Have the sub-agent ${part.name} do this.)`);
    case "subtask":
      return promptPartOf(part, `Have the sub-agent ${part.agent} do this (${part.description}):\n\n${part.prompt}`);
  }
}
