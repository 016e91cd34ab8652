import { type Fields, isFields, textIn } from "../../core/json/fields.ts";
import { type LineNoise, lineFields } from "../program/line-fields.ts";
import type { Said } from "../program/read-lines.ts";
import { onItemCompleted, onItemStarted, onOutput, onPatchUpdated, onProgress } from "./decode/items.ts";
import { onHookCompleted, onRateLimits, onServerStatus, onWarning } from "./decode/notices.ts";
import { onRequest, onResolved } from "./decode/requests.ts";
import { type DecodeState, Reading, type Reply, type Thread } from "./decode/state.ts";
import { onTokens } from "./decode/steps.ts";
import { onMessageDelta, onReasoningDelta } from "./decode/texts.ts";
import { onError, onName, onPlan, onRerouted, onSettings, onTurnCompleted, onTurnStarted } from "./decode/turns.ts";

export type NoiseReason = LineNoise | "unknown_method";

/** The program's answer to something that Parley asked of it. */
export interface Response {
  id: number | string;
  result?: Fields;
  error?: string;
}

export interface Decoded {
  state: DecodeState;
  said: Said[];
  noise?: NoiseReason;
  response?: Response;
  /** An answer to a request of the program, to be written at once. */
  reply?: Reply;
  /** A call was made without a verdict of the session's rules. */
  unguarded?: boolean;
}

type Handler = (reading: Reading, params: Fields, thread: Thread) => void;

const HANDLERS: Readonly<Record<string, Handler>> = {
  "turn/started": onTurnStarted,
  "turn/completed": onTurnCompleted,
  "turn/plan/updated": onPlan,
  "item/started": onItemStarted,
  "item/completed": onItemCompleted,
  "item/agentMessage/delta": onMessageDelta,
  "item/plan/delta": onMessageDelta,
  "item/reasoning/summaryTextDelta": onReasoningDelta,
  "item/reasoning/textDelta": onReasoningDelta,
  "item/commandExecution/outputDelta": onOutput,
  "item/fileChange/patchUpdated": onPatchUpdated,
  "item/mcpToolCall/progress": onProgress,
  "thread/tokenUsage/updated": onTokens,
  "thread/settings/updated": onSettings,
  "thread/name/updated": onName,
  "serverRequest/resolved": onResolved,
  "model/rerouted": onRerouted,
  "account/rateLimits/updated": onRateLimits,
  "mcpServer/startupStatus/updated": onServerStatus,
  "hook/completed": onHookCompleted,
  error: onError,
  warning: onWarning,
  configWarning: onWarning,
  guardianWarning: onWarning,
};

/** Groups of lines that are for the program's own windows, or tell again what another line tells. */
const SILENT =
  /^(?:account|app|externalAgentConfig|fs|fuzzyFileSearch|hook|item\/autoApprovalReview|mcpServer|model|modelProvider|process|project|remoteControl|skills|thread|windows|windowsSandbox)\/|^(?:turn\/(?:diff\/updated|moderationMetadata)|item\/reasoning\/summaryPartAdded|item\/commandExecution\/terminalInteraction|item\/fileChange\/outputDelta|rawResponse(?:Item)?\/completed|autoApprovalReview\/strictReviewRequired|command\/exec\/outputDelta|deprecationNotice)$/;

/** Reads one line of the program's output. It changes nothing but through what it returns. */
export function decodeLine(state: DecodeState, text: string, now: number): Decoded {
  const read = lineFields(text);
  return "fields" in read ? decodeFields(state, read.fields, now) : { state, said: [], ...read };
}

function isId(value: unknown): value is number | string {
  return typeof value === "number" || typeof value === "string";
}

/** A line with a method is the program's own; both sides count their requests, so the same id may stand for two. */
function decodeFields(state: DecodeState, line: Fields, now: number): Decoded {
  const method = textIn(line, "method");
  const { id } = line;
  if (method === undefined) return { state, said: [], ...(isId(id) ? { response: responseOf(id, line) } : {}) };
  const params = isFields(line.params) ? line.params : {};
  const reading = new Reading(state, now);
  if (isId(id)) {
    onRequest(reading, id, method, params);
    return done(reading);
  }
  const handler = Object.hasOwn(HANDLERS, method) ? HANDLERS[method] : undefined;
  if (!handler) return { ...done(reading), ...(SILENT.test(method) ? {} : { noise: "unknown_method" }) };
  handler(reading, params, reading.thread(textIn(params, "threadId") ?? state.root ?? ""));
  return done(reading);
}

function done({ state, said, reply, unguarded }: Reading): Decoded {
  return { state, said, ...(reply ? { reply } : {}), ...(unguarded ? { unguarded } : {}) };
}

function responseOf(id: number | string, { result, error }: Fields): Response {
  if (isFields(error)) return { id, error: textIn(error, "message") ?? JSON.stringify(error) };
  return { id, result: isFields(result) ? result : {} };
}
