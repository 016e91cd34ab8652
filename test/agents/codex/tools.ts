import type { Tool } from "../../../src/testing/model/script.ts";

/** A call that runs a command. It waits for the command for a while, and then leaves it running. */
export function run(cmd: string, more: { yield_time_ms?: number } & Record<string, unknown> = {}): Tool {
  return { name: "exec_command", input: { cmd, yield_time_ms: 30_000, ...more } };
}

/** A call that writes a new file. */
export function write(name: string, words: string): Tool {
  return patch(`*** Add File: ${name}\n+${words}\n`);
}

/** A call that adds a line after another one. */
export function addLine(name: string, after: string, line: string): Tool {
  return patch(`*** Update File: ${name}\n@@\n ${after}\n+${line}\n`);
}

function patch(change: string): Tool {
  return { name: "apply_patch", input: `*** Begin Patch\n${change}*** End Patch\n` };
}

/** A command that goes on until the file is there, or for ever. */
export function until(name: string): string {
  return `touch started; while [ ! -e ${name} ]; do sleep 0.05; done`;
}

/** A question with options, as the tool takes it. */
export function question(id: string, words: string, ...labels: string[]): object {
  return { id, header: id, question: words, options: labels.map((label) => ({ label, description: label })) };
}

export function questions(...asked: object[]): Tool {
  return { name: "request_user_input", input: { questions: asked } };
}
