import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { PromptPart } from "../../../core/events/values.ts";
import { badRequest } from "../errors.ts";
import { mediaType } from "../workspace/media-type.ts";

const file = z.looseObject({ uri: z.string(), name: z.string().optional(), description: z.string().optional() });

export const promptBody = z.looseObject({
  id: z.string().optional(),
  prompt: z.looseObject({ text: z.string(), files: z.array(file).optional() }),
  delivery: z.enum(["steer", "queue"]).optional(),
});

export type PromptInput = z.output<typeof promptBody>["prompt"];

function filePart({ uri, name }: z.output<typeof file>): PromptPart {
  const named = name === undefined ? {} : { name };
  if (uri.startsWith("data:")) return { type: "file", url: uri, ...named };
  try {
    return { type: "file", path: fileURLToPath(uri), ...named };
  } catch {
    throw badRequest(`expected a data: or file: address of a file on this machine, got "${uri.slice(0, 100)}"`);
  }
}

export function partsOf({ text, files = [] }: PromptInput): PromptPart[] {
  return [{ type: "text", text }, ...files.map(filePart)];
}

/** As it was taken, said back. */
export function admittedPrompt({ text, files }: PromptInput): object {
  if (!files) return { text };
  return {
    text,
    files: files.map(({ uri, name, description }) => ({
      uri,
      mime: /^data:([^;,]+)/.exec(uri)?.[1] ?? mediaType(uri),
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
    })),
  };
}
