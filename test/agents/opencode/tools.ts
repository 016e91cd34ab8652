import type { Tool } from "../../../src/testing/model/script.ts";

/** Calls of OpenCode's tools, as a model makes them. */

export const bash = (command: string): Tool => ({ name: "bash", input: { command, description: command } });

export const read = (path: string): Tool => ({ name: "read", input: { filePath: `{{directory}}/${path}` } });

export const write = (path: string, content: string): Tool => ({
  name: "write",
  input: { filePath: `{{directory}}/${path}`, content },
});

export const edit = (path: string, oldString: string, newString: string): Tool => ({
  name: "edit",
  input: { filePath: `{{directory}}/${path}`, oldString, newString },
});

export const todos = (...entries: [content: string, status: string][]): Tool => ({
  name: "todowrite",
  input: { todos: entries.map(([content, status]) => ({ content, status, priority: "medium" })) },
});

/** A sub-agent with a prompt of its own: the marker in it chooses its scenario. */
export const task = (description: string, prompt: string): Tool => ({
  name: "task",
  input: { description, prompt, subagent_type: "general" },
});

export const question = (words: string, ...labels: string[]): Tool => ({
  name: "question",
  input: {
    questions: [
      { question: words, header: "A choice", options: labels.map((label) => ({ label, description: label })) },
    ],
  },
});

/** A command that goes on until the file is there, or for ever. */
export const until = (file: string): string => `echo begun; while [ ! -e ${file} ]; do sleep 0.05; done; echo over`;
