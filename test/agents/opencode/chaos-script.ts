import type { Script } from "../../../src/testing/model/script.ts";
import { bash, edit, question, read, task, todos, write } from "./tools.ts";

const LONG = Array.from({ length: 60 }, (_, index) => `word ${index}, `);

/** Turns of all kinds, without one that waits for a test. */
export const CHAOS_SCRIPT: Script = {
  pace: 4,
  prompts: {
    "*": [{ text: "You said: {{prompt}}" }],
    long: [{ text: LONG }],
    think: [{ reasoning: "First I think about it for a while.", text: "Then I say it." }],
    read: [{ text: "I look.", tools: [read("README.md")] }, { text: "I have seen it." }],
    write: [
      { text: "I write.", tools: [write("new.txt", "words\n")] },
      { reasoning: "It worked.", text: "I change it.", tools: [edit("new.txt", "words", "other words")] },
      { text: "Written." },
    ],
    shell: [
      { text: "I run it.", tools: [bash("for i in 1 2 3 4; do echo line $i; sleep 0.05; done")] },
      { text: "It ran." },
    ],
    many: [
      { text: "All at once.", tools: [bash("echo one"), read("README.md"), bash("exit 3")] },
      { text: "All done." },
    ],
    wrong: [{ tools: [read("missing.txt"), { name: "nosuchtool", input: {} }] }, { text: "That failed." }],
    plan: [{ tools: [todos(["First", "in_progress"], ["Second", "pending"])] }, { text: "Planned." }],
    delegate: [
      { text: "I delegate.", tools: [task("Child work", "[[child]] look around")] },
      { text: "It came back." },
    ],
    child: [
      { reasoning: "I am the child.", text: "Child looks.", tools: [read("README.md")] },
      { text: "Child has seen it." },
    ],
    colour: [{ tools: [question("Which colour?", "Red", "Blue")] }, { text: "A good choice." }],
    empty: [{ stop: "end" }],
    broken: [{ fail: { status: 400, message: "No such thing." } }],
    again: [{ fail: { status: 429, retryAfter: 1, times: 1 }, text: "At last." }],
  },
};

/** The markers of the script that prompts may have. */
export const MARKERS = Object.keys(CHAOS_SCRIPT.prompts ?? {}).filter((name) => name !== "*" && name !== "child");
