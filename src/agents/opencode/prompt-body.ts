import { statSync } from "node:fs";
import { basename, extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Prompt, PromptPart } from "../../core/events/values.ts";
import { type Fields, present } from "../../core/json/fields.ts";
import type { AgentChoice } from "../contract.ts";
import { effortIn } from "../effort.ts";
import { partId } from "./message-id.ts";

/** Files that models take as such. The program reads all others as text. */
const MIMES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".pdf": "application/pdf",
};

const DIRECTORY = "application/x-directory";
const DATA_MIME = /^data:([\w.+-]+\/[\w.+-]+)/;
const COMMAND = /^\/([^\s/]+)(?:\s+([\s\S]*))?$/;

function mimeOf(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return DIRECTORY;
  return MIMES[extname(path).toLowerCase()] ?? "text/plain";
}

function bodyPart(part: PromptPart, directory: string): Fields[] {
  if (part.type === "text") {
    const text = part.text.toWellFormed();
    return [{ type: "text", text, ...present({ synthetic: part.synthetic }) }];
  }
  const { url, path, name } = part;
  if (url !== undefined) {
    const mime = part.mime ?? DATA_MIME.exec(url)?.[1] ?? "text/plain";
    return [{ type: "file", mime, url, filename: name ?? "file" }];
  }
  if (path === undefined) return [];
  const whole = resolve(directory, path);
  const mime = part.mime ?? mimeOf(whole);
  return [{ type: "file", mime, url: pathToFileURL(whole).href, filename: name ?? basename(path) }];
}

export function bodyParts(parts: readonly PromptPart[], directory: string): Fields[] {
  return parts.flatMap((part) => bodyPart(part, directory));
}

/** The two halves of a model's id, such as `anthropic/claude-sonnet-4-5`. */
export function modelRef(model: string): { providerID: string; modelID: string } | undefined {
  const at = model.indexOf("/");
  return at <= 0 || at === model.length - 1
    ? undefined
    : { providerID: model.slice(0, at), modelID: model.slice(at + 1) };
}

/** Parts with ids: a message that is given twice, because the first answer was lost, has each of them once. */
function withIds(message: string, parts: readonly Fields[]): Fields[] {
  return parts.map((part, index) => ({ id: partId(message, index), ...part }));
}

/** A prompt as the program takes it. */
export function promptBody(prompt: Prompt, message: string, choice: AgentChoice, directory: string): Fields {
  const { model, mode, options } = choice;
  return {
    messageID: message,
    parts: withIds(message, bodyParts(prompt.parts, directory)),
    ...present({
      model: model === undefined ? undefined : modelRef(model),
      agent: mode,
      variant: effortIn(options),
      system: prompt.system,
    }),
  };
}

const isCommands = (part: PromptPart): boolean => part.type === "text" && part.synthetic !== true;

/** A slash command that a prompt may be: its name and the words after it. */
export function commandIn(parts: readonly PromptPart[]): { name: string; words: string } | undefined {
  const first = parts.find(isCommands);
  const [, name, words = ""] = COMMAND.exec(first?.type === "text" ? first.text.trim() : "") ?? [];
  return name === undefined ? undefined : { name, words };
}

/**
 * Parts that the program does not take with a command: instructions, and texts beside it. They are a message of their own before it, because in the command's own words
 * the program would run and read what they name.
 */
export function besideCommand({ parts, system }: Prompt): PromptPart[] {
  const own = parts.find(isCommands);
  const texts = parts.filter((part) => part.type === "text" && part !== own);
  return system === undefined ? texts : [{ type: "text", text: system, synthetic: true }, ...texts];
}

/** A command as the program takes it, with the files of the prompt. */
export function commandBody(
  { name, words }: { name: string; words: string },
  prompt: Prompt,
  message: string,
  choice: AgentChoice,
  directory: string,
): Fields {
  const { model, mode, options } = choice;
  const files = bodyParts(
    prompt.parts.filter(({ type }) => type === "file"),
    directory,
  );
  return {
    command: name,
    arguments: words,
    messageID: message,
    ...present({ model, agent: mode, variant: effortIn(options) }),
    ...(files.length === 0 ? {} : { parts: files }),
  };
}
