import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { completed, of, Stage } from "../../agents/codex/stage.ts";
import { addLine, run } from "../../agents/codex/tools.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS } from "../../support/time.ts";

const { program = "", skip } = await realAgent("codex");

describe("threads that the real Codex keeps", { skip, timeout: GROUP_MS }, () => {
  test("a thread is listed and gone on with, with its past in the log and in the program's memory", async (t) => {
    const stage = await Stage.open(t, program, {
      script: {
        prompts: {
          "*": [{ text: "You said: {{prompt}}" }],
          work: [
            { reasoning: "I look.", tools: [run("cat README.md")] },
            { tools: [addLine("README.md", "hello", "more")] },
            { text: "Worked." },
          ],
        },
      },
    });
    const first = await stage.session({ mode: "full-access" });
    await stage.api.ask(first, "[[work]] please");
    await stage.api.ask(first, "second");
    const { nativeId } = await stage.api.session(first);
    await stage.api.expect(204, "DELETE", `/v1/sessions/${first}`);
    const query = `?directory=${encodeURIComponent(stage.directory)}`;
    const listed = await stage.api.expect<{ sessions: { id: string; title?: string }[] }>(
      200,
      "GET",
      `/v1/agents/codex/sessions${query}`,
    );
    assert.deepEqual(
      listed.sessions.map(({ id, title }) => [id, title]),
      [[nativeId, "[[work]] please"]],
    );
    const again = await stage.session({ resume: nativeId });
    const past = await stage.api.events(again);
    assert.deepEqual(
      completed(past, "message").map(({ role, text }) => [role, text]),
      [
        ["user", "[[work]] please"],
        ["assistant", "Worked."],
        ["user", "second"],
        ["assistant", "You said: second"],
      ],
    );
    assert.deepEqual(
      completed(past, "tool_call").map(({ name, status }) => [name, status]),
      [
        ["shell", "completed"],
        ["apply_patch", "completed"],
      ],
    );
    assert.equal(of(past, "turn.ended").length, 2);
    assert.equal((await stage.api.ask(again, "third")).text, "You said: third");
    assert.deepEqual(stage.remembered().slice(-3), ["second", "You said: second", "third"]);
    await stage.server.stop();
    assert.deepEqual(stage.processes(), []);
  });

  test("a thread that the program does not know is refused", async (t) => {
    const stage = await Stage.open(t, program, { script: { prompts: { "*": [{ text: "Yes." }] } } });
    const body = { directory: stage.directory, resume: "01a1e12b-9f81-7b91-89f1-d2ab7b7cd9af" };
    const refused = await stage.api.call("POST", "/v1/sessions", body);
    assert.ok(refused.status >= 400 && refused.status < 500, String(refused.status));
    await stage.server.stop();
  });
});
