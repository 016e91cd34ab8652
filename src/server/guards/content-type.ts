import type { IncomingHttpHeaders } from "node:http";
import { ParleyError } from "../../core/errors.ts";

const JSON_TYPE = /^application\/(?:json|[a-z0-9!#$&^_.-]+\+json)$/;
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

export type BodyHeaders = Pick<IncomingHttpHeaders, "content-type" | "content-length" | "transfer-encoding">;

export function hasBody({ "content-length": length, "transfer-encoding": encoding }: BodyHeaders): boolean {
  return encoding !== undefined || (length !== undefined && length !== "0");
}

function isJson(contentType: string): boolean {
  const [type = "", ...parameters] = contentType.toLowerCase().split(";");
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith("charset="));
  return JSON_TYPE.test(type.trim()) && (charset === undefined || /^charset="?utf-?8"?$/.test(charset));
}

/** Forms and plain text are what a foreign page can send without asking first, so a write must say that it is JSON. */
export function checkContentType(method: string, headers: BodyHeaders): ParleyError | undefined {
  const type = headers["content-type"];
  if (SAFE_METHODS.has(method)) return undefined;
  if (type === undefined ? !hasBody(headers) : isJson(type)) return undefined;
  const got = type === undefined ? "none" : `"${type.slice(0, 100)}"`;
  const expected = `expected the content type application/json, got ${got}: send JSON in UTF-8`;
  return new ParleyError("bad_content_type", expected);
}
