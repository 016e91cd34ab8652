import { ParleyError } from "../../core/errors.ts";

const JSON_TYPE = /^application\/(?:json|[a-z0-9!#$&^_.-]+\+json)$/;
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

export interface BodyHead {
  method: string;
  contentType?: string;
  contentLength?: string;
  transferEncoding?: string;
}

export function hasBody(head: BodyHead): boolean {
  return head.transferEncoding !== undefined || (head.contentLength !== undefined && head.contentLength !== "0");
}

function isJson(contentType: string): boolean {
  const [type = "", ...parameters] = contentType.toLowerCase().split(";");
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith("charset="));
  return JSON_TYPE.test(type.trim()) && (charset === undefined || /^charset="?utf-?8"?$/.test(charset));
}

/** Forms and plain text are what a foreign page can send without asking first, so a write must say that it is JSON. */
export function checkContentType(head: BodyHead): ParleyError | undefined {
  if (SAFE_METHODS.has(head.method)) return undefined;
  if (head.contentType === undefined && !hasBody(head)) return undefined;
  if (head.contentType !== undefined && isJson(head.contentType)) return undefined;
  const got = head.contentType === undefined ? "none" : `"${head.contentType.slice(0, 100)}"`;
  return new ParleyError(
    "bad_content_type",
    `expected the content type application/json, got ${got}: send JSON in UTF-8`,
  );
}
