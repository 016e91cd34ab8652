import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Script } from "../../../src/testing/model/script.ts";
import { completed, Stage } from "../../agents/codex/stage.ts";
import { question, questions, run, until } from "../../agents/codex/tools.ts";
import { answerEach, endEach, Seat, textOf } from "../../support/opencode/seat.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, long } from "../../support/time.ts";

const { program = "", skip } = await realAgent("codex");

const SCRIPT: Script = {
  prompts: {
    "*": [{ text: "You said: {{prompt}}" }],
    touch: [{ tools: [run("touch made.txt")] }, { text: "It went on." }],
    ask: [
      { tools: [questions(question("colour", "Which colour?", "Red", "Blue"))] },
      { text: "It said: {{last_tool_result}}" },
    ],
    slow: [{ text: ["The first word, ", { text: "and the last.", hold: "never" }] }],
    long: [{ tools: [run(until("never"))] }, { text: "Woke up." }],
    broken: [{ fail: { status: 400, message: "a bad request" } }],
  },
};
const MODES = { asks: "ask", wonders: "plan", runs: "full-access" };

describe("the real Codex through OpenCode's API", { skip, timeout: GROUP_MS }, () => {
  test("A5: a permission allowed, one refused, a question, each turn busy once and idle once", async (t) => {
    await answerEach(await Seat.take(await Stage.open(t, program, { script: SCRIPT })), MODES);
  });

  test("A6: an abort in the middle of words and of a command, an error, and the program's death", long, async (t) => {
    await endEach(await Seat.take(await Stage.open(t, program, { script: SCRIPT })), MODES);
  });

  test(
    "two clients on one session, of either surface: both are told the same, and the first answer counts",
    long,
    async (t) => {
      const stage = await Stage.open(t, program, { script: SCRIPT });
      const seat = await Seat.take(stage);
      await seat.prompt("[[touch]]", MODES.asks);
      const asked = await seat.asked("permission.asked");
      const [ask] = await stage.asks(seat.session);
      assert.equal(ask?.id, asked.properties.id);
      await stage.answer(seat.session, ask?.id ?? "", { outcome: "once" });
      await stage.api.refused("already_answered", "POST", `/v1/sessions/${seat.session}/asks/${ask?.id}`, {
        outcome: "reject",
      });
      assert.equal(textOf(await seat.over()), "It went on.");
      await seat.prompt("of one");
      const { text } = await stage.api.ask(seat.session, "of the other");
      assert.equal(text, "You said: of the other", "the second waits for the first");
      await stage.nth("turn.ended", 3);
      const said = completed(await stage.api.events(seat.session), "message").map((item) => item.text);
      assert.deepEqual(said.slice(-4), ["of one", "You said: of one", "of the other", "You said: of the other"]);
      await seat.listener.leave();
      await stage.close(3);
    },
  );
});
