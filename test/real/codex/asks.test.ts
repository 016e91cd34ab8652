import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { completed, of, Stage } from "../../agents/codex/stage.ts";
import { question, questions, run, write } from "../../agents/codex/tools.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, long } from "../../support/time.ts";

const { program = "", skip } = await realAgent("codex");

const failures = async (stage: Stage, session: string): Promise<unknown[]> =>
  completed(await stage.api.events(session), "tool_call").map((item) => [
    item.status,
    (item.error as { code: string } | undefined)?.code,
  ]);

describe("asks of the real Codex", { skip, timeout: GROUP_MS }, () => {
  test("a command and a change are refused, and the turn goes on; a last word ends it", async (t) => {
    const stage = await Stage.open(t, program, {
      script: {
        prompts: {
          touch: [{ tools: [run("touch made.txt")] }, { text: "It said: {{last_tool_result}}" }],
          write: [{ tools: [write("made.txt", "words")] }, { text: "It said: {{last_tool_result}}" }],
        },
      },
    });
    const id = await stage.session({ mode: "ask" });
    for (const [at, word] of ["touch", "write"].entries()) {
      const turn = stage.api.ask(id, `[[${word}]]`);
      const asked = await stage.nth("permission.requested", 2 * at + 1);
      await stage.answer(id, asked.data.ask, { outcome: "reject" });
      assert.match((await turn).text, /It said: .*reject/s);

      const last = stage.api.ask(id, `[[${word}]] again`);
      const again = await stage.nth("permission.requested", 2 * at + 2);
      await stage.answer(id, again.data.ask, { outcome: "reject", stop: true });
      const { reason, text } = await last;
      assert.deepEqual([reason, text], ["end_turn", ""]);
    }
    assert.equal(existsSync(join(stage.directory, "made.txt")), false);
    assert.deepEqual(await failures(stage, id), Array(4).fill(["failed", "rejected"]));
    const next = stage.api.ask(id, "[[touch]] at last");
    const allowed = await stage.nth("permission.requested", 5);
    await stage.answer(id, allowed.data.ask, { outcome: "once" });
    assert.equal((await next).reason, "end_turn");
    assert.ok(existsSync(join(stage.directory, "made.txt")));
    await stage.close(5);
  });

  test("words with a refusal reach the model", long, async (t) => {
    const stage = await Stage.open(t, program, {
      script: { prompts: { "*": [{ text: "Heard: {{prompt}}" }], touch: [{ tools: [run("touch made.txt")] }] } },
    });
    const id = await stage.session({ mode: "ask" });
    const turn = stage.api.ask(id, "[[touch]]");
    const [ask] = await stage.asks(id);
    await stage.answer(id, ask?.id ?? "", { outcome: "reject", feedback: "use another name" });
    assert.equal((await turn).reason, "end_turn");
    assert.match(JSON.stringify(stage.calls().at(-1)?.input), /use another name/);
    await stage.close(1);
  });

  test("an always holds for the session and for no more than it says", async (t) => {
    const stage = await Stage.open(t, program, {
      script: {
        prompts: {
          one: [{ tools: [run("touch one.txt")] }, { text: "Made." }],
          two: [{ tools: [run("touch two.txt")] }, { text: "Made." }],
          other: [{ tools: [run("touch three.txt && chmod 600 three.txt")] }, { text: "Asked." }],
        },
      },
    });
    const id = await stage.session({ mode: "ask" });
    const first = stage.api.ask(id, "[[one]]");
    const [ask] = await stage.asks(id);
    assert.ok(ask?.kind === "permission");
    assert.deepEqual([ask.request.command, ask.request.patterns], ["touch one.txt", ["touch *"]]);
    await stage.answer(id, ask.id, { outcome: "always" });
    await first;
    assert.equal((await stage.api.ask(id, "[[two]]")).text, "Made.");
    assert.ok(existsSync(join(stage.directory, "two.txt")));
    const third = stage.api.ask(id, "[[other]]");
    const other = await stage.nth("permission.requested", 1, ({ data }) => data.command?.includes("chmod") === true);
    await stage.answer(id, other.data.ask, { outcome: "reject" });
    await third;
    const by = of(await stage.api.events(id), "permission.resolved").map(({ data }) => data.by);
    assert.deepEqual(by, ["client", "rule", "client"]);
    assert.equal(existsSync(join(stage.home, ".codex", "rules")), false, "the program's own rules are not written");
    await stage.close(3);
  });

  test("two at once, answered the other way round", long, async (t) => {
    const stage = await Stage.open(t, program, {
      script: { prompts: { both: [{ tools: [run("echo in a"), run("echo in b")] }, { text: "Done." }] } },
    });
    const id = await stage.session({ mode: "ask" });
    const running = stage.api.ask(id, "[[both]]");
    const asks = await stage.asks(id, 2);
    for (const ask of asks.toReversed()) await stage.answer(id, ask.id, { outcome: "once" });
    assert.equal((await running).text, "Done.");
    const results = completed(await stage.api.events(id), "tool_result").map((item) => item.text);
    assert.deepEqual(results.toSorted(), ["in a\n", "in b\n"]);
    await stage.close(1);
  });

  test("work in the directory is not asked for in the mode auto, and work outside of it is", async (t) => {
    const outside = mkdtempSync(join(tmpdir(), "parley-outside-"));
    t.after(() => rmSync(outside, { recursive: true }));
    const target = join(outside, "made.txt");
    const escalated = { sandbox_permissions: "require_escalated", justification: "May I write there?" };
    const stage = await Stage.open(t, program, {
      script: {
        prompts: {
          inside: [{ tools: [run("echo words > inside.txt"), write("patched.txt", "words")] }, { text: "Done." }],
          patch: [{ tools: [write(target, "words")] }, { text: "Done." }],
          plain: [{ tools: [run(`sleep 0.2; echo no > ${target}`)] }, { text: "It said: {{last_tool_result}}" }],
          escalate: [{ tools: [run(`echo yes > ${target}`, escalated)] }, { text: "Done." }],
        },
      },
    });
    const id = await stage.session({ mode: "auto" });
    assert.equal((await stage.api.ask(id, "[[inside]]")).text, "Done.");
    for (const name of ["inside.txt", "patched.txt"])
      assert.equal(readFileSync(join(stage.directory, name), "utf8"), "words\n");
    assert.match((await stage.api.ask(id, "[[plain]]")).text, /Read-only file system/);
    assert.equal(of(await stage.api.events(id), "permission.requested").length, 0);

    const patching = stage.api.ask(id, "[[patch]]");
    const patch = await stage.nth("permission.requested", 1);
    assert.equal(patch.data.action, "edit");
    await stage.answer(id, patch.data.ask, { outcome: "reject" });
    await patching;
    assert.equal(existsSync(target), false);

    const escalating = stage.api.ask(id, "[[escalate]]");
    const wider = await stage.nth("permission.requested", 2);
    assert.match(JSON.stringify(wider.data), /May I write there\?/);
    await stage.answer(id, wider.data.ask, { outcome: "once" });
    await escalating;
    assert.equal(readFileSync(target, "utf8"), "yes\n");
    await stage.close(4);
  });

  test("questions: one, several, text of one's own, none", async (t) => {
    const asked = questions(
      question("colour", "Which colour?", "Red", "Blue"),
      question("name", "Which name?", "X", "Y"),
    );
    const stage = await Stage.open(t, program, {
      script: { prompts: { ask: [{ tools: [asked] }, { text: "{{last_tool_result}}" }] } },
    });
    const id = await stage.session({ mode: "plan" });
    const running = stage.api.ask(id, "[[ask]]");
    const [ask] = await stage.asks(id);
    assert.ok(ask?.kind === "question");
    assert.deepEqual(
      ask.request.questions.map((one) => [one.question, one.multiple, one.options.map(({ label }) => label)]),
      [
        ["Which colour?", false, ["Red", "Blue"]],
        ["Which name?", false, ["X", "Y"]],
      ],
    );
    await stage.answer(id, ask.id, { outcome: "answered", answers: [["Blue"], ["Zoë, my own"]] });
    assert.deepEqual(JSON.parse((await running).text), {
      answers: { colour: { answers: ["Blue"] }, name: { answers: ["Zoë, my own"] } },
    });
    const second = stage.api.ask(id, "[[ask]]");
    const [again] = await stage.asks(id);
    await stage.answer(id, again?.id ?? "", { outcome: "rejected" });
    assert.deepEqual(JSON.parse((await second).text), { answers: {} });
    await stage.close(2);
  });
});
