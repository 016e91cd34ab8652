import { isFields, present } from "../../../../core/json/fields.ts";
import type { FilePart } from "../../shapes/message.ts";
import { idBehind } from "../derived-ids.ts";

interface Attached {
  mime: string;
  url: string;
  filename?: string;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A picture or another file in a tool's output, in the forms that agents have for it. */
function attachedBy(block: unknown): Attached | undefined {
  if (!isFields(block)) return undefined;
  if (block.type === "content") return attachedBy(block.content);
  const from = isFields(block.source) ? block.source : isFields(block.resource) ? block.resource : block;
  const mime = text(from.mimeType) ?? text(from.media_type) ?? text(from.mime) ?? "application/octet-stream";
  const data = text(from.data) ?? text(from.blob);
  const url = data === undefined ? (text(from.url) ?? text(from.uri)) : `data:${mime};base64,${data}`;
  const filename = text(block.name) ?? text(block.filename);
  if (url === undefined || block.type === "text") return undefined;
  return present({ mime, url, filename });
}

/** The files that a tool gave back beside its text. */
export function attachmentsOf(
  content: readonly unknown[],
  part: { id: string; sessionID: string; messageID: string },
): FilePart[] {
  const { id, sessionID, messageID } = part;
  return content
    .flatMap((block) => attachedBy(block) ?? [])
    .map((attached, at) => ({ id: idBehind(id, `a${at}`), sessionID, messageID, type: "file", ...attached }));
}
