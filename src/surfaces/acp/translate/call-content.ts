import { basename } from "node:path";
import type { FileChange } from "../../../core/events/values.ts";
import { type Fields, fieldsIn, isFields, present, textIn } from "../../../core/json/fields.ts";
import { absolutePath } from "./locations.ts";
import type { CallContent } from "./updates.ts";

const DATA_URL = /^data:([^;,]+)(?:;[^,]*)?;base64,(.*)$/s;

/** A file by its URL: a picture as such, anything else as a link. */
function ofUrl(url: string, mime: string | undefined, name: string | undefined): CallContent[] {
  const data = DATA_URL.exec(url);
  if (data?.[1]?.startsWith("image/")) return [{ type: "image", mimeType: data[1], data: data[2] ?? "" }];
  if (url.startsWith("data:")) return [];
  return [{ type: "link", uri: url, name: name ?? (basename(url) || url), ...present({ mimeType: mime }) }];
}

/** A part of a tool's structured output, in the forms in which agents give pictures and files. */
function contentOf(part: Fields): CallContent[] {
  const type = textIn(part, "type");
  const text = textIn(part, "text");
  if (type === "text") return text ? [{ type, text }] : [];
  if (type === "content") return contentOf(fieldsIn(part, "content"));
  if (type === "file") {
    const url = textIn(part, "url");
    return url === undefined ? [] : ofUrl(url, textIn(part, "mime"), textIn(part, "name"));
  }
  if (type === "image") {
    const source = isFields(part.source) ? part.source : part;
    const data = textIn(source, "data");
    const mimeType = textIn(source, "mimeType") ?? textIn(source, "media_type");
    return data !== undefined && mimeType !== undefined ? [{ type: "image", data, mimeType }] : [];
  }
  if (type === "image_url" || type === "input_image") {
    const url = textIn(part, "image_url") ?? textIn(fieldsIn(part, "image_url"), "url");
    return url === undefined ? [] : ofUrl(url, undefined, undefined);
  }
  if (type === "resource_link") {
    const uri = textIn(part, "uri");
    return uri === undefined ? [] : ofUrl(uri, textIn(part, "mimeType"), textIn(part, "name"));
  }
  return [];
}

/** The diffs of changed files, with absolute paths. */
export function diffsOf(directory: string, files: readonly FileChange[]): CallContent[] {
  return files.flatMap((file) => {
    const path = absolutePath(directory, file.path);
    if (path === undefined) return [];
    const from = file.from === undefined ? undefined : absolutePath(directory, file.from);
    return [{ type: "diff" as const, file: { ...file, path, ...present({ from }) } }];
  });
}

/** The content of a result: its own content, else its text; and the changes of files. */
export function resultContent(
  directory: string,
  result: {
    text?: string | undefined;
    content?: readonly unknown[] | undefined;
    files?: readonly FileChange[] | undefined;
  },
): CallContent[] {
  const diffs = diffsOf(directory, result.files ?? []);
  const text: CallContent[] = result.text ? [{ type: "text", text: result.text }] : [];
  const parts = result.content?.filter(isFields);
  const own = parts?.flatMap(contentOf) ?? [];
  const hasWords = parts?.length === 0 || own.some(({ type }) => type === "text");
  return [...(hasWords ? [] : text), ...own, ...diffs];
}
