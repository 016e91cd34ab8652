import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { completed, of, Stage } from "../../agents/claude/stage.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, long } from "../../support/time.ts";

const { program = "", skip } = await realAgent("claude");

const bash = (command: string) => ({ name: "Bash", input: { command, description: command } });

describe("asks of the real Claude Code", { skip, timeout: GROUP_MS }, () => {
  test("a permission rejected, with words for the model and without", async (t) => {
    const stage = await Stage.open(t, program, {
      script: {
        prompts: { touch: [{ tools: [bash("touch made.txt")] }, { text: "It said: {{last_tool_result}}" }] },
      },
    });
    const id = await stage.session();
    const first = stage.api.ask(id, "[[touch]]");
    const [ask] = await stage.asks(id);
    await stage.answer(id, ask?.id ?? "", { outcome: "reject", feedback: "use another name" });
    assert.equal((await first).text, "It said: use another name");
    const second = stage.api.ask(id, "[[touch]]");
    const [again] = await stage.asks(id);
    await stage.answer(id, again?.id ?? "", { outcome: "reject" });
    assert.match((await second).text, /does not want this tool call/);
    assert.equal(existsSync(join(stage.directory, "made.txt")), false);
    const calls = completed(await stage.api.events(id), "tool_call");
    assert.deepEqual(
      calls.map((item) => [item.status, (item.error as { code: string } | undefined)?.code]),
      [
        ["failed", "rejected"],
        ["failed", "rejected"],
      ],
    );
    await stage.close(2);
  });

  test("an ask for an edit shows its diff, with the line numbers of the file", async (t) => {
    const lines = Array.from({ length: 60 }, (_, at) => `line ${at + 1}\n`);
    const change = {
      name: "Edit",
      input: { file_path: "{{directory}}/a.txt", old_string: "line 40", new_string: "forty" },
    };
    const read = { name: "Read", input: { file_path: "{{directory}}/a.txt" } };
    const stage = await Stage.open(t, program, {
      script: { prompts: { edit: [{ tools: [read] }, { tools: [change] }, { text: "Done." }] } },
    });
    writeFileSync(join(stage.directory, "a.txt"), lines.join(""));
    const id = await stage.session();
    const turn = stage.api.ask(id, "[[edit]]");
    const [ask] = await stage.asks(id);
    assert.ok(ask?.kind === "permission");
    const around = (sign: string): string => `@@ -37,7 +37,7 @@\n line 37\n line 38\n line 39\n${sign}`;
    const shown = `--- a/a.txt\n+++ b/a.txt\n${around("-line 40\n+forty\n")} line 41\n line 42\n line 43\n`;
    assert.equal(ask.request.metadata?.diff, shown);
    await stage.answer(id, ask.id, { outcome: "once" });
    assert.equal((await turn).text, "Done.");
    const [made] = completed(await stage.api.events(id), "tool_result").flatMap(({ files }) => files ?? []) as {
      diff: string;
    }[];
    assert.equal(made?.diff, shown, "the ask showed what was done");
    await stage.close(1);
  });

  test("a refusal that is the last word ends the turn, and the next one is like any other", long, async (t) => {
    const stage = await Stage.open(t, program, {
      script: { prompts: { touch: [{ tools: [bash("touch made.txt")] }, { text: "It went on." }] } },
    });
    const id = await stage.session();
    const first = stage.api.ask(id, "[[touch]]");
    const [ask] = await stage.asks(id);
    await stage.answer(id, ask?.id ?? "", { outcome: "reject", stop: true });
    const { reason, text } = await first;
    assert.deepEqual([reason, text], ["end_turn", ""]);
    assert.equal(existsSync(join(stage.directory, "made.txt")), false);
    const second = stage.api.ask(id, "[[touch]]");
    const [again] = await stage.asks(id);
    await stage.answer(id, again?.id ?? "", { outcome: "once" });
    assert.deepEqual([(await second).reason, (await second).text], ["end_turn", "It went on."]);
    await stage.close(2);
  });

  test("an always holds for the session and for no more than it says", async (t) => {
    const stage = await Stage.open(t, program, {
      script: {
        prompts: {
          one: [{ tools: [bash("touch one.txt")] }, { text: "Made." }],
          two: [{ tools: [bash("touch two.txt")] }, { text: "Made." }],
          other: [{ tools: [bash("touch three.txt && chmod 600 three.txt")] }, { text: "Asked." }],
        },
      },
    });
    const id = await stage.session();
    const first = stage.api.ask(id, "[[one]]");
    const [ask] = await stage.asks(id);
    assert.ok(ask?.kind === "permission");
    assert.deepEqual([ask.request.command, ask.request.patterns], ["touch one.txt", ["touch *"]]);
    await stage.answer(id, ask.id, { outcome: "always" });
    await first;
    assert.equal((await stage.api.ask(id, "[[two]]")).text, "Made.");
    assert.ok(existsSync(join(stage.directory, "two.txt")));
    assert.equal((await stage.api.session(id)).mode, "default", "the program's own suggestions are not followed");
    const third = stage.api.ask(id, "[[other]]");
    const [other] = await stage.asks(id);
    assert.ok(other?.kind === "permission");
    assert.deepEqual(other.request.patterns, ["touch *", "chmod 600 three.txt"]);
    await stage.answer(id, other.id, { outcome: "reject" });
    await third;
    const by = of(await stage.api.events(id), "permission.resolved").map(({ data }) => data.by);
    assert.deepEqual(by, ["client", "rule", "client"]);
    assert.equal(existsSync(join(stage.directory, ".claude", "settings.local.json")), false);
    await stage.close(3);
  });

  test("two at once, answered the other way round", long, async (t) => {
    const outside = mkdtempSync(join(tmpdir(), "parley-outside-"));
    t.after(() => rmSync(outside, { recursive: true }));
    for (const name of ["a.txt", "b.txt"]) writeFileSync(join(outside, name), `in ${name}\n`);
    const read = (name: string) => ({ name: "Read", input: { file_path: join(outside, name) } });
    const stage = await Stage.open(t, program, {
      script: { prompts: { both: [{ tools: [read("a.txt"), read("b.txt")] }, { text: "Done." }] } },
    });
    const id = await stage.session();
    const running = stage.api.ask(id, "[[both]]");
    const asks = await stage.asks(id, 2);
    for (const ask of asks.toReversed()) await stage.answer(id, ask.id, { outcome: "once" });
    assert.equal((await running).text, "Done.");
    const results = completed(await stage.api.events(id), "tool_result").map((item) => item.text);
    assert.match(results.join(), /in a\.txt/);
    assert.match(results.join(), /in b\.txt/);
    await stage.close(1);
  });

  test("questions: one, several, text of one's own, none", async (t) => {
    const options = (...labels: string[]) => labels.map((label) => ({ label, description: label }));
    const questions = [
      { question: "Which colour?", header: "Colour", options: options("Red", "Blue"), multiSelect: false },
      { question: "Which extras?", header: "Extras", options: options("A", "B", "C"), multiSelect: true },
      { question: "Which name?", header: "Name", options: options("X", "Y"), multiSelect: false },
    ];
    const stage = await Stage.open(t, program, {
      script: {
        prompts: {
          ask: [{ tools: [{ name: "AskUserQuestion", input: { questions } }] }, { text: "{{last_tool_result}}" }],
        },
      },
    });
    const id = await stage.session();
    const running = stage.api.ask(id, "[[ask]]");
    const [ask] = await stage.asks(id);
    assert.ok(ask?.kind === "question");
    assert.deepEqual(
      ask.request.questions.map((one) => [one.question, one.multiple, one.options.length]),
      [
        ["Which colour?", false, 2],
        ["Which extras?", true, 3],
        ["Which name?", false, 2],
      ],
    );
    await stage.answer(id, ask.id, { outcome: "answered", answers: [["Blue"], ["A", "C"], ["Zoë, my own"]] });
    const { text } = await running;
    for (const said of ['"Which colour?"="Blue"', '"Which extras?"="A, C"', '"Which name?"="Zoë, my own"'])
      assert.ok(text.includes(said), `${said} in ${text}`);
    const second = stage.api.ask(id, "[[ask]]");
    const [again] = await stage.asks(id);
    await stage.answer(id, again?.id ?? "", { outcome: "rejected", feedback: "not now" });
    assert.equal((await second).text, "not now");
    await stage.close(2);
  });

  test("a plan sent back, then approved, which leaves the plan mode", async (t) => {
    const plan = { name: "ExitPlanMode", input: { plan: "1. Edit README" } };
    const stage = await Stage.open(t, program, {
      script: { prompts: { plan: [{ tools: [plan] }, { tools: [plan] }, { text: "Off I go." }] } },
    });
    const id = await stage.session({ mode: "plan" });
    const running = stage.api.ask(id, "[[plan]]");
    const [ask] = await stage.asks(id);
    assert.ok(ask?.kind === "question");
    assert.equal(ask.request.kind, "plan");
    assert.equal(ask.request.questions[0]?.question, "1. Edit README");
    await stage.answer(id, ask.id, { outcome: "answered", answers: [["name the line"]] });
    const requested = await stage.nth("question.requested", 2);
    assert.match(JSON.stringify(stage.calls().at(-1)?.messages), /name the line/);
    assert.equal((await stage.api.session(id)).mode, "plan");
    await stage.answer(id, requested.data.ask, { outcome: "answered", answers: [["Approve"]] });
    assert.equal((await running).text, "Off I go.");
    assert.equal((await stage.api.session(id)).mode, "default");
    await stage.close(1);
  });
});
