import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { completed, of, Stage } from "../../agents/codex/stage.ts";
import { run, write } from "../../agents/codex/tools.ts";
import { OpencodeClient } from "../../support/opencode.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, long } from "../../support/time.ts";

const { program = "", skip } = await realAgent("codex");

describe("modes, models and efforts of the real Codex", { skip, timeout: GROUP_MS }, () => {
  test("each mode asks as much as it says, from one turn to the next in the same process", async (t) => {
    const stage = await Stage.open(t, program, {
      script: { prompts: { write: [{ tools: [write("made.txt", "words")] }, { text: "Done." }] } },
    });
    const id = await stage.session({ mode: "full-access" });
    const made = (): boolean => existsSync(join(stage.directory, "made.txt"));
    const refused = async (mode: string, nth: number): Promise<void> => {
      const turn = stage.api.ask(id, { text: "[[write]]", mode });
      const asked = await stage.nth("permission.requested", nth);
      await stage.answer(id, asked.data.ask, { outcome: "reject" });
      await turn;
      assert.equal((await stage.api.session(id)).mode, mode);
    };
    await refused("ask", 1);
    const [pid] = stage.programs();
    await refused("read-only", 2);
    await refused("plan", 3);
    assert.equal(made(), false);
    await stage.api.ask(id, { text: "[[write]]", mode: "auto" });
    assert.ok(made());
    assert.deepEqual(stage.programs(), [pid]);
    assert.equal(of(await stage.api.events(id), "permission.requested").length, 3);
    await stage.api.refused("invalid", "POST", `/v1/sessions/${id}/prompts`, { text: "hi", mode: "of nobody" });
    await stage.close(4);
  });

  test("a plan is told as words, and its steps as they are done", async (t) => {
    const step = (a: string, b: string) => ({
      name: "update_plan",
      input: {
        plan: [
          { step: "Read", status: a },
          { step: "Edit", status: b },
        ],
      },
    });
    const stage = await Stage.open(t, program, {
      script: {
        prompts: {
          plan: [{ text: "Words.\n<proposed_plan>\n# The plan\n- edit\n</proposed_plan>\n" }],
          steps: [
            { tools: [step("in_progress", "pending")] },
            { tools: [step("completed", "in_progress")] },
            { text: "On it." },
          ],
        },
      },
      config: { "tools.update_plan.enabled": true },
    });
    const id = await stage.session({ mode: "plan" });
    await stage.api.ask(id, "[[plan]]");
    const said = completed(await stage.api.events(id), "message").map(({ text }) => String(text));
    assert.ok(said.some((text) => text.includes("# The plan")));
    assert.equal((await stage.api.ask(id, { text: "[[steps]]", mode: "auto" })).text, "On it.");
    const plans = of(await stage.api.events(id), "plan.updated").map(({ data }) => data.entries);
    assert.deepEqual(plans, [
      [
        { text: "Read", status: "in_progress" },
        { text: "Edit", status: "pending" },
      ],
      [
        { text: "Read", status: "completed" },
        { text: "Edit", status: "in_progress" },
      ],
    ]);
    await stage.close(2);
  });

  test("models and efforts of sessions, prompts and changes in between reach the model", async (t) => {
    const stage = await Stage.open(t, program, { script: { prompts: { "*": [{ text: "You said: {{prompt}}" }] } } });
    const id = await stage.session({ model: "gpt-6.1-sol", options: { effort: "low" } });
    await stage.api.ask(id, "one");
    const [pid] = stage.programs();
    await stage.api.ask(id, { text: "two", options: { effort: "high" } });
    await stage.api.expect(200, "PATCH", `/v1/sessions/${id}`, { model: "gpt-6-luna" });
    await stage.api.ask(id, { text: "three", options: { effort: "medium" } });
    const sent = stage.calls().map(({ model, reasoning }) => [model, reasoning?.effort]);
    assert.deepEqual(sent, [
      ["gpt-6.1-sol", "low"],
      ["gpt-6.1-sol", "high"],
      ["gpt-6-luna", "medium"],
    ]);
    assert.deepEqual(stage.remembered(), ["one", "You said: one", "two", "You said: two", "three"]);
    const { model, options } = await stage.api.session(id);
    assert.deepEqual([model, options], ["gpt-6-luna", { effort: "medium" }]);

    // A model that cannot go on from the words of the other gets a summary, which the other writes in the same turn.
    assert.equal((await stage.api.ask(id, { text: "four", model: "gpt-5.5" })).text, "You said: four");
    const models = stage.calls().map((call) => call.model);
    assert.deepEqual(models.slice(3), ["gpt-6-luna", "gpt-5.5"]);
    assert.ok(completed(await stage.api.events(id), "status").some(({ code }) => code === "compacted"));
    assert.deepEqual(stage.programs(), [pid]);
    await stage.close(4);
  });

  test("code mode: the calls of its script are calls like any others", long, async (t) => {
    const script = 'const { output } = await tools.exec_command({ cmd: "echo by a script" });\ntext(output);';
    const stage = await Stage.open(t, program, {
      script: { prompts: { code: [{ tools: [{ name: "exec", input: script }] }, { text: "Done." }] } },
    });
    const id = await stage.session({ model: "gpt-6.1-sol", mode: "full-access" });
    assert.equal((await stage.api.ask(id, "[[code]]")).text, "Done.");
    const events = await stage.api.events(id);
    assert.deepEqual(
      completed(events, "tool_call").map((item) => [item.name, item.title, item.status]),
      [["shell", "echo by a script", "completed"]],
    );
    assert.deepEqual(
      completed(events, "tool_result").map(({ text }) => text),
      ["by a script\n"],
    );
    await stage.close(1);
  });

  test("the variant of OpenCode's clients is the effort", long, async (t) => {
    const stage = await Stage.open(t, program, { script: { prompts: { "*": [{ text: "Yes." }] } } });
    const client = new OpencodeClient(stage.api.url);
    const query = `?directory=${encodeURIComponent(stage.directory)}`;
    const { id } = await client.expect<{ id: string }>(200, "POST", `/session${query}`, { body: {} });
    const prompt = (modelID: string, variant: string) =>
      client.expect<{ info: { variant?: string } }>(200, "POST", `/session/${id}/message`, {
        body: { parts: [{ type: "text", text: "hi" }], model: { providerID: "codex", modelID }, variant },
      });
    assert.equal((await prompt("gpt-5.5", "low")).info.variant, "low");
    assert.equal((await prompt("gpt-5.5", "xhigh")).info.variant, "xhigh");
    assert.deepEqual(
      stage.calls().map(({ reasoning }) => reasoning?.effort),
      ["low", "xhigh"],
    );
    await stage.close(2);
  });

  test("the default mode is what the user configured", async (t) => {
    const stage = await Stage.open(t, program, {
      script: { prompts: { touch: [{ tools: [run("touch made.txt")] }, { text: "Done." }] } },
      config: { approval_policy: "never", sandbox_mode: "read-only" },
    });
    const id = await stage.session();
    assert.equal((await stage.api.ask(id, "[[touch]]")).text, "Done.");
    assert.equal(existsSync(join(stage.directory, "made.txt")), false, "the user's own settings are the default mode");
    assert.equal(of(await stage.api.events(id), "permission.requested").length, 0);
    await stage.close(1);
  });
});
