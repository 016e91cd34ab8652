import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { completed, of, Stage } from "../../agents/claude/stage.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, long } from "../../support/time.ts";

const { program = "", skip } = await realAgent("claude");

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("turns of the real Claude Code", { skip, timeout: GROUP_MS }, () => {
  test("reads, edits after asking, answers; then a second turn in the same process", async (t) => {
    const readme = "{{directory}}/README.md";
    const edit = { file_path: readme, old_string: "hello\n", new_string: "hello\nadded\n" };
    const stage = await Stage.open(t, program, {
      script: {
        prompts: {
          "*": [{ text: "You said: {{prompt}}" }],
          edit: [
            {
              reasoning: "I should look.",
              text: "I read it.",
              tools: [{ name: "Read", input: { file_path: readme } }],
            },
            { text: "I change it.", tools: [{ name: "Edit", input: edit }] },
            { text: "Done.", usage: { input: 1000, output: 50 } },
          ],
        },
      },
    });
    const id = await stage.session();
    const running = stage.api.ask(id, "[[edit]] add a line");
    const [ask] = await stage.asks(id);
    assert.ok(ask?.kind === "permission");
    const { action, patterns, title } = ask.request;
    assert.deepEqual([action, patterns, title], ["edit", ["README.md"], "README.md"]);
    await stage.answer(id, ask.id, { outcome: "once" });
    const outcome = await running;
    assert.deepEqual([outcome.reason, outcome.text], ["end_turn", "Done."]);
    assert.ok((outcome.usage?.tokens?.output ?? 0) >= 50);
    assert.ok((outcome.usage?.cost ?? 0) > 0);
    assert.equal(readFileSync(join(stage.directory, "README.md"), "utf8"), "# Demo\n\nhello\nadded\n");

    const events = await stage.api.events(id);
    assert.deepEqual(
      completed(events, "tool_call").map((item) => [item.name, item.status, item.title]),
      [
        ["Read", "completed", "README.md"],
        ["Edit", "completed", "README.md"],
      ],
    );
    const files = completed(events, "tool_result").flatMap((item) => (item.files ?? []) as { diff?: string }[]);
    assert.match(files[0]?.diff ?? "", /^--- a\/README.md\n\+\+\+ b\/README.md\n@@ .* @@\n[\s\S]*\+added\n$/);
    assert.ok(completed(events, "reasoning").some((item) => item.text === "I should look."));
    assert.equal(of(events, "step.ended").length, 3);

    const first = stage.programs();
    const second = await stage.api.ask(id, "again");
    assert.equal(second.text, "You said: again");
    assert.ok((second.usage?.cost ?? 1) < (outcome.usage?.cost ?? 0), "a turn's cost is its own");
    assert.deepEqual(stage.programs(), first, "one process for both turns");
    await stage.close(2);
  });

  test("several tools at once", long, async (t) => {
    const tools = [
      { name: "Read", input: { file_path: "{{directory}}/README.md" } },
      { name: "Bash", input: { command: "echo one", description: "one" } },
      { name: "Bash", input: { command: "echo two", description: "two" } },
    ];
    const stage = await Stage.open(t, program, {
      script: { prompts: { many: [{ text: "All at once.", tools }, { text: "Done." }] } },
    });
    const id = await stage.session();
    assert.equal((await stage.api.ask(id, "[[many]]")).text, "Done.");
    const results = completed(await stage.api.events(id), "tool_result");
    assert.equal(results.length, 3);
    assert.deepEqual(results.map((item) => item.text).filter((text) => text === "one" || text === "two").length, 2);
    await stage.close(1);
  });

  test("goes on in a new process after a restart, with the model and the mode it had", async (t) => {
    const stage = await Stage.open(t, program, { script: { prompts: { "*": [{ text: "You said: {{prompt}}" }] } } });
    const id = await stage.session({ model: "haiku", mode: "acceptEdits" });
    await stage.api.ask(id, "first");
    const before = await stage.api.session(id);
    assert.deepEqual([before.model, before.mode], ["haiku", "acceptEdits"]);
    await stage.stream.close();
    await stage.watcher.close();
    await stage.server.restart();
    assert.equal((await stage.api.ask(id, "second")).text, "You said: second");
    const after = await stage.api.session(id);
    assert.deepEqual([after.nativeId, after.model, after.mode], [before.nativeId, "haiku", "acceptEdits"]);
    const calls = stage.calls();
    assert.match(calls.at(-1)?.model ?? "", /haiku/);
    assert.match(JSON.stringify(calls.at(-1)?.messages), /first.*You said: first.*second/);
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
    rmSync(join(stage.home, ".claude", "projects"), { recursive: true });
    assert.equal((await stage.api.ask(id, "second")).reason, "end_turn");
    assert.ok(of(await stage.api.events(id), "session.updated").some(({ data }) => data.resume === "lost"));
    assert.match(JSON.stringify(stage.calls().at(-1)?.messages), /memory of this conversation was lost/);
    await stage.server.stop();
  });

  test("pictures, mentioned files and commands in prompts", long, async (t) => {
    const stage = await Stage.open(t, program, { script: { prompts: { "*": [{ text: "Seen." }] } } });
    const id = await stage.session();
    const picture = { type: "file", url: `data:image/png;base64,${PNG}`, name: "dot.png" };
    const file = { type: "file", path: "README.md" };
    await stage.api.ask(id, { parts: [{ type: "text", text: "look" }, picture, file] });
    const asked = JSON.stringify(stage.calls().at(-1)?.messages);
    assert.match(asked, /"type":"image","source":\{"type":"base64","media_type":"image\/png"/);
    assert.match(asked, /# Demo/, "the program reads a file that is mentioned");
    const command = await stage.api.ask(id, "/context");
    assert.equal(command.reason, "end_turn");
    assert.match(command.text, /Context Usage/);
    await stage.close(2);
  });

  test("another model and mode from one turn to the next", async (t) => {
    const stage = await Stage.open(t, program, { script: { prompts: { "*": [{ text: "Yes." }] } } });
    const id = await stage.session();
    await stage.api.ask(id, "first");
    assert.equal((await stage.api.session(id)).model, "default");
    await stage.api.ask(id, { text: "second", model: "haiku", mode: "acceptEdits" });
    const { model, mode } = await stage.api.session(id);
    assert.deepEqual([model, mode], ["haiku", "acceptEdits"]);
    assert.match(stage.calls().at(-1)?.model ?? "", /haiku/);
    await stage.close(2);
  });
});
