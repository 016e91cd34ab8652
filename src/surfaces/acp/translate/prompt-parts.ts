import { basename, isAbsolute, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk/unstable";
import type { PromptPart } from "../../../core/events/values.ts";
import { present } from "../../../core/json/fields.ts";

/** A block that no agent behind Parley can be given. The message says what to send instead. */
export class UnreadableBlock extends Error {}

/** The path that a link of an editor names: `file://`, or Zed's own with the path in its query. */
function pathOf(uri: string): string | undefined {
  if (isAbsolute(uri)) return uri;
  if (!URL.canParse(uri)) return undefined;
  const url = new URL(uri);
  if (url.protocol === "file:") {
    url.hash = "";
    url.search = "";
    try {
      return fileURLToPath(url);
    } catch {
      return undefined;
    }
  }
  const path = url.protocol === "zed:" ? url.searchParams.get("path") : null;
  return path !== null && isAbsolute(path) ? path : undefined;
}

/** The lines that a link names, as in `#L10:20`. */
function linesOf(uri: string): string {
  const found = /#L(\d+)(?:[:-]L?(\d+))?/.exec(uri);
  return found ? `:${found[1]}${found[2] === undefined ? "" : `-${found[2]}`}` : "";
}

function isInside(directory: string, path: string): boolean {
  const near = relative(directory, path);
  return near !== "" && near !== ".." && !near.startsWith("../") && !isAbsolute(near);
}

const BASE64 = /^[\w+/-]*={0,2}$/;

/** A model refuses every later prompt of a conversation that holds something unreadable. */
function base64(what: string, data: string): string {
  const plain = data.replaceAll(/\s/g, "");
  if (BASE64.test(plain)) return plain;
  throw new UnreadableBlock(`expected ${what} in base64, got "${data.slice(0, 20)}"`);
}

/** A link to a file of the session's directory is a file; any other is named in the text, for the agent to fetch. */
function linkPart(directory: string, uri: string, name: string | undefined, mime: string | undefined): PromptPart {
  const path = pathOf(uri);
  const lines = linesOf(uri);
  if (path !== undefined && isInside(directory, path) && lines === "")
    return { type: "file", path, ...present({ name, mime }) };
  const shown = path === undefined ? uri : `${path}${lines}`;
  return { type: "text", text: name === undefined || shown.endsWith(name) ? shown : `${name} (${shown})` };
}

function resourcePart(resource: { uri: string; mimeType?: string | null; text?: string; blob?: string }): PromptPart {
  const { uri, text, blob } = resource;
  const shown = `${pathOf(uri) ?? uri}${pathOf(uri) === undefined ? "" : linesOf(uri)}`;
  if (text !== undefined) return { type: "text", text: `[${shown}]\n${text}` };
  const mime = resource.mimeType ?? "application/octet-stream";
  const data = base64(`the blob of ${shown}`, blob ?? "");
  return { type: "file", url: `data:${mime};base64,${data}`, mime, name: basename(shown) };
}

function partOf(directory: string, block: ContentBlock): PromptPart[] {
  switch (block.type) {
    case "text": {
      const audience = block.annotations?.audience ?? [];
      const isForUser = audience.length > 0 && !audience.includes("assistant");
      return isForUser || block.text === "" ? [] : [{ type: "text", text: block.text }];
    }
    case "image": {
      if (block.data === "" && block.uri) return [linkPart(directory, block.uri, undefined, block.mimeType)];
      const name = block.uri ? basename(pathOf(block.uri) ?? block.uri) : undefined;
      const data = base64("an image", block.data);
      if (data === "") throw new UnreadableBlock("expected an image in base64, got nothing");
      const url = `data:${block.mimeType};base64,${data}`;
      return [{ type: "file", url, mime: block.mimeType, ...present({ name }) }];
    }
    case "resource_link":
      return [linkPart(directory, block.uri, block.name, block.mimeType ?? undefined)];
    case "resource":
      return [resourcePart(block.resource)];
    case "audio":
      throw new UnreadableBlock("audio cannot be given to an agent: send what was said as text");
    default:
      throw new UnreadableBlock(
        `a block of type ${(block as { type: string }).type} is not known: send text, image, resource or resource_link`,
      );
  }
}

/** The parts of a prompt. A link or a resource that became text stands apart from the words beside it. */
export function promptParts(directory: string, blocks: readonly ContentBlock[]): PromptPart[] {
  const parts: PromptPart[] = [];
  let isSaid = false;
  for (const block of blocks) {
    for (const part of partOf(directory, block)) {
      const before = parts.at(-1);
      const wasSaid = isSaid;
      isSaid = block.type === "text";
      if (before?.type !== "text" || part.type !== "text" || (wasSaid && isSaid)) parts.push(part);
      else parts.push({ ...part, text: apart(before.text, part.text) });
    }
  }
  return parts;
}

function apart(before: string, text: string): string {
  return /\s$/.test(before) || /^\s/.test(text) ? text : `\n${text}`;
}

/** The name and the words after it of a prompt that is a slash command. */
export function commandIn(blocks: readonly ContentBlock[]): { name: string; rest: string } | undefined {
  const [first] = blocks;
  if (first?.type !== "text") return undefined;
  const found = /^\/([\w:.-]+)(?:\s+(.*))?$/s.exec(first.text.trim());
  return found?.[1] === undefined ? undefined : { name: found[1], rest: found[2] ?? "" };
}
