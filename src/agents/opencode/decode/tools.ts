import type { Failure } from "../../../core/events/values.ts";
import { type Fields, fieldsIn, isFields, listIn, present, textIn } from "../../../core/json/fields.ts";
import type { Signal, ToolDone, ToolSeen } from "../../../core/ledger/signals.ts";
import { filesOf } from "./files.ts";
import type { Part } from "./state.ts";

/** How far a call is. A state that came late is behind the one that was told. */
const RANKS: Readonly<Record<string, number>> = {
  pending: 0,
  running: 1,
  in_progress: 1,
  completed: 2,
  error: 2,
  failed: 2,
};

const NONE: ReadonlySet<string> = new Set();

const REFUSED = /rejected permission|user dismissed|specified a rule which prevents/i;

function rankOf(state: Fields): number {
  const status = textIn(state, "status") ?? "";
  return Object.hasOwn(RANKS, status) ? (RANKS[status] ?? 0) : 0;
}

/** The facts of a call without the program's ids of sessions, in whose place clients are told Parley's. */
function metadataOf(state: Fields): Fields {
  const { sessionId: _, parentSessionId: __, ...rest } = fieldsIn(state, "metadata");
  return rest;
}

/** The sub-agent's session that a call started. */
export function childIn(part: Fields): string | undefined {
  return textIn(fieldsIn(fieldsIn(part, "state"), "metadata"), "sessionId");
}

function hasInput(input: unknown): boolean {
  return isFields(input) ? Object.keys(input).length > 0 : input !== undefined && input !== null;
}

function outputOf({ output }: Fields): string | undefined {
  if (output === undefined || output === null) return undefined;
  return typeof output === "string" ? output : JSON.stringify(output);
}

function failure(state: Fields, isRefused: boolean): Failure {
  const message = textIn(state, "error") ?? outputOf(state) ?? "the tool failed";
  if (fieldsIn(state, "metadata").interrupted === true) return { code: "interrupted", message };
  return { code: isRefused || REFUSED.test(message) ? "rejected" : "tool_failed", message };
}

/** Pictures and other files that the call brought back. */
function contentOf(state: Fields): { content?: unknown[] } {
  const content = listIn(state, "attachments").flatMap((file) => {
    const [url, mime] = [textIn(file, "url"), textIn(file, "mime")];
    return url === undefined ? [] : [{ type: "file", ...present({ url, mime, name: textIn(file, "filename") }) }];
  });
  return content.length === 0 ? {} : { content };
}

/** The output of a command that runs grows, and each state has all of it. */
function outputSignal(part: Part, state: Fields): Signal[] {
  const output = textIn(fieldsIn(state, "metadata"), "output");
  if (output === undefined || !output.startsWith(part.told) || output.length === part.told.length) return [];
  const delta = output.slice(part.told.length);
  part.told = output;
  return [{ type: "tool.output", call: part.key, delta }];
}

function seen(part: Part, type: ToolSeen["type"], state: Fields, title: string | undefined): Signal {
  const { output: _, ...metadata } = metadataOf(state);
  const facts = present({ name: part.tool, title, input: part.input });
  return { type, call: part.key, ...facts, ...(Object.keys(metadata).length === 0 ? {} : { metadata }) };
}

function done(part: Part, state: Fields, isRefused: boolean, directory: string): ToolDone {
  const metadata = metadataOf(state);
  const ok = textIn(state, "status") === "completed";
  const facts = { output: outputOf(state), title: textIn(state, "title") || undefined };
  const files = filesOf(part, metadata, directory);
  return {
    type: "tool.done",
    call: part.key,
    ok,
    ...present(ok ? facts : { ...facts, error: failure(state, isRefused) }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...(files.length === 0 ? {} : { files }),
    ...contentOf(state),
  };
}

/** The program has a tool of its own answer a call of a tool that it does not know. */
function toolIn(told: Fields): string | undefined {
  const name = textIn(told, "tool");
  return name === "invalid" ? (textIn(fieldsIn(fieldsIn(told, "state"), "input"), "tool") ?? name) : name;
}

/** A state of a call. States that were told, and those behind it, say nothing. */
export function toolSignals(
  part: Part,
  told: Fields,
  directory: string,
  refused: ReadonlySet<string> = NONE,
): Signal[] {
  const state = fieldsIn(told, "state");
  const rank = rankOf(state);
  if (part.over || rank < part.rank) return [];
  const first = part.rank < 0;
  part.tool = toolIn(told) ?? part.tool ?? "tool";
  if (hasInput(state.input)) part.input = state.input;
  const call = textIn(told, "callID");
  if (call !== undefined) part.call = call;
  const said: Signal[] = [];
  const title = textIn(state, "title") || undefined;
  if (rank === 0) {
    part.rank = 0;
    return first ? [{ type: "tool.seen", call: part.key, name: part.tool }] : [];
  }
  const { output: _, ...metadata } = metadataOf(state);
  const facts = JSON.stringify([part.tool, part.input, title, rank === 1 ? metadata : {}]);
  if (part.rank < 1 || (rank === 1 && facts !== part.facts))
    said.push(seen(part, "tool.running", rank === 1 ? state : {}, title));
  part.facts = facts;
  part.rank = rank;
  if (rank === 1) return [...said, ...outputSignal(part, state)];
  part.over = true;
  return [...said, done(part, state, refused.has(part.call ?? ""), directory)];
}
