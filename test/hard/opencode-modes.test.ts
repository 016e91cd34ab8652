import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { sharedStage } from "../agents/opencode/shared-stage.ts";
import { completed, of } from "../agents/opencode/stage.ts";
import { edit } from "../agents/opencode/tools.ts";
import { lawfulEvents } from "../support/laws.ts";
import { realAgent } from "../support/real-agent.ts";
import { GROUP_MS } from "../support/time.ts";

const { program = "", skip } = await realAgent("opencode");

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const script = {
  prompts: {
    "*": [{ text: "I heard: {{prompt}}" }],
    edit: [{ tools: [edit("README.md", "hello", "hello\nadded")] }, { text: "It said: {{last_tool_result}}" }],
  },
};

/** A command of the user's own. */
const config = { command: { greet: { template: "Say hello to $ARGUMENTS", description: "Greets somebody" } } };

interface Discovered {
  models: { id: string; context?: number; options?: { id: string; values?: { id: string }[] }[] }[];
  modes: { id: string; hidden?: boolean }[];
  commands?: { name: string }[];
}

describe("modes, models, commands and files of the real OpenCode", { skip, timeout: GROUP_MS }, () => {
  const stage = sharedStage(program, { script, config });
  const begin = async (name: string, facts: object = {}) => {
    const directory = stage().project(name);
    return { id: await stage().session({ directory, ...facts }), directory, api: stage().api };
  };

  test("discovery has the models with their facts, the modes, and the user's commands", async () => {
    const directory = stage().project("discovery");
    const path = `/v1/agents/opencode?directory=${encodeURIComponent(directory)}`;
    const { models, modes, commands = [] } = await stage().api.expect<Discovered>(200, "GET", path);
    assert.deepEqual(models.map(({ id }) => id).toSorted(), ["fake/fake-model", "fake/plain"]);
    assert.equal(models[0]?.context, 100_000);
    assert.deepEqual(
      modes.filter(({ hidden }) => !hidden).map(({ id }) => id),
      ["build", "plan"],
    );
    assert.ok(commands.some(({ name }) => name === "greet"));
  });

  test("the mode plan changes no file, and the mode build does; each prompt has its own", async () => {
    const { id, api, directory } = await begin("plan", { mode: "plan" });
    const readme = (): string => readFileSync(join(directory, "README.md"), "utf8");
    const planned = await api.ask(id, "[[edit]] it");
    assert.equal(planned.reason, "end_turn");
    assert.doesNotMatch(readme(), /added/);
    assert.equal((await api.session(id)).mode, "plan");
    const [call] = completed(await lawfulEvents(api, id), "tool_call");
    assert.equal(call?.status, "failed");
    await api.ask(id, { text: "[[edit]] now", mode: "build" });
    assert.match(readme(), /added/);
    assert.equal((await api.session(id)).mode, "build");
    await api.refused("invalid", "POST", `/v1/sessions/${id}/prompts`, { text: "hi", mode: "of nobody" });
  });

  test("the variant of a model is an effort, which the model gets", async () => {
    const { id, api } = await begin("effort", { options: { effort: "high" } });
    await api.ask(id, "one");
    assert.equal(stage().calls().at(-1)?.reasoning_effort, "high");
    await api.ask(id, { text: "two", options: { effort: "low" } });
    assert.equal(stage().calls().at(-1)?.reasoning_effort, "low");
    assert.deepEqual((await api.session(id)).options, { effort: "low" });
  });

  test("a prompt's instructions and files reach the model", async () => {
    const { id, api, directory } = await begin("files");
    writeFileSync(join(directory, "notes.txt"), "words of the notes\n");
    const parts = [
      { type: "text", text: "look" },
      { type: "file", path: "notes.txt" },
      { type: "file", url: `data:image/png;base64,${PNG}`, mime: "image/png", name: "dot.png" },
    ];
    assert.equal((await api.ask(id, { parts, system: "Speak in rhymes." })).reason, "end_turn");
    const sent = JSON.stringify(stage().calls().at(-1)?.messages);
    for (const words of ["words of the notes", "Speak in rhymes."]) assert.ok(sent.includes(words), words);
    assert.equal((await api.ask(id, "next")).text, "I heard: next");
  });

  test("a command of the user's is called by a prompt with its name", async () => {
    const { id, api } = await begin("command");
    const { text, error } = await api.ask(id, "/greet Bob");
    assert.deepEqual([text, error], ["I heard: Say hello to Bob", undefined]);
    assert.equal(of(await lawfulEvents(api, id), "turn.ended").length, 1);
    assert.equal((await api.ask(id, "next")).text, "I heard: next");
  });

  test("a command of the shell is a turn of Parley's, and the program hears of it with the next prompt", async () => {
    const { id, api } = await begin("shell");
    await api.ask(id, "first");
    const shell = await api.call("POST", `/v1/sessions/${id}/shell`, { command: "echo shell-out" });
    assert.ok(shell.status < 300, JSON.stringify(shell.body));
    await stage().nth("turn.ended", 2, (event) => event.session === id);
    assert.equal((await api.ask(id, "next")).reason, "end_turn");
    assert.match(JSON.stringify(stage().calls().at(-1)?.messages), /shell-out/);
  });

  test("the title that the program finds is the session's", async () => {
    const { id, api } = await begin("title");
    await api.ask(id, "first");
    await stage().nth(
      "session.updated",
      1,
      (event) => event.session === id && event.data.title === "A scripted session",
    );
    assert.equal((await api.session(id)).title, "A scripted session");
  });
});
