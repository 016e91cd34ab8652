import type { IncomingMessage, ServerResponse } from "node:http";
import { ParleyError } from "../../core/errors.ts";
import { CONSOLE_DOCUMENT, HASHED, SESSION_DOCUMENT, TERMINAL_DOCUMENT } from "./bundle.ts";
import type { ConsoleFile } from "./files.ts";
import { CODINGS, chooseCoding, hasTag } from "./negotiate.ts";
import { CONSOLE } from "./paths.ts";
import { CONSOLE_HEADERS, TERMINAL_HEADERS } from "./policy.ts";
import type { Stock } from "./stock.ts";

const TERMINAL_PAGE = /^terminal\/[^/]+$/;
const SESSION_PAGE = /^s\/[^/]+(?:\/|$)/;
const NAMES_FILE = /^[^/]+\.[a-z0-9]{1,12}$/i;

/** The file that a path below `/console/` names: a page has the document of its kind, unless it names a file. */
export function fileNameOf(path: string, has: (name: string) => boolean): string | undefined {
  if (has(path)) return path;
  if (path.startsWith(HASHED) || NAMES_FILE.test(path)) return undefined;
  if (TERMINAL_PAGE.test(path)) return TERMINAL_DOCUMENT;
  return SESSION_PAGE.test(path) ? SESSION_DOCUMENT : CONSOLE_DOCUMENT;
}

function send(request: IncomingMessage, response: ServerResponse, file: ConsoleFile): void {
  const { type, caching, tag, bytes, coded } = file;
  const have = CODINGS.filter((coding) => coded[coding] !== undefined);
  const accepted = request.headers["accept-encoding"];
  const coding = chooseCoding(typeof accepted === "string" ? accepted : undefined, have);
  const etag = `"${tag}${coding === undefined ? "" : `-${coding}`}"`;
  const vary = [response.getHeader("vary"), "Accept-Encoding"].filter(Boolean).join(", ");
  const headers = { etag, vary, "cache-control": caching };
  if (hasTag(request.headers["if-none-match"], etag)) {
    response.writeHead(304, headers).end();
    return;
  }
  const body = (coding === undefined ? undefined : coded[coding]) ?? bytes;
  response.writeHead(200, {
    ...headers,
    "content-type": type,
    "content-length": body.byteLength,
    ...(coding === undefined ? {} : { "content-encoding": coding }),
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

/** Serves the console's files and pages. A path is looked up among their names, and never becomes one of the disk. */
export function createPages(stock: Stock) {
  return async (request: IncomingMessage, response: ServerResponse, path: string): Promise<void> => {
    const below = path.slice(CONSOLE.length);
    const files = await stock({ fresh: !below.startsWith(HASHED) });
    const name = fileNameOf(below, (one) => files.has(one));
    const headers = name === TERMINAL_DOCUMENT ? TERMINAL_HEADERS : CONSOLE_HEADERS;
    for (const [key, value] of Object.entries(headers)) response.setHeader(key, value);
    const file = name === undefined ? undefined : files.get(name);
    if (!file) throw new ParleyError("not_found", `the console has no file ${path}: load its page again`);
    send(request, response, file);
  };
}
