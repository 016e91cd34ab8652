import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk/unstable";
import type { MessageItem } from "../../../core/events/items.ts";
import type { PromptPart } from "../../../core/events/values.ts";
import { present } from "../../../core/json/fields.ts";
import { absolutePath } from "./locations.ts";

const DATA_URL = /^data:([^;,]*)(?:;[^,]*)?;base64,(.*)$/s;

export function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}

function fileBlock(directory: string, part: PromptPart & { type: "file" }): ContentBlock[] {
  const { path, url, name } = part;
  if (path !== undefined) {
    const absolute = absolutePath(directory, path);
    if (absolute === undefined) return [];
    const link = { uri: pathToFileURL(absolute).href, name: name ?? basename(absolute) };
    return [{ type: "resource_link", ...link, ...present({ mimeType: part.mime }) }];
  }
  const data = url === undefined ? null : DATA_URL.exec(url);
  if (!data) return url === undefined ? [] : [{ type: "resource_link", uri: url, name: name ?? url.slice(0, 80) }];
  const mimeType = part.mime ?? data[1] ?? "application/octet-stream";
  if (mimeType.startsWith("image/")) return [{ type: "image", data: data[2] ?? "", mimeType }];
  const uri = `attachment:///${encodeURIComponent(name ?? "file")}`;
  return [{ type: "resource", resource: { uri, blob: data[2] ?? "", mimeType } }];
}

/** The blocks of a user's message. Words that Parley added are not the user's. */
export function messageBlocks(directory: string, item: MessageItem): ContentBlock[] {
  const parts = item.content ?? [];
  if (parts.length === 0) return item.text ? [textBlock(item.text)] : [];
  return parts.flatMap((part) => {
    if (part.type === "file") return fileBlock(directory, part);
    return part.synthetic || part.text === "" ? [] : [textBlock(part.text)];
  });
}
