import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { realpath } from "node:fs/promises";
import type { TestContext } from "node:test";
import { z } from "zod";
import type { ParleyEvent } from "../../../src/core/events/event.ts";
import type { ParleyOptions } from "../../../src/server/parley.ts";
import type { PermissionRequest, QuestionRequest } from "../../../src/surfaces/opencode/shapes/ask.ts";
import type { AssistantMessage, MessageWithParts, Part } from "../../../src/surfaces/opencode/shapes/message.ts";
import type { Session } from "../../../src/surfaces/opencode/shapes/session.ts";
import { type Script, type ScriptedModel, startScriptedModel } from "../../../src/testing/index.ts";
import { withoutAdditions } from "../../support/opencode/additions.ts";
import { startServer, type TestServer, temporary } from "../../support/server.ts";
import { whenStored } from "../../support/when-stored.ts";

interface Described {
  responses: Record<string, Record<string, z.core.JSONSchema.JSONSchema | null>>;
  $defs: Record<string, z.core.JSONSchema.JSONSchema>;
}

const golden = new URL("../../golden/opencode/session-responses.json", import.meta.url);
const { responses, $defs } = JSON.parse(readFileSync(golden, "utf8")) as Described;
const schemas = new Map<string, z.ZodType>();

/** The name of an operation in OpenCode's description. */
function operationOf(method: string, path: string): string {
  const plain = path.split("?", 1)[0] ?? "";
  const named = plain
    .replace(/\/ses_[^/]*/, "/{sessionID}")
    .replace(/\/msg_[^/]*/, "/{messageID}")
    .replace(/\/(per|que)_[^/]*/, plain.includes("/permissions/") ? "/{permissionID}" : "/{requestID}");
  return `${method} ${named}`;
}

/** An answer that OpenCode describes is held against its description. What it says of a bad request is not what it sends. */
function assertDescribed(operation: string, status: number, body: unknown): void {
  if (status === 400) return;
  const described = responses[operation]?.[String(status)];
  if (!described) return;
  const key = `${operation} ${status}`;
  const schema = schemas.get(key) ?? z.fromJSONSchema({ ...described, $defs });
  schemas.set(key, schema);
  const parsed = schema.safeParse(withoutAdditions(operation, body));
  if (parsed.success) return;
  assert.fail(`${key} ${JSON.stringify(body).slice(0, 600)}: ${z.prettifyError(parsed.error)}`);
}

export interface Reply<T> {
  status: number;
  headers: Headers;
  body: T;
}

export interface Answered {
  info: AssistantMessage;
  parts: Part[];
}

/** A plain client of OpenCode's API that holds every answer against OpenCode's description of it. */
export class Client {
  readonly url: string;
  readonly directory: string;

  constructor(url: string, directory: string) {
    this.url = url;
    this.directory = directory;
  }

  async call<T>(method: string, path: string, body?: unknown, raw?: string): Promise<Reply<T>> {
    const json = body === undefined ? raw : JSON.stringify(body);
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        "x-opencode-directory": encodeURIComponent(this.directory),
        ...(json === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(json === undefined ? {} : { body: json }),
    });
    const text = await response.text();
    const { status, headers } = response;
    assert.doesNotMatch(headers.get("content-type") ?? "", /html/, `${method} ${path}`);
    const answer = text === "" ? undefined : (JSON.parse(text) as unknown);
    // Without a reply it answers with the user's message, which the description leaves out.
    if (!json?.includes('"noReply":true')) assertDescribed(operationOf(method, path), status, answer);
    return { status, headers, body: answer as T };
  }

  async expect<T>(status: number, method: string, path: string, body?: unknown): Promise<T> {
    const reply = await this.call<T>(method, path, body);
    assert.equal(reply.status, status, `${method} ${path}: ${JSON.stringify(reply.body)?.slice(0, 500)}`);
    return reply.body;
  }

  get<T>(path: string): Promise<T> {
    return this.expect(200, "GET", path);
  }

  create(body: object = {}): Promise<Session> {
    return this.expect(200, "POST", "/session", body);
  }

  /** A prompt whose answer is waited for. */
  ask(id: string, text: string, more: object = {}): Promise<Answered> {
    return this.expect(200, "POST", `/session/${id}/message`, { parts: [{ type: "text", text }], ...more });
  }

  prompt(id: string, text: string, more: object = {}): Promise<void> {
    return this.expect(204, "POST", `/session/${id}/prompt_async`, { parts: [{ type: "text", text }], ...more });
  }

  messages(id: string, query = ""): Promise<MessageWithParts[]> {
    return this.get(`/session/${id}/message${query}`);
  }

  permissions(): Promise<PermissionRequest[]> {
    return this.get(`/permission?directory=${encodeURIComponent(this.directory)}`);
  }

  questions(): Promise<QuestionRequest[]> {
    return this.get(`/question?directory=${encodeURIComponent(this.directory)}`);
  }
}

export interface SessionsRig {
  server: TestServer;
  client: Client;
  model: ScriptedModel;
  /** Where sessions work. */
  work: string;
  /** Resolves with the first event of a session that fits, past or to come. */
  until(session: string, fits: (event: ParleyEvent) => boolean): Promise<ParleyEvent>;
  /** Resolves with the number of turns that have ended when there are so many. */
  ended(session: string, turns?: number): Promise<void>;
}

/** A server whose house agent has a model that says what a script tells it. */
export async function sessionsRig(
  t: TestContext,
  prompts: Script["prompts"],
  options: Partial<ParleyOptions> = {},
): Promise<SessionsRig> {
  const model = await startScriptedModel({ script: { prompts } });
  t.after(() => model.close());
  const work = await realpath(await temporary(t));
  const endpoints = { test: { url: model.url, format: "messages" as const, models: [{ id: "one" }, { id: "two" }] } };
  const server = await startServer(t, {
    defaultAgent: "house",
    house: { model: "test/one", endpoints },
    directory: work,
    ...options,
  });
  const { log } = server.parley.gateway;
  const until: SessionsRig["until"] = (session, fits) => whenStored(log, session, fits);
  const ended = async (session: string, turns = 1): Promise<void> => {
    let seen = 0;
    const counted = new Set<number>();
    await until(session, ({ type, seq }) => {
      if (type === "turn.ended" && !counted.has(seq)) {
        counted.add(seq);
        seen += 1;
      }
      return seen >= turns;
    });
  };
  return { server, client: new Client(server.parley.url, work), model, work, until, ended };
}

export const texts = ({ parts }: { parts: readonly Part[] }): string[] =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : []));

export const tools = ({ parts }: { parts: readonly Part[] }) =>
  parts.flatMap((part) => (part.type === "tool" ? [part] : []));
