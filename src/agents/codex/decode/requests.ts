import { isDeepStrictEqual } from "node:util";
import { withEntry } from "../../../core/entries.ts";
import { type Fields, fieldsIn, isFields, listIn, present, textIn } from "../../../core/json/fields.ts";
import type { PermissionSignal } from "../../../core/ledger/signals.ts";
import { exact } from "../../../core/permissions/exact.ts";
import { offeredPatterns } from "../../../core/permissions/offer.ts";
import { ruledPath } from "../../../core/permissions/paths.ts";
import { formQuestions } from "../../elicitation.ts";
import { ruledLine } from "./command-line.ts";
import { filesOf, pathsOf } from "./files.ts";
import { isOfTurn, setItem } from "./open-items.ts";
import type { Item, Reading, Request, Thread, Turn } from "./state.ts";
import { inStep } from "./steps.ts";

type Permission = Omit<PermissionSignal, "type" | "ask">;
type Asker = (reading: Reading, ask: string, request: Request, thread: Thread) => void;

/** Requests that a person answers. Without an answer the program would wait for ever, so all others are refused at once. */
const ASKERS: Readonly<Record<string, Asker>> = {
  "item/commandExecution/requestApproval": askPermission(commandPermission),
  "item/fileChange/requestApproval": askPermission(changePermission),
  "item/permissions/requestApproval": askPermission(accessPermission),
  "item/tool/requestUserInput": askQuestions,
  "mcpServer/elicitation/request": onElicitation,
};

/** Answers to requests that come when their turn is over: nobody waits for what they are about. */
export const REFUSALS: Readonly<Record<string, Fields>> = {
  "item/commandExecution/requestApproval": { decision: "decline" },
  "item/fileChange/requestApproval": { decision: "decline" },
  "item/permissions/requestApproval": { permissions: {}, scope: "turn" },
  "item/tool/requestUserInput": { answers: {} },
  "mcpServer/elicitation/request": { action: "decline", content: null, _meta: null },
};

const UNKNOWN_METHOD = -32_601;

export function askKey(prefix: string, id: number | string): string {
  return `${prefix}:${id}`;
}

export function onRequest(reading: Reading, id: number | string, method: string, params: Fields): void {
  const ask = askKey(reading.state.prefix, id);
  if (reading.state.requests.has(ask)) return;
  const asker = Object.hasOwn(ASKERS, method) ? ASKERS[method] : undefined;
  if (!asker) {
    reading.reply = { id, error: { code: UNKNOWN_METHOD, message: `Parley does not serve ${method}` } };
    return;
  }
  const thread = reading.thread(textIn(params, "threadId") ?? reading.state.root ?? "");
  if (!isOfTurn(thread, present({ turnId: textIn(params, "turnId") }))) {
    reading.reply = { id, ...present({ result: REFUSALS[method] }) };
    return;
  }
  const request: Request = { id, method, params, thread: thread.id };
  reading.patch({ requests: withEntry(reading.state.requests, ask, request) });
  asker(reading, ask, request, thread);
}

/** The program no longer wants an answer. */
export function onResolved(reading: Reading, params: Fields, thread: Thread): void {
  const { requestId } = params;
  if (typeof requestId !== "number" && typeof requestId !== "string") return;
  const ask = askKey(reading.state.prefix, requestId);
  if (!reading.state.requests.has(ask)) return;
  reading.patch({ requests: withEntry(reading.state.requests, ask, undefined) });
  reading.say({ type: "ask.withdrawn", ask }, thread);
}

function askPermission(permission: (params: Fields, told: Fields, directory: string) => Permission): Asker {
  return (reading, ask, { params }, thread) => {
    const item = thread.turn?.items.get(textIn(params, "itemId") ?? "");
    const asked = permission(params, item?.told ?? {}, reading.state.directory);
    reading.say({ type: "permission", ask, ...asked, ...present({ call: item?.key }) }, thread);
  };
}

/** A command, words for a command that runs, or a host that a command wants to reach. */
function commandPermission(params: Fields, told: Fields, directory: string): Permission {
  const reason = textIn(params, "reason");
  const host = textIn(fieldsIn(params, "networkApprovalContext"), "host");
  if (host !== undefined)
    return { action: "webfetch", patterns: [exact(host)], title: host, metadata: present({ reason }) };
  const line = ruledLine(textIn(params, "command") === undefined ? told : params, directory) ?? "";
  const permissions = isFields(params.additionalPermissions) ? params.additionalPermissions : undefined;
  const input = present({ command: line, cwd: textIn(params, "cwd"), reason, permissions });
  const metadata = present({ tool: "shell", reason, permissions });
  // Words for a command that runs are no command: no rule for commands fits them.
  if (params.kind === "writeStdin") return { action: "terminal", patterns: [], title: line, input, metadata };
  return { action: "bash", command: line, patterns: offeredPatterns(line, directory), title: line, input, metadata };
}

/** A change of files. The request does not tell it again, so it is that of the item. */
function changePermission(params: Fields, told: Fields, directory: string): Permission {
  const root = textIn(params, "grantRoot");
  const paths = pathsOf(told).map((path) => ruledPath(directory, path));
  const title = paths.length === 0 ? (root ?? "files") : paths.join(", ");
  const diff = filesOf(told, directory)
    .map((file) => file.diff ?? "")
    .join("");
  const metadata = present({ tool: "apply_patch", reason: textIn(params, "reason"), diff, root });
  return { action: "edit", patterns: paths.map(exact), title, input: { paths }, metadata };
}

/** More rights for the rest of the turn or the session: paths to write to, or the network. */
function accessPermission(params: Fields): Permission {
  const wanted = fieldsIn(params, "permissions");
  const files = fieldsIn(wanted, "fileSystem");
  const pathsIn = (name: string): string[] => {
    const value = files[name];
    return Array.isArray(value) ? value.filter((path) => typeof path === "string") : [];
  };
  const network = fieldsIn(wanted, "network").enabled === true;
  const parts = [
    ...pathsIn("read").map((path) => `read ${path}`),
    ...pathsIn("write").map((path) => `write ${path}`),
    ...(network ? ["network"] : []),
  ];
  const title = parts.length === 0 ? "more rights" : parts.join(", ");
  const metadata = present({ tool: "request_permissions", reason: textIn(params, "reason") });
  return { action: "permissions", patterns: parts.map(exact), title, input: { permissions: wanted }, metadata };
}

function askQuestions(reading: Reading, ask: string, request: Request, thread: Thread): void {
  const { params } = request;
  if (listIn(params, "questions").some((one) => one.isSecret === true))
    return refuseSecret(reading, ask, request, thread);
  const questions = listIn(params, "questions").map((one) => ({
    question: textIn(one, "question") ?? "",
    ...present({ header: textIn(one, "header") }),
    options: listIn(one, "options").map((option) => ({
      label: textIn(option, "label") ?? "",
      ...present({ description: textIn(option, "description") }),
    })),
    multiple: false,
    custom: one.isOther === true || listIn(one, "options").length === 0,
  }));
  // The call that asks has no item.
  reading.say({ type: "question", ask, questions }, inStep(reading, thread, true));
}

/** An answer is kept in the log and shown to every client, so nobody is asked for a secret. */
function refuseSecret(reading: Reading, ask: string, request: Request, thread: Thread): void {
  refuse(reading, ask, request);
  const text = "Codex asked for a secret and got none: answers are kept in the log. Give it by a variable or a file";
  reading.say({ type: "note", level: "warn", code: "secret_refused", text }, thread);
}

function refuse(reading: Reading, ask: string, { id, method }: Request): void {
  reading.patch({ requests: withEntry(reading.state.requests, ask, undefined) });
  reading.reply = { id, ...present({ result: REFUSALS[method] }) };
}

/** A server's question, or the program's own about a call of a server's tool. */
function onElicitation(reading: Reading, ask: string, request: Request, thread: Thread): void {
  const { params } = request;
  const meta = fieldsIn(params, "_meta");
  const server = textIn(params, "serverName") ?? "server";
  const message = textIn(params, "message") ?? "";
  if (meta.codex_approval_kind === "mcp_tool_call") return askTool(reading, ask, server, request, thread);
  const mode = textIn(params, "mode");
  if (mode === "url") {
    const question = `${message}\n${textIn(params, "url") ?? ""}`;
    const options = [{ label: "Done" }, { label: "Decline" }];
    return reading.say(
      { type: "question", ask, questions: [{ question, header: server, options, multiple: false, custom: false }] },
      thread,
    );
  }
  const { requestedSchema } = params;
  if (mode?.toLowerCase().endsWith("form") && isFields(requestedSchema)) {
    const questions = formQuestions(server, message, requestedSchema);
    return reading.say({ type: "question", ask, questions }, thread);
  }
  refuse(reading, ask, request);
}

type Entry = [id: string, item: Item];

/** The open calls of a server that an ask may be for. The request shows the tool's name in its words alone. */
function askedCalls(turn: Turn | undefined, server: string, message: string): Entry[] {
  const open = [...(turn?.items ?? [])].filter(
    ([, { type, over, told }]) => type === "mcpToolCall" && !over && told.server === server,
  );
  const named = open.filter(([, { told }]) => message.includes(`"${textIn(told, "tool")}"`));
  const alike = named.length > 0 ? named : open;
  const unasked = alike.filter(([, { asked }]) => !asked);
  return unasked.length > 0 ? unasked : alike;
}

/** The call of a server's tool that the program asks about. Where it may be one of several tools, no rule for one of them fits. */
function askTool(reading: Reading, ask: string, server: string, { params }: Request, thread: Thread): void {
  const message = textIn(params, "message");
  const input = fieldsIn(fieldsIn(params, "_meta"), "tool_params");
  const calls = askedCalls(thread.turn, server, message ?? "");
  const [id, item] = calls.find(([, { told }]) => isDeepStrictEqual(told.arguments, input)) ?? calls[0] ?? [];
  if (id !== undefined && item) setItem(reading, thread, id, { ...item, asked: true });
  const [tool, ...others] = new Set(calls.map(([, { told }]) => textIn(told, "tool")));
  const action = `mcp__${server}${tool === undefined || others.length > 0 ? "" : `__${tool}`}`;
  const metadata = present({ tool: action, description: textIn(fieldsIn(params, "_meta"), "tool_description") });
  const asked = { action, patterns: [], title: message ?? action, input, metadata, ...present({ call: item?.key }) };
  reading.say({ type: "permission", ask, ...asked }, thread);
}
