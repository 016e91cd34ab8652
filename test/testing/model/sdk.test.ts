import assert from "node:assert/strict";
import { test } from "node:test";
import type { Step, Stop } from "../../../src/testing/model/script.ts";
import { ask, SDKS, scenario } from "./sdk.ts";

const FINISH: Readonly<Record<Stop, string>> = {
  end: "stop",
  tools: "tool-calls",
  length: "length",
  refusal: "content-filter",
  stop_sequence: "stop",
  pause: "stop",
  context: "length",
};

for (const { format, model: modelAt } of SDKS) {
  test(`${format}: text in pieces, with reasoning before it`, async () => {
    await using model = await scenario({ reasoning: "I think.", text: ["Hel", "lo ", "there."] });
    const seen = await ask(modelAt(model.url), "[[a]] hi");
    assert.deepEqual([seen.reasoning, seen.text, seen.finish, seen.errors], ["I think.", "Hello there.", "stop", []]);
  });

  test(`${format}: an empty reply`, async () => {
    await using model = await scenario({ stop: "end" });
    const seen = await ask(modelAt(model.url), "[[a]] hi");
    assert.deepEqual([seen.text, seen.calls, seen.finish, seen.errors], ["", [], "stop", []]);
  });

  test(`${format}: several tools at once, then their results, then the answer`, async () => {
    await using model = await scenario(
      {
        text: "Both.",
        tools: [
          { name: "read", input: { path: "ä/b.txt" } },
          { name: "bash", input: { command: "ls" } },
        ],
      },
      { tools: [{ name: "bash", id: "mine" }] },
      { text: "Got {{last_tool_result}}." },
    );
    const sdk = modelAt(model.url);
    const first = await ask(sdk, "[[a]] hi");
    assert.equal(first.finish, "tool-calls");
    assert.deepEqual(first.begun, ["read", "bash"]);
    assert.deepEqual(
      first.calls.map(({ name, input }) => [name, input]),
      [
        ["read", { path: "ä/b.txt" }],
        ["bash", { command: "ls" }],
      ],
    );
    assert.equal(new Set(first.calls.map((call) => call.id)).size, 2);
    const after = withResults([{ role: "user", content: "[[a]] hi" }], first.calls);
    const second = await ask(sdk, after);
    assert.deepEqual(second.calls, [{ id: "mine", name: "bash", input: {} }]);
    const third = await ask(sdk, withResults(after, second.calls));
    assert.deepEqual([third.text, third.finish], ["Got result of mine.", "stop"]);
    assert.deepEqual(
      model.requests.map(({ marker, step, status }) => [marker, step, status]),
      [
        ["a", 0, 200],
        ["a", 1, 200],
        ["a", 2, 200],
      ],
    );
  });

  test(`${format}: parts in any order`, async () => {
    await using model = await scenario({
      parts: [{ tool: { name: "read" } }, { text: "after" }, { tool: { name: "bash" } }],
    });
    const seen = await ask(modelAt(model.url), "[[a]] hi");
    assert.deepEqual([seen.text, seen.begun, seen.finish], ["after", ["read", "bash"], "tool-calls"]);
  });

  test(`${format}: usage, with cache and reasoning`, async () => {
    const usage = { input: 100, cacheRead: 60, cacheWrite: 30, output: 20, reasoning: 7 };
    await using model = await scenario({ text: "x", usage });
    const seen = await ask(modelAt(model.url), "[[a]] hi");
    // The SDK for compatible services reads no cache writes.
    assert.deepEqual(seen.usage, { ...usage, cacheWrite: format === "chat" ? undefined : 30 });
  });

  for (const [stop, finish] of Object.entries(FINISH)) {
    test(`${format}: stop ${stop}`, async () => {
      const tools: Partial<Step> = stop === "tools" ? { tools: [{ name: "read" }] } : {};
      await using model = await scenario({ text: "x", ...tools, stop: stop as Stop });
      assert.equal((await ask(modelAt(model.url), "[[a]] hi")).finish, finish);
    });
  }

  test(`${format}: a conversation that a real service would refuse`, async () => {
    await using model = await scenario({ text: "x" });
    const sdk = modelAt(model.url);
    const call = { type: "tool-call" as const, toolCallId: "lost", toolName: "read", input: {} };
    const seen = await ask(sdk, [
      { role: "user", content: "[[a]]" },
      { role: "assistant", content: [call] },
    ]);
    assert.match(String(seen.errors[0]), /lost/);
  });

  test(`${format}: a reply is held where the script says, while what came before is seen`, async () => {
    await using model = await scenario({
      text: ["one ", { text: "two", hold: "text" }],
      tools: [{ name: "read", hold: "tool" }],
      finish: { hold: "end" },
    });
    const states: Record<string, string> = {};
    let seen = "";
    const asked = ask(modelAt(model.url), "[[a]] hi", {
      onPart: (now) => {
        seen = `${now.text}|${now.calls.length}`;
      },
    });
    for (const gate of ["text", "tool", "end"]) {
      await model.until(() => model.held.has(gate));
      states[gate] = seen;
      model.release(gate);
    }
    const last = await asked;
    assert.equal(last.text, "one two");
    assert.equal(last.calls.length, 1);
    assert.ok(!states.text?.includes("two"));
    assert.ok(states.tool?.endsWith("|0"));
    assert.equal(model.held.size, 0);
  });
}

type Messages = Extract<Parameters<typeof ask>[1], object>;

function withResults(before: Messages, calls: readonly { id: string; name: string; input: unknown }[]): Messages {
  const content = calls.map(({ id, name, input }) => ({
    type: "tool-call" as const,
    toolCallId: id,
    toolName: name,
    input,
  }));
  const results = calls.map(({ id, name }) => ({
    type: "tool-result" as const,
    toolCallId: id,
    toolName: name,
    output: { type: "text" as const, value: `result of ${id}` },
  }));
  return [...before, { role: "assistant", content }, { role: "tool", content: results }];
}
