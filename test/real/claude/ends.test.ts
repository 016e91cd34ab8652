import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { completed, of, Stage } from "../../agents/claude/stage.ts";
import { eventually } from "../../support/eventually.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, long } from "../../support/time.ts";

const { program = "", skip } = await realAgent("claude");

const bash = (command: string, more: object = {}) => ({
  name: "Bash",
  input: { command, description: "work", ...more },
});

describe("ends of turns of the real Claude Code", { skip, timeout: GROUP_MS }, () => {
  test("an interrupt in the middle of a stream; the next turn works in the same process", async (t) => {
    const stage = await Stage.open(t, program, {
      script: {
        prompts: { "*": [{ text: "Fresh." }], slow: [{ text: ["Half an ans", { text: "wer.", hold: "gate" }] }] },
      },
    });
    const id = await stage.session();
    const running = stage.api.ask(id, "[[slow]]");
    await stage.nth("item.delta", 1);
    const before = stage.programs();
    await stage.api.cancel(id);
    assert.equal((await running).reason, "cancelled");
    assert.equal((await stage.api.ask(id, "again")).text, "Fresh.");
    assert.deepEqual(stage.programs(), before);
    await stage.close(2);
  });

  test("an interrupt in the middle of a command ends the command, too", long, async (t) => {
    const stage = await Stage.open(t, program, {
      script: { prompts: { sleep: [{ tools: [bash("touch started; sleep 300")] }, { text: "Never." }] } },
    });
    const id = await stage.session({ mode: "acceptEdits" });
    const running = stage.api.ask(id, "[[sleep]]");
    await eventually("the command runs", () => existsSync(join(stage.directory, "started")));
    assert.ok(stage.processes().length > 1, "the program and its shell");
    await stage.api.cancel(id);
    assert.equal((await running).reason, "cancelled");
    await eventually("the shell is gone", () => stage.processes().length === 1);
    const [call] = completed(await stage.api.events(id), "tool_call");
    assert.equal(call?.status, "failed");
    await stage.close(1);
  });

  test("an interrupt while it asks withdraws the ask", long, async (t) => {
    const stage = await Stage.open(t, program, {
      script: { prompts: { touch: [{ tools: [bash("touch never.txt")] }, { text: "Never." }] } },
    });
    const id = await stage.session();
    const running = stage.api.ask(id, "[[touch]]");
    await stage.asks(id);
    await stage.api.cancel(id);
    assert.equal((await running).reason, "cancelled");
    assert.deepEqual(await stage.api.asks(id), []);
    assert.equal(existsSync(join(stage.directory, "never.txt")), false);
    await stage.close(1);
  });

  test("words for a running turn: taken up by it, and taken back with it", async (t) => {
    const stage = await Stage.open(t, program, {
      script: {
        prompts: {
          "*": [{ text: "Heard: {{prompt}}" }],
          slow: [{ text: ["Slow", { text: "ly.", hold: "gate" }] }],
          stuck: [{ text: ["Stu", { text: "ck.", hold: "never" }] }],
        },
      },
    });
    const id = await stage.session();
    const running = stage.api.ask(id, "[[slow]]");
    await stage.nth("item.delta", 1);
    await stage.api.prompt(id, { text: "and this", delivery: "steer" });
    stage.model.release("gate");
    const { text, reason } = await running;
    assert.deepEqual([text, reason], ["Heard: and this", "end_turn"]);

    const stuck = stage.api.ask(id, "[[stuck]]");
    await stage.nth("item.delta", 1, ({ data }) => data.delta?.startsWith("Stu") === true);
    await stage.api.prompt(id, { text: "never said", delivery: "steer" });
    await stage.api.cancel(id);
    assert.equal((await stuck).reason, "cancelled");
    const calls = stage.calls().length;
    assert.equal((await stage.api.ask(id, "last")).reason, "end_turn");
    assert.equal(stage.calls().length, calls + 1, "what was queued did not run");
    await stage.close(3);
  });

  test("retries are told, and the turn goes on after them", long, async (t) => {
    const stage = await Stage.open(t, program, {
      script: { prompts: { busy: [{ fail: { status: 529, message: "Overloaded", times: 2 }, text: "At last." }] } },
    });
    const id = await stage.session();
    assert.equal((await stage.api.ask(id, "[[busy]]")).text, "At last.");
    const states = of(await stage.api.events(id), "turn.status").map(({ data }) => data.status);
    assert.deepEqual(states, ["retrying", "retrying", "running"]);
    await stage.close(1);
  });

  test("a wrong key is one error, after as many retries as are wanted", long, async (t) => {
    const stage = await Stage.open(t, program, {
      script: { prompts: { "*": [{ text: "Fine." }], wrong: [{ fail: { status: 401, message: "No such key." } }] } },
      env: { CLAUDE_CODE_MAX_RETRIES: "0" },
    });
    const id = await stage.session();
    const outcome = await stage.api.ask(id, "[[wrong]]");
    assert.equal(outcome.reason, "error");
    assert.equal(outcome.error?.code, "model_auth");
    assert.match(outcome.error?.message ?? "", /401/);
    assert.equal(of(await stage.api.events(id), "error").length, 1);
    await stage.close(1);
  });

  test("a cut stream: the half answer is taken back, the whole one is said", async (t) => {
    const stage = await Stage.open(t, program, {
      // The cut waits until the words before it were told: of words that come with the cut the program says nothing.
      script: {
        prompts: {
          cut: [
            {
              fail: { cut: "text", times: 1 },
              text: ["A whole ", "answer ", { text: "of ", hold: "gate" }, "several ", "words", "."],
            },
          ],
        },
      },
    });
    const id = await stage.session();
    const asked = stage.api.ask(id, "[[cut]]");
    await stage.nth(
      "item.delta",
      1,
      ({ data }) => data.role === "assistant" && data.delta?.includes("answer") === true,
    );
    stage.model.release("gate");
    const outcome = await asked;
    assert.deepEqual([outcome.reason, outcome.text], ["end_turn", "A whole answer of several words."]);
    const states = completed(await stage.api.events(id), "message").map((item) => item.status);
    assert.deepEqual(states, ["completed", "retracted", "completed"]);
    await stage.close(1);
  });

  test("killed in the middle of a command: one error, no shell is left, and the next prompt goes on", async (t) => {
    const stage = await Stage.open(t, program, {
      script: {
        prompts: {
          "*": [{ text: "Still here." }],
          sleep: [{ text: "I sleep.", tools: [bash("touch started; sleep 300")] }, { text: "Never." }],
        },
      },
    });
    const id = await stage.session({ mode: "acceptEdits" });
    const running = stage.api.ask(id, "[[sleep]]");
    await eventually("the command runs", () => existsSync(join(stage.directory, "started")));
    const native = (await stage.api.session(id)).nativeId;
    const [victim] = stage.programs();
    assert.ok(victim);
    process.kill(victim, "SIGKILL");
    const outcome = await running;
    assert.deepEqual([outcome.reason, outcome.error?.code], ["error", "agent_exited"]);
    assert.match(outcome.error?.message ?? "", /SIGKILL/);
    await eventually("the shell is gone", () => stage.processes().length === 0);
    assert.equal((await stage.api.ask(id, "go on")).text, "Still here.");
    assert.equal((await stage.api.session(id)).nativeId, native);
    await stage.close(2);
  });

  test("a command in the background: its end is a turn of the agent's own", async (t) => {
    const stage = await Stage.open(t, program, {
      script: {
        prompts: {
          "*": [{ text: "I see that it is over." }],
          later: [{ tools: [bash("sleep 1; echo over", { run_in_background: true })] }, { text: "It runs." }],
        },
      },
    });
    const id = await stage.session();
    assert.equal((await stage.api.ask(id, "[[later]]")).reason, "end_turn");
    await stage.watcher.untilIdle(2);
    const events = await stage.api.events(id);
    assert.deepEqual(
      of(events, "turn.started").map(({ data }) => data.by),
      ["user", "agent"],
    );
    assert.ok(of(events, "session.note").some(({ data }) => data.done === true));
    await stage.close(2);
  });

  test("the mode without permissions says why it is refused to root", async (t) => {
    if (process.getuid?.() !== 0) return t.skip("only root is refused");
    const stage = await Stage.open(t, program, { script: { prompts: { "*": [{ text: "Yes." }] } } });
    const id = await stage.session({ mode: "bypassPermissions" });
    const outcome = await stage.api.ask(id, "go");
    assert.equal(outcome.reason, "error");
    assert.match(outcome.error?.message ?? "", /as root: run Parley as another user, or set IS_SANDBOX=1/);
    await stage.close(1);
  });
});
