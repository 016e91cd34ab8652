import { join } from "node:path";

const text = (words: string): object => ({ type: "text", text: words });
const shown = (content: object): object => ({ type: "content", content });
/** A picture of one pixel. */
export const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PICTURE = { type: "image", data: PNG, mimeType: "image/png" };
const LINK = { type: "resource_link", uri: "file:///x.txt", name: "x.txt" };

export const update = (sessionUpdate: string, facts: object): object => ({ update: { sessionUpdate, ...facts } });

export const OPTIONS = [
  { optionId: "y", name: "Yes", kind: "allow_once" },
  { optionId: "a", name: "Yes to all", kind: "allow_always" },
  { optionId: "n", name: "No", kind: "reject_once" },
];

/** All that a session can be told to be. */
export const CHOICES = {
  modes: {
    currentModeId: "build",
    availableModes: [
      { id: "build", name: "Build", description: "does it" },
      { id: "plan", name: "Plan" },
    ],
  },
  configOptions: [
    {
      id: "mode",
      name: "Session mode",
      category: "mode",
      type: "select",
      currentValue: "build",
      options: [
        { value: "build", name: "Build", description: "does it" },
        { value: "plan", name: "Plan" },
      ],
    },
    {
      id: "model",
      name: "The model",
      category: "model",
      type: "select",
      currentValue: "big",
      options: [
        { value: "big", name: "Big", description: "the big one" },
        { value: "small", name: "Small" },
      ],
    },
    {
      id: "thinking",
      name: "Thinking",
      category: "thought_level",
      type: "select",
      currentValue: "high",
      options: [
        { value: "high", name: "High" },
        { value: "low", name: "Low" },
      ],
    },
    {
      id: "speed",
      name: "Speed",
      category: "pace",
      type: "select",
      currentValue: "fast",
      options: [
        { group: "g1", name: "Quick", options: [{ value: "fast", name: "Fast" }] },
        { group: "g2", name: "Not quick", options: [{ value: "slow", name: "Slow" }] },
      ],
    },
    { id: "loud", name: "Loud", category: "pace", type: "boolean", currentValue: true },
  ],
};

/** A turn with every kind of update, and calls of many forms. */
export function allUpdates(directory: string): object[] {
  const [a, b] = [join(directory, "a.txt"), join(directory, "b.txt")];
  const input = { filePath: a, oldString: "one", newString: "uno" };
  const diff = { type: "diff", path: a, oldText: "one\ntwo\n", newText: "uno\ntwo\n" };
  const edit = { toolCallId: "c2", title: "Edit a.txt", kind: "edit", status: "pending", rawInput: input };
  return [
    update("agent_thought_chunk", { messageId: "t1", content: text("I think. ") }),
    update("agent_thought_chunk", { messageId: "t1", content: text("Still.") }),
    update("agent_message_chunk", { messageId: "m1", content: text("I read ") }),
    update("agent_message_chunk", { messageId: "m1", content: text("a file.") }),
    update("tool_call", { toolCallId: "c1", title: "read", kind: "read", status: "pending", rawInput: {} }),
    update("tool_call_update", {
      toolCallId: "c1",
      title: "Read a.txt",
      status: "in_progress",
      rawInput: { filePath: a },
      locations: [{ path: a, line: 3 }],
    }),
    update("tool_call_update", {
      toolCallId: "c1",
      status: "completed",
      content: [shown(text("one\ntwo"))],
      rawOutput: { output: "1: one\n2: two", metadata: { lines: 2 } },
    }),
    update("agent_message_chunk", { messageId: "m2", content: text("Now I edit.") }),
    update("tool_call", { ...edit, name: "edit" }),
    {
      request: {
        method: "session/request_permission",
        params: { toolCall: { ...edit, locations: [{ path: a }], content: [diff] }, options: OPTIONS },
      },
    },
    update("tool_call_update", { toolCallId: "c2", status: "in_progress" }),
    update("tool_call_update", { toolCallId: "c2", status: "completed", content: [diff], rawOutput: "changed" }),
    update("tool_call", {
      toolCallId: "c3",
      title: "ls -la",
      kind: "execute",
      status: "in_progress",
      rawInput: { command: "ls -la" },
    }),
    update("tool_call_update", { toolCallId: "c3", status: "in_progress", content: [shown(text("a.txt\n"))] }),
    update("tool_call_update", {
      toolCallId: "c3",
      status: "failed",
      content: [shown(text("a.txt\nls: broken\n"))],
      rawOutput: { exit_code: 2 },
    }),
    update("tool_call", {
      toolCallId: "c4",
      title: "Look at it",
      kind: "other",
      status: "completed",
      rawInput: { what: "x" },
      content: [shown(text("a picture")), shown(PICTURE), shown(LINK)],
      rawOutput: { anything: [1, 2] },
      locations: [{ path: "/x.txt" }, { path: "/y.txt", line: 0 }],
    }),
    update("tool_call", {
      toolCallId: "c5",
      title: "Write b.txt",
      kind: "edit",
      status: "completed",
      rawInput: { filePath: b, content: "new\n" },
      content: [{ type: "diff", path: b, newText: "new\n" }],
    }),
    update("plan", {
      entries: [
        { content: "first", priority: "high", status: "completed" },
        { content: "second", priority: "low", status: "in_progress" },
      ],
    }),
    update("usage_update", { used: 1200, size: 100_000, cost: { amount: 0.5, currency: "USD" } }),
    update("session_info_update", { title: "A title" }),
    update("current_mode_update", { currentModeId: "plan" }),
    update("notice", { severity: "warning", title: "Careful", description: "this is odd" }),
    update("agent_message_chunk", { messageId: "m3", content: PICTURE }),
    update("agent_message_chunk", { messageId: "m3", content: LINK }),
    update("agent_message_chunk", { messageId: "m4", content: text("Done.") }),
  ];
}
