import { z } from "zod";
import type { PromptPart } from "../../../core/events/values.ts";
import { present } from "../../../core/json/fields.ts";
import { promptParts } from "../prompts/prompt-input.ts";
import { mediaType } from "../workspace/media-type.ts";

const file = z.looseObject({ uri: z.string(), name: z.string().optional(), description: z.string().optional() });

export const promptBody = z.looseObject({
  id: z.string().optional(),
  prompt: z.looseObject({ text: z.string(), files: z.array(file).optional() }),
  delivery: z.enum(["steer", "queue"]).optional(),
  resume: z.boolean().optional(),
});

export type PromptInput = z.output<typeof promptBody>["prompt"];

function mediaTypeOf(uri: string): string {
  return /^data:([^;,]+)/.exec(uri)?.[1] ?? mediaType(uri);
}

/** The parts of a prompt, made by the older half: both refuse the same. */
export function partsOf({ text, files = [] }: PromptInput, directory: string): PromptPart[] {
  const attached = files.map(({ uri, name }) =>
    present({ type: "file", mime: mediaTypeOf(uri), url: uri, filename: name }),
  );
  return promptParts([{ type: "text", text }, ...attached], directory);
}

/** The accepted prompt, for the answer. */
export function admittedPrompt({ text, files }: PromptInput): object {
  if (!files) return { text };
  const admitted = files.map(({ uri, name, description }) =>
    present({ uri, mime: mediaTypeOf(uri), name, description }),
  );
  return { text, files: admitted };
}
