import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Stage } from "../agents/claude/stage.ts";
import { realAgent } from "../support/real-agent.ts";

const { program = "", skip } = await realAgent("claude");

describe("options of the real Claude Code", { skip, timeout: 120_000 }, () => {
  test("the effort of a session, and of a prompt, reaches the model, and the conversation goes on", async (t) => {
    const stage = await Stage.open(t, program, { script: { prompts: { "*": [{ text: "You said: {{prompt}}" }] } } });
    const id = await stage.session({ model: "default", options: { effort: "low" } });
    await stage.api.ask(id, "one");
    await stage.api.ask(id, { text: "two", options: { effort: "high" } });
    const efforts = stage
      .calls()
      .map((call) => (call as { output_config?: { effort?: string } }).output_config?.effort);
    assert.deepEqual(efforts, ["low", "high"]);
    assert.match(JSON.stringify(stage.calls().at(-1)?.messages), /You said: one/);
    assert.deepEqual((await stage.api.session(id)).options, { effort: "high" });
    const refused = { model: "default", options: { effort: "none" } };
    const { detail } = await stage.api.refused("invalid", "POST", "/v1/sessions", refused);
    assert.match(detail, /effort .*cannot be "none"; it can be: low, medium, high/);
    await stage.close(2);
  });
});
