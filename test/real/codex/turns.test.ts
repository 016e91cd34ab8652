import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { codexHome, completed, of, Stage } from "../../agents/codex/stage.ts";
import { addLine, run } from "../../agents/codex/tools.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, long } from "../../support/time.ts";

const { program = "", skip } = await realAgent("codex");

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("turns of the real Codex", { skip, timeout: GROUP_MS }, () => {
  test("A5: reads and edits after asking, answers; then a second turn in the same process", async (t) => {
    const stage = await Stage.open(t, program, {
      script: {
        prompts: {
          "*": [{ text: "You said: {{prompt}}" }],
          edit: [
            { reasoning: "I should look.", text: "I read it.", tools: [run("cat README.md")] },
            { text: "I change it.", tools: [addLine("README.md", "hello", "added")] },
            { text: "Done.", usage: { input: 1000, cacheRead: 400, output: 50, reasoning: 20 } },
          ],
        },
      },
    });
    const id = await stage.session({ mode: "ask" });
    const running = stage.api.ask(id, "[[edit]] add a line");
    const [reads] = await stage.asks(id);
    assert.ok(reads?.kind === "permission");
    assert.deepEqual([reads.request.action, reads.request.command], ["bash", "cat README.md"]);
    await stage.answer(id, reads.id, { outcome: "once" });
    const edits = (await stage.nth("permission.requested", 2)).data;
    assert.deepEqual([edits.action, edits.patterns, edits.title], ["edit", ["README.md"], "README.md"]);
    assert.match(String(edits.metadata?.diff), /^--- a\/README.md\n\+\+\+ b\/README.md\n@@ .* @@\n hello\n\+added\n$/);
    await stage.answer(id, edits.ask, { outcome: "once" });
    const outcome = await running;
    assert.deepEqual([outcome.reason, outcome.text], ["end_turn", "Done."]);
    assert.equal(readFileSync(join(stage.directory, "README.md"), "utf8"), "# Demo\n\nhello\nadded\n");

    const events = await stage.api.events(id);
    assert.deepEqual(
      completed(events, "tool_call").map((item) => [item.name, item.status, item.title]),
      [
        ["shell", "completed", "cat README.md"],
        ["apply_patch", "completed", "README.md"],
      ],
    );
    const results = completed(events, "tool_result");
    assert.equal(results[0]?.text, "# Demo\n\nhello\n");
    const files = results.flatMap((item) => (item.files ?? []) as { diff?: string }[]);
    assert.match(files[0]?.diff ?? "", /\+added\n$/);
    assert.ok(completed(events, "reasoning").some((item) => item.text === "I should look."));
    const steps = of(events, "step.ended");
    assert.deepEqual(
      steps.map(({ data }) => data.finish),
      ["tool_calls", "tool_calls", "stop"],
    );
    const last = { input: 600, output: 50, reasoning: 20, cacheRead: 400, cacheWrite: 0 };
    assert.deepEqual(steps.at(-1)?.data.usage?.tokens, last);
    assert.ok((outcome.usage?.tokens?.input ?? 0) > 600, "a turn's tokens are those of all its steps");

    const first = stage.programs();
    assert.equal((await stage.api.ask(id, "again")).text, "You said: again");
    assert.deepEqual(stage.programs(), first, "one process for both turns");
    await stage.close(2);
  });

  test("several tools at once, one that fails, one without a sign, and an empty answer", long, async (t) => {
    const tools = [run("echo one"), run("sleep 0.3; echo two; exit 3"), run("echo three")];
    const stage = await Stage.open(t, program, {
      script: {
        prompts: {
          many: [{ text: "All at once.", tools }, { tools: [{ name: "no_such_tool", input: {} }] }, { text: "Done." }],
          empty: [{ stop: "end" }],
        },
      },
    });
    const id = await stage.session({ mode: "full-access" });
    assert.equal((await stage.api.ask(id, "[[many]]")).text, "Done.");
    const events = await stage.api.events(id);
    const calls = completed(events, "tool_call").map((item) => [item.title, item.status]);
    assert.deepEqual(calls.toSorted(), [
      ["echo one", "completed"],
      ["echo three", "completed"],
      ["sleep 0.3; echo two; exit 3", "completed"],
    ]);
    const texts = completed(events, "tool_result").map((item) => item.text);
    assert.deepEqual(texts.toSorted(), ["one\n", "three\n", "two\n(exit code 3)"]);
    const empty = await stage.api.ask(id, "[[empty]]");
    assert.deepEqual([empty.reason, empty.text], ["end_turn", ""]);
    await stage.close(2);
  });

  test("goes on in a new process after a restart, with the model, the mode and the effort it had", async (t) => {
    const stage = await Stage.open(t, program, { script: { prompts: { "*": [{ text: "You said: {{prompt}}" }] } } });
    const facts = { model: "gpt-5.5", mode: "read-only", options: { effort: "high" } };
    const id = await stage.session(facts);
    await stage.api.ask(id, "first");
    const before = await stage.api.session(id);
    assert.deepEqual([before.model, before.mode, before.options], ["gpt-5.5", "read-only", { effort: "high" }]);
    await stage.stream.close();
    await stage.watcher.close();
    await stage.server.restart();
    assert.equal((await stage.api.ask(id, "second")).text, "You said: second");
    const after = await stage.api.session(id);
    assert.deepEqual([after.nativeId, after.model, after.mode], [before.nativeId, "gpt-5.5", "read-only"]);
    assert.deepEqual(stage.remembered(), ["first", "You said: first", "second"]);
    assert.equal(stage.calls().at(-1)?.reasoning?.effort, "high");
    assert.ok(of(await stage.api.events(id), "session.updated").some(({ data }) => data.resume === "resumed"));
    await stage.server.stop();
    assert.deepEqual(stage.processes(), []);
  });

  test("begins anew, with the story so far, when the program has forgotten the session", async (t) => {
    const stage = await Stage.open(t, program, { script: { prompts: { "*": [{ text: "You said: {{prompt}}" }] } } });
    const id = await stage.session();
    await stage.api.ask(id, "first");
    await stage.stream.close();
    await stage.watcher.close();
    await stage.server.restart();
    rmSync(join(codexHome(stage.home), "sessions"), { recursive: true });
    assert.equal((await stage.api.ask(id, "second")).reason, "end_turn");
    assert.ok(of(await stage.api.events(id), "session.updated").some(({ data }) => data.resume === "lost"));
    assert.match(JSON.stringify(stage.calls().at(-1)?.input), /memory of this conversation was lost/);
    await stage.server.stop();
  });

  test("pictures and mentioned files in prompts", long, async (t) => {
    const stage = await Stage.open(t, program, { script: { prompts: { "*": [{ text: "Seen." }] } } });
    const id = await stage.session();
    const picture = { type: "file", url: `data:image/png;base64,${PNG}`, name: "dot.png" };
    const file = { type: "file", path: "README.md" };
    await stage.api.ask(id, { parts: [{ type: "text", text: "look" }, picture, file] });
    const asked = JSON.stringify(stage.calls().at(-1)?.input);
    assert.match(asked, /"type":"input_image"[^}]*"image_url":"data:image\/png;base64,/);
    assert.match(asked, /README\.md/);
    await stage.close(1);
  });
});
