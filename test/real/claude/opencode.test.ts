import { describe, test } from "node:test";
import type { Script } from "../../../src/testing/model/script.ts";
import { Stage } from "../../agents/claude/stage.ts";
import { answerEach, endEach, Seat } from "../../support/opencode/seat.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS } from "../../support/time.ts";

const { program = "", skip } = await realAgent("claude");

const bash = (command: string) => ({ name: "Bash", input: { command, description: command } });
const question = {
  question: "Which colour?",
  header: "Colour",
  options: [
    { label: "Red", description: "warm" },
    { label: "Blue", description: "cold" },
  ],
  multiSelect: false,
};

const SCRIPT: Script = {
  prompts: {
    "*": [{ text: "You said: {{prompt}}" }],
    touch: [{ tools: [bash("touch made.txt")] }, { text: "It went on." }],
    ask: [
      { tools: [{ name: "AskUserQuestion", input: { questions: [question] } }] },
      { text: "It said: {{last_tool_result}}" },
    ],
    slow: [{ text: Array.from({ length: 200 }, (_, n) => ({ text: `word${n} `, delay: 100 })) }],
    long: [{ tools: [bash("sleep 60")] }, { text: "Woke up." }],
    broken: [{ fail: { status: 400, message: "a bad request" } }],
  },
};

describe("the real Claude Code through OpenCode's API", { skip, timeout: GROUP_MS }, () => {
  test("A5: a permission allowed, one refused, a question, each turn busy once and idle once", async (t) => {
    await answerEach(await Seat.take(await Stage.open(t, program, { script: SCRIPT })));
  });

  test("A6: an abort in the middle of words and of a command, an error, and the program's death", async (t) => {
    // The program itself takes the command for harmless, and asks nobody.
    await endEach(await Seat.take(await Stage.open(t, program, { script: SCRIPT })));
  });
});
