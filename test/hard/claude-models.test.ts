import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Script } from "../../src/testing/model/script.ts";
import { completed, of, Stage } from "../agents/claude/stage.ts";
import { OpencodeClient } from "../support/opencode.ts";
import { realAgent } from "../support/real-agent.ts";
import { GROUP_MS } from "../support/time.ts";

const { program = "", skip } = await realAgent("claude");

const SCRIPT: Script = {
  prompts: {
    "*": [{ text: "Fine." }],
  },
};
const GONE = { fail: { status: 404, error: "not_found_error", message: "model: nobodys-model" } };

const BEDROCK = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
const GATEWAY = "acme/claude/large[1m]";

describe("models that the real Claude Code does not list", { skip, timeout: GROUP_MS }, () => {
  test("a session, a prompt and a PATCH choose them, and the model gets the requests", async (t) => {
    const stage = await Stage.open(t, program, { script: SCRIPT });
    const id = await stage.session({ model: BEDROCK, options: { effort: "low" } });
    await stage.api.ask(id, "one");
    await stage.api.ask(id, { text: "two", model: GATEWAY });
    assert.equal((await stage.api.session(id)).model, GATEWAY);
    await stage.api.expect(200, "PATCH", `/v1/sessions/${id}`, { model: "opus" });
    await stage.api.ask(id, "three");
    await stage.api.ask(id, { text: "four", model: "opus" });
    const sent = stage.calls().map(({ model }) => model);
    assert.deepEqual(sent.slice(0, 2), [BEDROCK, "acme/claude/large"]);
    assert.match(sent[2] ?? "", /^claude-opus-/);
    assert.equal(sent[3], sent[2]);
    assert.equal((await stage.api.session(id)).model, "opus");
    // The same model once more is no change, of which the program would tell the model.
    const changes = JSON.stringify(stage.calls().at(-1)?.messages).match(/<command-name>\/model/g) ?? [];
    assert.equal(changes.length, 2);
    assert.equal(of(await stage.api.events(id), "session.updated").filter(({ data }) => data.model).length, 2);
    await stage.close(4);
  });

  test("a model that the program replaces by another is named in a note", async (t) => {
    const stage = await Stage.open(t, program, { script: SCRIPT });
    const id = await stage.session({ model: "claude-opus-4-1" });
    await stage.api.ask(id, "one");
    const [used] = stage.calls();
    await stage.api.ask(id, { text: "two", model: "claude-opus-4-1" });
    const texts = completed(await stage.api.events(id), "status").map(({ text }) => text);
    assert.deepEqual(texts, [`Claude Code uses ${used?.model} for the model claude-opus-4-1`]);
    assert.equal((await stage.api.session(id)).model, "claude-opus-4-1");
    await stage.close(2);
  });

  test("a model that the service does not have ends the turn with the program's own words", async (t) => {
    const stage = await Stage.open(t, program, { script: { prompts: { "*": [GONE], ok: [{ text: "Fine." }] } } });
    const id = await stage.session({ model: "nobodys-model" });
    const { reason, error } = await stage.api.ask(id, "first");
    assert.deepEqual([reason, error?.code], ["error", "model_not_found"]);
    assert.match(error?.message ?? "", /selected model \(nobodys-model\)/);
    await stage.api.ask(id, { text: "[[ok]]", model: "sonnet" });
    // Told to a program that runs, the newest version asks the service at once, and an older one with the turn.
    const again = await stage.api.ask(id, { text: "second", model: "nobodys-model" });
    assert.equal(again.reason, "error");
    assert.match(again.error?.message ?? "", /nobodys-model.*not found|selected model \(nobodys-model\)/);
    assert.equal((await stage.api.ask(id, { text: "[[ok]]", model: "sonnet" })).text, "Fine.");
    await stage.close(4);
  });

  test("names that are flags or hold control characters are refused at every door", async (t) => {
    const stage = await Stage.open(t, program, { script: SCRIPT });
    const id = await stage.session();
    const client = new OpencodeClient(stage.api.url);
    const parts = [{ type: "text", text: "hi" }];
    for (const model of [
      "--dangerously-skip-permissions",
      "-p",
      "a\nb",
      "a\u001b[31m",
      "",
      " ",
      "a ",
      "x".repeat(300),
    ]) {
      const { detail } = await stage.api.refused("invalid", "POST", "/v1/sessions", { model });
      assert.match(detail, /expected the name of a model, got .*: it /);
      await stage.api.refused("invalid", "PATCH", `/v1/sessions/${id}`, { model });
      await stage.api.refused("invalid", "POST", `/v1/sessions/${id}/prompts`, { text: "hi", model });
      const chosen = { body: { parts, model: { providerID: "claude", modelID: model } } };
      await client.expect(400, "POST", `/session/${id}/message`, chosen);
      await client.expect(400, "PATCH", "/config", { body: { model: `claude/${model}` } });
    }
    await stage.api.ask(id, "hi");
    await stage.close(1);
  });

  test("OpenCode's clients choose them for a session, a prompt and by default", async (t) => {
    const stage = await Stage.open(t, program, { script: SCRIPT });
    const client = new OpencodeClient(stage.api.url);
    const query = `?directory=${encodeURIComponent(stage.directory)}`;
    const parts = [{ type: "text", text: "hi" }];
    const made = { body: { model: { providerID: "claude", id: BEDROCK } } };
    const { id } = await client.expect<{ id: string }>(200, "POST", `/session${query}`, made);
    await client.expect(200, "POST", `/session/${id}/message`, { body: { parts } });
    const other = { body: { parts, model: { providerID: "claude", modelID: GATEWAY } } };
    const answer = await client.expect<{ info: { modelID: string } }>(200, "POST", `/session/${id}/message`, other);
    assert.equal(answer.info.modelID, GATEWAY);
    const config = await client.expect<{ model: string }>(200, "PATCH", "/config", { body: { model: "claude/opus" } });
    assert.equal(config.model, "claude/opus");
    const next = await client.expect<{ id: string; model: object }>(200, "POST", `/session${query}`, { body: {} });
    assert.deepEqual(next.model, { id: "opus", providerID: "claude" });
    await client.expect(200, "POST", `/session/${next.id}/message`, { body: { parts } });
    const sent = stage.calls().map(({ model }) => model);
    assert.deepEqual(sent.slice(0, 2), [BEDROCK, "acme/claude/large"]);
    assert.match(sent[2] ?? "", /^claude-opus-/);
    await stage.close(3);
  });
});
