import type { IncomingMessage, ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";
import { ParleyError } from "../../core/errors.ts";
import { jsonIn } from "../../core/json/fields.ts";
import type { Endpoint } from "./endpoint.ts";
import { queryOf } from "./path.ts";

/** A request on its way to an endpoint. */
export interface RequestContext {
  request: IncomingMessage;
  response: ServerResponse;
  method: string;
  path: string;
  /** Those in the path, once the endpoint is found. */
  params: Readonly<Record<string, string>>;
  header(name: string): string | undefined;
}

const MAX_ISSUES = 10;
const MAX_WORDS = 2_000;
const LONG_BODY = 1024 * 1024;

/** A message that is no longer than people read. */
function shortWords(text: string): string {
  return text.length > MAX_WORDS
    ? `${text.slice(0, MAX_WORDS)} (… ${text.length - MAX_WORDS} characters left out …)`
    : text;
}

/** The body or the query of a request is not as expected. */
export class Unreadable extends ParleyError {
  readonly part: "body" | "query";
  /** The reason alone, for surfaces whose errors name the part in a field. */
  readonly reason: string;

  constructor(part: "body" | "query", reason: string, issues?: readonly z.core.$ZodIssue[]) {
    const details = issues?.map((issue) => {
      return { path: shortWords(issue.path.join(".")), message: shortWords(issue.message) };
    });
    if (details) super("invalid", `the ${part} is not as expected: ${reason}`, { issues: details });
    else super("bad_request", reason);
    this.part = part;
    this.reason = reason;
  }
}

function parse(schema: z.ZodType, value: unknown, part: "body" | "query"): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues.slice(0, MAX_ISSUES);
  throw new Unreadable(part, shortWords(z.prettifyError(new z.ZodError(issues)).replaceAll("\n", " ")), issues);
}

/** The query as text, in which each parameter is once: of two nobody can tell which one is meant. */
export function rawQuery({ request }: Pick<RequestContext, "request">): Record<string, string> {
  const all = queryOf(request.url ?? "/");
  const names = new Set<string>();
  const repeated = all.find(([name]) => names.size === names.add(name).size)?.[0];
  if (repeated === undefined) return Object.fromEntries(all);
  const expected = `expected the query parameter ${shortWords(repeated)} once`;
  throw new Unreadable("query", `${expected}, got it several times: send the one you mean`);
}

export function readQuery(context: RequestContext, { query }: Endpoint): unknown {
  return query ? parse(query, rawQuery(context), "query") : {};
}

/** A long body is read in steps, with a chance for other requests between them. */
export async function readBody({ request }: RequestContext, { body, bodyOptional }: Endpoint): Promise<unknown> {
  if (!body) return undefined;
  const text = await bodyOf(request);
  const breathe = text.length > LONG_BODY ? nextTurn : () => undefined;
  const value = text === "" && bodyOptional ? {} : jsonOf(text);
  await breathe();
  const parsed = parse(body, value, "body");
  await breathe();
  return parsed;
}

/** Leaves out the mark at the beginning of some texts, as browsers do. */
const UTF8 = new TextDecoder();

/** The server reads the body before, so that its limit holds for all; where there is no such server, it is read here. */
async function bodyOf(request: IncomingMessage & { rawBody?: Buffer }): Promise<string> {
  if (request.rawBody) return UTF8.decode(request.rawBody);
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return UTF8.decode(Buffer.concat(pieces));
}

function jsonOf(text: string): unknown {
  const value = jsonIn(text);
  if (value !== undefined) return value;
  const got = text === "" ? "nothing" : `"${text.slice(0, 60)}"`;
  throw new Unreadable("body", `expected JSON as the body, got ${got}`);
}
