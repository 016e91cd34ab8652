import type { Script, Step, Tool } from "../../../src/testing/model/script.ts";

/** Names for both agents' tools: each takes what it knows and leaves the rest. */
export function bash(command: string): Tool {
  return { name: "bash", input: { command, description: "Runs a command" } };
}

export function readFile(path: string): Tool {
  return { name: "read", input: { path, filePath: `{{directory}}/${path}` } };
}

function editFile(path: string, before: string, after: string): Tool {
  const native = { filePath: `{{directory}}/${path}`, oldString: before, newString: after };
  return { name: "edit", input: { path, old: before, new: after, ...native } };
}

/** An answer that waits twice: for `<name>-1` after its beginning, for `<name>-2` before its end. */
export function held(name: string): Step[] {
  const chunks = [
    "The beginning, ",
    { text: "the middle, ", hold: `${name}-1` },
    { text: "the end.", hold: `${name}-2` },
  ];
  return [{ text: chunks }];
}

const COLOURS = {
  question: "Which colour?",
  header: "Colour",
  options: [
    { label: "Red", description: "warm" },
    { label: "Blue", description: "cold" },
  ],
};

/** The script that the tests of real clients play. Each `held` one is for one test: a name once released stays so. */
export const SCRIPT: Script = {
  title: "A scripted title",
  prompts: {
    "*": [{ text: "You said: {{prompt}}" }],
    command: [{ text: "I run it.", tools: [bash("echo it-ran")] }, { text: "It wrote: {{last_tool_result}}" }],
    twice: [
      { tools: [bash("echo it-ran")] },
      { tools: [bash("echo it-ran")] },
      { text: "Twice it wrote: {{last_tool_result}}" },
    ],
    edit: [
      { text: "I read it.", tools: [readFile("README.md")] },
      { text: "I change it.", tools: [editFile("README.md", "Last line.", "Last line.\nAdded line.")] },
      { text: "Changed." },
    ],
    question: [
      { tools: [{ name: "question", input: { questions: [COLOURS] } }] },
      { text: "You chose: {{last_tool_result /(Red|Blue)/}}" },
    ],
    think: [{ reasoning: "I think first.", text: "Then I say it." }],
    broken: [{ fail: { status: 400, message: "No such thing." } }],
    stream: held("stream"),
    abort: held("abort"),
    cut: held("cut"),
    gap: held("gap"),
    web: held("web"),
  },
};

/** A project in which native OpenCode asks where Parley's own agent does. */
export const FILES = {
  "README.md": "# Project\n\nLast line.\n",
  "opencode.json": JSON.stringify({ permission: { edit: "ask", bash: "ask" } }),
};
