/** Lines as Claude Code writes them, with only what a test is about. */
let count = 0;
const uuid = (): string => `line-${++count}`;

export type Line = Record<string, unknown>;

export const init = (extra: Line = {}): Line => ({
  type: "system",
  subtype: "init",
  session_id: "s1",
  model: "claude-opus-4-8",
  permissionMode: "default",
  uuid: uuid(),
  ...extra,
});

export const state = (value: "running" | "idle" | "requires_action"): Line => ({
  type: "system",
  subtype: "session_state_changed",
  state: value,
  uuid: uuid(),
});

export const event = (body: Line): Line => ({ type: "stream_event", event: body, parent_tool_use_id: null });

export const messageStart = (id: string): Line =>
  event({ type: "message_start", message: { id, role: "assistant", usage: { input_tokens: 10, output_tokens: 1 } } });

export const blockStart = (index: number, block: Line): Line =>
  event({ type: "content_block_start", index, content_block: block });

export const textDelta = (index: number, text: string): Line =>
  event({ type: "content_block_delta", index, delta: { type: "text_delta", text } });

export const inputDelta = (index: number, json: string): Line =>
  event({ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: json } });

export const blockStop = (index: number): Line => event({ type: "content_block_stop", index });

export const assistant = (id: string, block: Line, extra: Line = {}): Line => ({
  type: "assistant",
  message: { id, role: "assistant", model: "claude-opus-4-8", content: [block], stop_reason: null },
  parent_tool_use_id: null,
  uuid: uuid(),
  ...extra,
});

export const modelError = (kind: string, text: string): Line => ({
  type: "assistant",
  message: { id: uuid(), model: "<synthetic>", content: [{ type: "text", text }], stop_reason: "stop_sequence" },
  parent_tool_use_id: null,
  error: kind,
  uuid: uuid(),
});

export const text = (value: string): Line => ({ type: "text", text: value });

export const toolUse = (id: string, name: string, input: Line): Line => ({ type: "tool_use", id, name, input });

export const toolResult = (id: string, content: unknown, extra: Line = {}, account?: unknown): Line => ({
  type: "user",
  message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content, ...extra }] },
  parent_tool_use_id: null,
  uuid: uuid(),
  ...(account === undefined ? {} : { tool_use_result: account }),
});

export const replayed = (id: string): Line => ({
  type: "user",
  message: { role: "user", content: [text("again")] },
  parent_tool_use_id: null,
  isReplay: true,
  uuid: id,
});

export const ask = (id: string, tool: string, input: Line, extra: Line = {}): Line => ({
  type: "control_request",
  request_id: id,
  request: { subtype: "can_use_tool", tool_name: tool, input, tool_use_id: `call-${id}`, ...extra },
});

export const result = (extra: Line = {}): Line => ({
  type: "result",
  subtype: "success",
  is_error: false,
  result: "",
  stop_reason: "end_turn",
  terminal_reason: "completed",
  total_cost_usd: 0,
  modelUsage: {},
  uuid: uuid(),
  ...extra,
});

/** As 2.1.325 tells what becomes of a user line. */
export const lifecycle = (id: string, value: string): Line => ({
  type: "command_lifecycle",
  command_uuid: id,
  state: value,
  uuid: uuid(),
});

export const system = (subtype: string, extra: Line): Line => ({ type: "system", subtype, uuid: uuid(), ...extra });

export const started = (task: string, call: string, extra: Line = {}): Line =>
  system("task_started", { task_id: task, tool_use_id: call, task_type: "local_agent", ...extra });

export const notified = (task: string, status: string, summary = ""): Line =>
  system("task_notification", { task_id: task, status, summary });

export const background = (...tasks: string[]): Line =>
  system("background_tasks_changed", { tasks: tasks.map((id) => ({ task_id: id })) });
