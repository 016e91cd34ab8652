import { createHash, timingSafeEqual } from "node:crypto";

/** The header by which one node shows another that it is one: its value is the nodes' common secret. */
export const HOP_HEADER = "x-parley-node";

/** The header that names the place of a request. */
export const PLACE_HEADER = "x-parley-place";

/** The header of an answer: the session has moved to the node at this address. */
export const MOVED_HEADER = "x-parley-moved";

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Compares a header with the nodes' secret, in constant time. */
export function isHop(secret: string): (header: string) => boolean {
  const wanted = digest(secret);
  return (header) => timingSafeEqual(digest(header), wanted);
}

/** Headers that concern one connection, or this node alone. */
const OWN = new Set([
  ...[
    "host",
    "connection",
    "keep-alive",
    "proxy-connection",
    "transfer-encoding",
    "te",
    "trailer",
    "upgrade",
    "expect",
  ],
  ...["content-length", "authorization", "cookie", "origin", "referer", HOP_HEADER],
]);

/** The headers of a request for the node that it is passed on to. */
export function passedHeaders(
  headers: Readonly<NodeJS.Dict<string | string[]>>,
  secret: string,
  id: string,
  body: Buffer | undefined,
): Record<string, string | string[]> {
  const passed: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !OWN.has(name) && !name.startsWith("sec-")) passed[name] = value;
  passed[HOP_HEADER] = secret;
  passed["x-request-id"] = id;
  if (body) passed["content-length"] = String(body.length);
  return passed;
}

/** Headers of an answer that this node has set already, or that concern one connection. */
const ANSWERED = new Set([
  "connection",
  "keep-alive",
  "transfer-encoding",
  "x-request-id",
  "x-content-type-options",
  "referrer-policy",
  "date",
]);

export function isAnswered(name: string): boolean {
  return ANSWERED.has(name) || name.startsWith("access-control-");
}

/** A path below `/at/PLACE` names the place of a request, for clients that can set an address but no header. */
const AT = /^\/at\/([A-Za-z0-9._-]{1,64})(\/[^?]*)?(\?.*)?$/;

export function placeOfTarget(target: string): { place: string; target: string } | undefined {
  const match = AT.exec(target);
  if (!match?.[1]) return undefined;
  return { place: match[1], target: `${match[2] ?? "/"}${match[3] ?? ""}` };
}
