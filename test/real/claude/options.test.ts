import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Stage } from "../../agents/claude/stage.ts";
import { OpencodeClient } from "../../support/opencode.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, long } from "../../support/time.ts";

const { program = "", skip } = await realAgent("claude");

const SCRIPT = { prompts: { "*": [{ text: "You said: {{prompt}}" }] } };

function effortsIn(stage: Stage): (string | undefined)[] {
  return stage.calls().map((call) => (call as { output_config?: { effort?: string } }).output_config?.effort);
}

describe("options of the real Claude Code", { skip, timeout: GROUP_MS }, () => {
  test("the effort of a session, of a prompt and of a PATCH reaches the model, in one process", async (t) => {
    const stage = await Stage.open(t, program, { script: SCRIPT });
    const id = await stage.session({ model: "default", options: { effort: "low" } });
    await stage.api.ask(id, "one");
    const before = stage.programs();
    await stage.api.ask(id, { text: "two", options: { effort: "high" } });
    assert.deepEqual((await stage.api.session(id)).options, { effort: "high" });
    await stage.api.expect(200, "PATCH", `/v1/sessions/${id}`, { options: { effort: "max" } });
    await stage.api.ask(id, "three");
    await stage.api.ask(id, { text: "four", options: { effort: "default" } });
    const efforts = effortsIn(stage);
    assert.deepEqual(efforts.slice(0, 3), ["low", "high", "max"]);
    assert.notEqual(efforts[3], "max", "the model's own effort");
    assert.match(JSON.stringify(stage.calls().at(-1)?.messages), /You said: one/);
    assert.deepEqual(stage.programs(), before);
    const refused = { model: "default", options: { effort: "none" } };
    const { detail } = await stage.api.refused("invalid", "POST", "/v1/sessions", refused);
    assert.match(detail, /effort .*cannot be "none"; it can be: low, medium, high/);
    await stage.close(4);
  });

  test("the variant of OpenCode's clients is the effort, also of a model that is not listed", long, async (t) => {
    const stage = await Stage.open(t, program, { script: SCRIPT });
    const client = new OpencodeClient(stage.api.url);
    const query = `?directory=${encodeURIComponent(stage.directory)}`;
    const { id } = await client.expect<{ id: string }>(200, "POST", `/session${query}`, { body: {} });
    const prompt = (modelID: string, variant?: string) =>
      client.expect<{ info: { variant?: string } }>(200, "POST", `/session/${id}/message`, {
        body: { parts: [{ type: "text", text: "hi" }], model: { providerID: "claude", modelID }, variant },
      });
    assert.equal((await prompt("sonnet", "low")).info.variant, "low");
    assert.equal((await prompt("acme/own", "xhigh")).info.variant, "xhigh");
    assert.equal((await prompt("sonnet")).info.variant, undefined);
    const efforts = effortsIn(stage);
    assert.deepEqual(efforts.slice(0, 2), ["low", "xhigh"]);
    assert.notEqual(efforts[2], "xhigh", "the model's own effort");
    await stage.close(3);
  });
});
