import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { completed, of, Stage } from "../../agents/codex/stage.ts";
import { run, until } from "../../agents/codex/tools.ts";
import { eventually } from "../../support/eventually.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, long } from "../../support/time.ts";

const { program = "", skip } = await realAgent("codex");

const runs = (stage: Stage): Promise<void> =>
  eventually("the command runs", () => existsSync(join(stage.directory, "started")));

describe("ends of turns of the real Codex", { skip, timeout: GROUP_MS }, () => {
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
    const [half] = completed(await stage.api.events(id), "message").filter(({ role }) => role === "assistant");
    assert.deepEqual([half?.status, half?.text], ["interrupted", "Half an ans"]);
    assert.equal((await stage.api.ask(id, "again")).text, "Fresh.");
    assert.deepEqual(stage.programs(), before);
    await stage.close(2);
  });

  test(
    "an interrupt in the middle of a command ends the command, too; the next turn works in the same process",
    long,
    async (t) => {
      const stage = await Stage.open(t, program, {
        script: { prompts: { "*": [{ text: "Fresh." }], sleep: [{ tools: [run(until("go"))] }, { text: "Never." }] } },
      });
      const id = await stage.session({ mode: "full-access" });
      const running = stage.api.ask(id, "[[sleep]]");
      // The program tells of a command a moment after it was begun, and of one that is stopped before that never.
      await stage.nth("item.started", 1, ({ data }) => data.item.kind === "tool_call");
      await runs(stage);
      const before = stage.programs();
      assert.ok(stage.processes().length > 1, "the program and its shell");
      await stage.api.cancel(id);
      assert.equal((await running).reason, "cancelled");
      await eventually("the shell is gone", () => stage.processes().length === 1);
      const [call] = completed(await stage.api.events(id), "tool_call");
      assert.equal(call?.status, "failed");
      assert.equal((await stage.api.ask(id, "again")).text, "Fresh.");
      assert.deepEqual(stage.programs(), before);
      await stage.close(2);
    },
  );

  test("an interrupt while it asks withdraws the ask", long, async (t) => {
    const stage = await Stage.open(t, program, {
      script: { prompts: { touch: [{ tools: [run("touch never.txt")] }, { text: "Never." }] } },
    });
    const id = await stage.session({ mode: "ask" });
    const running = stage.api.ask(id, "[[touch]]");
    await stage.asks(id);
    await stage.api.cancel(id);
    assert.equal((await running).reason, "cancelled");
    assert.deepEqual(await stage.api.asks(id), []);
    const [call] = completed(await stage.api.events(id), "tool_call");
    assert.equal(call?.status, "failed");
    assert.equal(existsSync(join(stage.directory, "never.txt")), false);
    await stage.close(1);
  });

  test("words for a running turn: while text streams, while a command runs, and taken back with a cancel", async (t) => {
    const stage = await Stage.open(t, program, {
      script: {
        prompts: {
          "*": [{ text: "Heard: {{prompt}}" }],
          slow: [{ text: ["Slow", { text: "ly.", hold: "gate" }] }],
          work: [{ tools: [run(until("go"))] }, { text: "Never." }],
          stuck: [{ text: ["Stu", { text: "ck.", hold: "never" }] }],
        },
      },
    });
    const id = await stage.session({ mode: "full-access" });
    const running = stage.api.ask(id, "[[slow]]");
    await stage.nth("item.delta", 1);
    await stage.api.prompt(id, { text: "and this", delivery: "steer" });
    const { text, reason } = await running;
    assert.deepEqual([text, reason], ["Heard: and this", "end_turn"]);

    const working = stage.api.ask(id, "[[work]]");
    await runs(stage);
    await stage.api.prompt(id, { text: "and that", delivery: "steer" });
    writeFileSync(join(stage.directory, "go"), "");
    assert.equal((await working).text, "Heard: and that");
    const [call] = completed(await stage.api.events(id), "tool_call");
    assert.equal(call?.status, "completed", "the command was let be");

    const stuck = stage.api.ask(id, "[[stuck]]");
    await stage.nth("item.delta", 1, ({ data }) => data.delta?.startsWith("Stu") === true);
    await stage.api.cancel(id);
    assert.equal((await stuck).reason, "cancelled");
    assert.equal((await stage.api.ask(id, "last")).text, "Heard: last");
    await stage.close(4);
  });

  test("retries are told, and the turn goes on after them: 500, 429, a cut stream", long, async (t) => {
    const whole = "A whole answer of several words.";
    const stage = await Stage.open(t, program, {
      // Each word has time to be told before the next: of words that come with the cut the program says nothing.
      script: {
        pace: 50,
        prompts: {
          broken: [{ fail: { status: 500, times: 2 }, text: "At last." }],
          busy: [{ fail: { status: 429, retryAfter: 1, times: 1 }, text: "At last." }],
          cut: [{ fail: { cut: "text", times: 1 }, text: whole }],
        },
      },
    });
    const id = await stage.session();
    const statuses = async (): Promise<string[]> =>
      of(await stage.api.events(id), "turn.status").map(({ data }) => data.status);
    assert.equal((await stage.api.ask(id, "[[broken]]")).text, "At last.");
    assert.deepEqual(await statuses(), ["retrying", "retrying", "running"]);
    assert.equal((await stage.api.ask(id, "[[busy]]")).text, "At last.");
    assert.deepEqual((await statuses()).slice(3), ["retrying", "running"]);
    const outcome = await stage.api.ask(id, "[[cut]]");
    assert.deepEqual([outcome.reason, outcome.text], ["end_turn", whole]);
    assert.deepEqual((await statuses()).slice(5), ["retrying", "running"]);
    const states = completed(await stage.api.events(id), "message").map((item) => item.status);
    assert.deepEqual(states.slice(-3), ["completed", "retracted", "completed"]);
    await stage.close(3);
  });

  test("each error of the model ends its turn once, with its code, and the next turn works", async (t) => {
    const wrongs = {
      bad: [{ status: 400, message: "a bad request" }, "model_failed", /a bad request/],
      wrong: [{ status: 401, message: "No such key." }, "model_auth", /No such key/],
      gone: [{ status: 404, message: "No such model." }, "model_not_found", /No such model/],
      full: [{ error: "context_length_exceeded", message: "too long" }, "context_full", /context window/],
      spent: [{ status: 429, type: "insufficient_quota", code: "insufficient_quota" }, "model_rate_limited", /Quota/],
      down: [{ status: 500 }, "model_failed", /high demand/],
    } as const;
    const failing = Object.entries(wrongs).map(([name, [fail]]) => [name, [{ fail }]]);
    const stage = await Stage.open(t, program, {
      script: { prompts: { "*": [{ text: "Fine." }], ...Object.fromEntries(failing) } },
      config: { "model_providers.scripted.stream_max_retries": 0 },
    });
    const id = await stage.session();
    for (const [at, [name, [, code, words]]] of Object.entries(wrongs).entries()) {
      const outcome = await stage.api.ask(id, `[[${name}]]`);
      assert.deepEqual([name, outcome.reason, outcome.error?.code], [name, "error", code]);
      assert.match(outcome.error?.message ?? "", words);
      assert.equal(of(await stage.api.events(id), "error").length, at + 1);
    }
    assert.equal((await stage.api.ask(id, "hello")).text, "Fine.");
    await stage.close(Object.keys(wrongs).length + 1);
  });

  test("killed in the middle of a command: one error, no shell is left, and the next prompt goes on", async (t) => {
    const stage = await Stage.open(t, program, {
      script: {
        prompts: {
          "*": [{ text: "Still here." }],
          sleep: [{ text: "I sleep.", tools: [run(until("go"))] }, { text: "Never." }],
        },
      },
    });
    const id = await stage.session({ mode: "full-access" });
    await stage.api.ask(id, "first");
    const running = stage.api.ask(id, "[[sleep]]");
    await runs(stage);
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
    assert.deepEqual(stage.remembered().slice(0, 3), ["first", "Still here.", "[[sleep]]"]);
    await stage.close(3);
  });

  test("law 10: a command that outlives its turn ends as a note, and makes nobody busy", async (t) => {
    const stage = await Stage.open(t, program, {
      script: {
        prompts: {
          "*": [{ text: "Fine." }],
          later: [{ tools: [run(`${until("go")}; echo over`, { yield_time_ms: 250 })] }, { text: "It runs." }],
        },
      },
    });
    const id = await stage.session({ mode: "full-access" });
    assert.equal((await stage.api.ask(id, "[[later]]")).text, "It runs.");
    const [call] = completed(await stage.api.events(id), "tool_call");
    assert.deepEqual([call?.status, call?.background], ["completed", true]);
    writeFileSync(join(stage.directory, "go"), "");
    const note = await stage.nth("session.note", 1, ({ data }) => data.done === true);
    assert.match(String(note.data.text), /over/);
    assert.equal(note.turn, undefined);
    assert.equal((await stage.api.ask(id, "hello")).text, "Fine.");
    await stage.close(2);
  });
});
