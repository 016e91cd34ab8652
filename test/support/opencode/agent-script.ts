import type { Script } from "../../../src/testing/model/script.ts";
import { bash, edit, question, read, task, todos, until, write } from "../../agents/opencode/tools.ts";

/** The script that OpenCode plays behind Parley, and beside it. A name of a hold is for one test: once released, it stays so. */
export const SCRIPT: Script = {
  title: "A scripted title",
  prompts: {
    "*": [{ text: "You said: {{prompt}}" }],
    stream: [{ text: ["A first word ", { text: "and the rest.", hold: "stream" }] }],
    stop: [{ text: ["A stopped word ", { text: "and no more.", hold: "stop" }] }],
    busy: [{ text: ["Busy now ", { text: "and no more.", hold: "busy" }] }],
    cut: [{ text: ["Before the cut ", { text: "and after it.", hold: "cut" }] }],
    touch: [{ text: "I run it.", tools: [bash("touch made.txt")] }, { text: "Touched it." }],
    twice: [{ tools: [bash("echo one")] }, { tools: [bash("echo two")] }, { text: "Both ran." }],
    fails: [{ tools: [bash("stat nowhere.txt")] }, { text: "It failed." }],
    live: [{ tools: [bash(until("go.txt"))] }, { text: "It is over." }],
    long: [{ tools: [bash(until("never.txt"))] }, { text: "Not said." }],
    edit: [
      { text: "I read it.", tools: [read("README.md")] },
      { text: "I change it.", tools: [edit("README.md", "hello", "hello\nadded")] },
      { text: "Changed." },
    ],
    write: [{ tools: [write("new.txt", "one\ntwo\n")] }, { text: "Written." }],
    question: [
      { tools: [question("Which colour?", "Red", "Blue")] },
      { text: "You chose: {{last_tool_result /(Red|Blue)/}}" },
    ],
    think: [{ reasoning: "I think first.", text: "Then I say it." }],
    broken: [{ fail: { status: 400, message: "No such thing." } }],
    todo: [{ tools: [todos(["First thing", "in_progress"], ["Second thing", "pending"])] }, { text: "Listed." }],
    main: [{ text: "I delegate.", tools: [task("Look around", "[[sub]] look")] }, { text: "All is done." }],
    sub: [{ tools: [bash("mkdir looked")] }, { text: "Looked." }],
    missing: [{ tools: [read("nope.txt")] }, { text: "Not there." }],
    badtool: [{ tools: [{ name: "nosuch", input: { a: 1 } }] }, { text: "So be it." }],
  },
};

/** OpenCode itself asks before it changes files and runs commands, and has an agent of the user's. */
export const CONFIG = {
  permission: { edit: "ask", bash: "ask" },
  agent: { reviewer: { mode: "primary", description: "Reviews", prompt: "You review." } },
  command: { hello: { template: "Say hello to $ARGUMENTS", description: "Says hello" } },
} as const;

/** A command of the project, which Parley takes where the project is trusted. */
export const PROJECT = {
  ".opencode/command/greet.md": "---\ndescription: Greets somebody\n---\nGreet $ARGUMENTS\n",
};
