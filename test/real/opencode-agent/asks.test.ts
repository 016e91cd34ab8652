import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { sharedStage } from "../../agents/opencode/shared-stage.ts";
import { completed, of } from "../../agents/opencode/stage.ts";
import { bash, edit, question, write } from "../../agents/opencode/tools.ts";
import { lawfulEvents } from "../../support/laws.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, long } from "../../support/time.ts";

const { program = "", skip } = await realAgent("opencode");

const script = {
  prompts: {
    "*": [{ text: "Heard: {{prompt}}" }],
    touch: [{ tools: [bash("touch made.txt")] }, { text: "It said: {{last_tool_result}}" }],
    edit: [{ tools: [edit("README.md", "hello", "hello\nadded")] }, { text: "Edited." }],
    one: [{ tools: [bash("touch one.txt")] }, { text: "Made." }],
    two: [{ tools: [bash("touch two.txt")] }, { text: "Made." }],
    other: [{ tools: [bash("touch three.txt && chmod 600 three.txt")] }, { text: "Asked." }],
    both: [{ tools: [bash("echo in a"), bash("echo in b")] }, { text: "Done." }],
    write: [{ tools: [write("made.txt", "words")] }, { text: "It said: {{last_tool_result}}" }],
    colour: [
      { tools: [question("Which colour?", "Red", "Blue")] },
      { text: "You chose {{last_tool_result /(Red|Blue)/}}." },
    ],
  },
};

/** The program itself asks before commands and edits. */
const config = { permission: { bash: "ask", edit: "ask" } };

describe("asks of the real OpenCode", { skip, timeout: GROUP_MS }, () => {
  const stage = sharedStage(program, { script, config });

  const begin = async (name: string, facts: object = {}) => {
    const directory = stage().project(name);
    const id = await stage().session({ directory, ...facts });
    const made = (file: string): boolean => existsSync(join(directory, file));
    return { id, directory, made, api: stage().api };
  };
  const permission = async (id: string) => {
    const [ask] = await stage().asks(id);
    assert.ok(ask?.kind === "permission");
    return ask;
  };
  const calls = async (id: string): Promise<unknown[]> =>
    completed(await lawfulEvents(stage().api, id), "tool_call").map(({ status, error }) => [
      status,
      (error as { code: string } | undefined)?.code,
    ]);

  test("a command and an edit are allowed once, and show what they would do", async () => {
    const { id, api, directory, made } = await begin("once");
    const running = api.ask(id, "[[touch]]");
    const ask = await permission(id);
    assert.deepEqual([ask.request.action, ask.request.command], ["bash", "touch made.txt"]);
    assert.equal(made("made.txt"), false);
    await stage().answer(id, ask.id, { outcome: "once" });
    assert.equal((await running).reason, "end_turn");
    assert.ok(made("made.txt"));
    const editing = api.ask(id, "[[edit]]");
    const edits = await permission(id);
    assert.deepEqual([edits.request.action, edits.request.patterns], ["edit", ["README.md"]]);
    assert.match(String(edits.request.metadata?.diff), /^\+added$/m);
    await stage().answer(id, edits.id, { outcome: "once" });
    assert.equal((await editing).text, "Edited.");
    assert.match(readFileSync(join(directory, "README.md"), "utf8"), /added/);
  });

  test("a refusal without words ends the turn, one with words does not, and they reach the model", async () => {
    const { id, api, made } = await begin("reject");
    const running = api.ask(id, "[[touch]]");
    await stage().answer(id, (await permission(id)).id, { outcome: "reject" });
    assert.deepEqual((({ reason, text }) => [reason, text])(await running), ["end_turn", ""]);
    const again = api.ask(id, "[[write]] again");
    await stage().answer(id, (await permission(id)).id, { outcome: "reject", feedback: "use another way" });
    assert.match((await again).text, /use another way/);
    assert.equal(made("made.txt"), false);
    assert.deepEqual(await calls(id), [
      ["failed", "rejected"],
      ["failed", "rejected"],
    ]);
    assert.equal((await api.ask(id, "next")).text, "Heard: next");
  });

  test("an always holds for the session and for no more than it says, and for no other session", async () => {
    const { id, api, directory, made } = await begin("always");
    const first = api.ask(id, "[[one]]");
    const ask = await permission(id);
    assert.deepEqual(ask.request.patterns, ["touch *"]);
    await stage().answer(id, ask.id, { outcome: "always" });
    await first;
    assert.equal((await api.ask(id, "[[two]]")).text, "Made.");
    assert.ok(made("two.txt"));
    const third = api.ask(id, "[[other]]");
    const more = await permission(id);
    assert.match(more.request.command ?? "", /chmod/);
    await stage().answer(id, more.id, { outcome: "reject" });
    await third;
    const by = of(await lawfulEvents(api, id), "permission.resolved").map(({ data }) => data.by);
    assert.deepEqual(by, ["client", "rule", "client"]);
    const other = await stage().session({ directory });
    const asked = api.ask(other, "[[one]]");
    await stage().answer(other, (await permission(other)).id, { outcome: "once" });
    assert.equal((await asked).text, "Made.");
  });

  test("two at once, answered the other way round", long, async () => {
    const { id, api } = await begin("both");
    const running = api.ask(id, "[[both]]");
    for (const ask of (await stage().asks(id, 2)).toReversed()) await stage().answer(id, ask.id, { outcome: "once" });
    assert.equal((await running).text, "Done.");
    const results = completed(await lawfulEvents(api, id), "tool_result").map((item) => item.text);
    assert.deepEqual(results.toSorted(), ["in a\n", "in b\n"]);
  });

  test(
    "a cancel while it asks takes the ask back, also from the program; the next turn is asked anew",
    long,
    async () => {
      const { id, api, made } = await begin("cancel");
      const running = api.ask(id, "[[touch]]");
      const ask = await permission(id);
      await api.cancel(id);
      assert.equal((await running).reason, "cancelled");
      assert.deepEqual(await api.asks(id), []);
      const [[status] = []] = (await calls(id)) as [string][];
      assert.equal(status, "failed");
      const again = api.ask(id, "[[touch]]");
      const next = await permission(id);
      assert.notEqual(next.id, ask.id);
      await stage().answer(id, next.id, { outcome: "once" });
      assert.equal((await again).reason, "end_turn");
      assert.ok(made("made.txt"));
      assert.equal(of(await lawfulEvents(api, id), "permission.requested").length, 2);
    },
  );

  test("a question is answered, dismissed, and taken back by a cancel", async () => {
    const { id, api } = await begin("question");
    const open = async () => {
      const running = api.ask(id, "[[colour]]");
      const [ask] = await stage().asks(id);
      assert.ok(ask?.kind === "question");
      return { running, ask };
    };
    const first = await open();
    assert.deepEqual(
      first.ask.request.questions.map(({ question: words, options }) => [words, options?.map(({ label }) => label)]),
      [["Which colour?", ["Red", "Blue"]]],
    );
    await stage().answer(id, first.ask.id, { outcome: "answered", answers: [["Blue"]] });
    assert.equal((await first.running).text, "You chose Blue.");
    const second = await open();
    await stage().answer(id, second.ask.id, { outcome: "rejected" });
    assert.equal((await second.running).reason, "end_turn");
    const third = await open();
    await api.cancel(id);
    assert.equal((await third.running).reason, "cancelled");
    assert.deepEqual(await api.asks(id), []);
    assert.equal((await api.ask(id, "next")).text, "Heard: next");
    const states = completed(await lawfulEvents(api, id), "tool_call").map(({ status }) => status);
    assert.deepEqual(states, ["completed", "failed", "failed"]);
  });

  test("rules of the session answer before a person does", long, async () => {
    const deny = [{ action: "bash", pattern: "touch *", verdict: "deny" }];
    const { id, api, made } = await begin("rules", { permissions: deny });
    await api.ask(id, "[[touch]]");
    assert.equal(made("made.txt"), false);
    assert.deepEqual(await api.asks(id), []);
    assert.deepEqual(
      (await calls(id)).map((call) => (call as unknown[])[0]),
      ["failed"],
    );
  });
});
