import { createHash, randomBytes } from "node:crypto";
import { jsonIn } from "../../core/json/fields.ts";
import { readAnthropic } from "./anthropic/read.ts";
import { anthropic } from "./anthropic/write.ts";
import { Attempts } from "./attempts.ts";
import { readChat } from "./chat/read.ts";
import { chat } from "./chat/write.ts";
import { choose } from "./choose.ts";
import type { Conversation } from "./conversation.ts";
import { fill } from "./fill.ts";
import type { Encoder, Frame, Making } from "./frames.ts";
import { readGemini } from "./gemini/read.ts";
import { gemini } from "./gemini/write.ts";
import { type Json, record } from "./json.ts";
import { compose } from "./reply.ts";
import { readResponses } from "./responses/read.ts";
import { responses } from "./responses/write.ts";
import type { Script, Step, Trouble } from "./script.ts";
import { asksForTitle, sideAnswer, titleText } from "./side-requests.ts";
import { troubleOf, until } from "./trouble.ts";

export interface Asked {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export type Format = "anthropic" | "responses" | "chat" | "gemini";

export interface Answer {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Milliseconds before the first byte. */
  wait: number;
  /** A stream's events, or the one body of an answer that is none. */
  frames: readonly Frame[];
  /** The end after the last frame: a proper one, a broken connection, or nothing. */
  ending: "end" | "cut" | "hang";
  /** Nothing at all is sent, not even the head. */
  silent: boolean;
  /** Which part of the script this is. */
  from: { format?: Format; marker?: string; step?: number; attempt?: number };
}

const FORMATS: readonly {
  format: Format;
  path: RegExp;
  read(body: Json, path: string): Conversation;
  encoder: Encoder;
}[] = [
  { format: "anthropic", path: /\/messages$/, read: readAnthropic, encoder: anthropic },
  { format: "responses", path: /\/responses$/, read: readResponses, encoder: responses },
  { format: "chat", path: /\/chat\/completions$/, read: readChat, encoder: chat },
  { format: "gemini", path: /:(?:streamG|g)enerateContent$/, read: readGemini, encoder: gemini },
];

/** Headers in which clients name their conversation. */
const NAMES = ["x-session-id", "session-id", "session_id", "x-claude-code-session-id"];

function json(status: number, body: object, from: Answer["from"] = {}, headers: Answer["headers"] = {}): Answer {
  const frames: Frame[] = [{ at: "open", part: -1, data: JSON.stringify(body) }];
  const head = { "content-type": "application/json", ...headers };
  return { status, headers: head, wait: 0, frames, ending: "end", silent: false, from };
}

/** Tells conversations apart: by the client's name for it, and by all that was said in it. */
function fingerprint(asked: Asked, conversation: Conversation): string {
  const name = NAMES.map((header) => asked.headers[header]).find((value) => value !== undefined);
  const said = JSON.stringify([name ?? conversation.id, conversation.entries]);
  return createHash("sha256").update(said).digest("base64url");
}

function makingOf(conversation: Conversation): Making {
  const newId = (prefix: string) => `${prefix}${randomBytes(12).toString("hex")}`;
  const { model, tools, wantsUsage } = conversation;
  return { model, tools, wantsUsage, newId, created: Math.floor(Date.now() / 1000) };
}

function refused(encoder: Encoder, trouble: Trouble & { status: number }, from: Answer["from"]): Answer {
  const { status, type, code, retryAfter } = trouble;
  const message = trouble.message ?? `scripted trouble: ${status}`;
  const retry = retryAfter === undefined ? trouble.headers : { "retry-after": String(retryAfter), ...trouble.headers };
  return json(status, encoder.failure(status, { message, type, code }), from, retry);
}

function spoiled(answer: Answer, trouble: Trouble, encoder: Encoder, making: Making): Answer {
  const place = trouble.cut ?? trouble.hang ?? trouble.at ?? "open";
  const frames = until(answer.frames, place === "start" && trouble.error !== undefined ? "open" : place);
  if (trouble.error !== undefined) {
    const detail = { message: trouble.message ?? "scripted trouble", type: trouble.error, code: trouble.code };
    frames.push({ at: "end", part: -1, data: encoder.errorFrame(detail, making) });
    return { ...answer, frames };
  }
  const silent = place === "start" && trouble.clean !== true;
  return { ...answer, frames, silent, ending: trouble.hang ? "hang" : trouble.clean ? "end" : "cut" };
}

/** Answers requests by a script. It remembers nothing but the attempts at steps with trouble. */
export function createResponder(script: Script): (asked: Asked) => Answer {
  const attempts = new Attempts();

  const reply = (encoder: Encoder, conversation: Conversation, step: Step, size: number, from: Answer["from"]) => {
    const making = makingOf(conversation);
    const composed = compose(fill(step, conversation), size, script.pace ?? 0);
    if (!conversation.stream) return { making, answer: json(200, encoder.whole(composed, making), from) };
    const head = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };
    const frames = encoder.frames(composed, making);
    const answer: Answer = { status: 200, headers: head, wait: 0, frames, ending: "end", silent: false, from };
    return { making, answer };
  };

  return (asked) => {
    const side = sideAnswer(asked.method, asked.path, asked.body, script);
    if (side !== undefined) return json(200, side);
    const wire = asked.method === "POST" ? FORMATS.find(({ path }) => path.test(asked.path)) : undefined;
    if (wire === undefined) {
      const message = `nothing at ${asked.method} ${asked.path}; expected a POST to /messages, /responses, /chat/completions or a model's :streamGenerateContent`;
      return json(404, { error: { message, type: "not_found_error" } });
    }
    const { encoder, format } = wire;
    const body = jsonIn(asked.body);
    if (body === undefined) return refused(encoder, { status: 400, message: "the body is no JSON" }, { format });
    const conversation = wire.read(record(body), asked.path);
    if (conversation.refusal !== undefined) {
      return refused(encoder, { status: 400, message: conversation.refusal }, { format });
    }
    const size = asked.body.length;
    if (asksForTitle(conversation)) {
      return reply(encoder, conversation, { text: titleText(script, conversation) }, size, { format }).answer;
    }
    const chosen = choose(script, conversation);
    if ("missing" in chosen) return refused(encoder, { status: 400, message: chosen.missing }, { format });
    const { marker, index, step } = chosen;
    const key = `${marker} ${index} ${fingerprint(asked, conversation)}`;
    const attempt = step.fail === undefined ? 0 : attempts.next(key);
    const trouble = troubleOf(step, attempt);
    const from = { format, marker, step: index, attempt };
    const status = trouble?.status ?? (trouble?.error !== undefined && !conversation.stream ? 500 : undefined);
    if (status !== undefined) return { ...refused(encoder, { ...trouble, status }, from), wait: step.wait ?? 0 };
    const { making, answer } = reply(encoder, conversation, step, size, from);
    if (trouble === undefined) attempts.forget(key);
    const whole = { ...answer, wait: step.wait ?? 0 };
    return trouble === undefined ? whole : spoiled(whole, trouble, encoder, making);
  };
}
