import assert from "node:assert/strict";
import { test } from "node:test";
import { scriptedFetch } from "../../../src/testing/model/fetch.ts";
import type { Step } from "../../../src/testing/model/script.ts";
import { ask, SDKS } from "./sdk.ts";

const NOWHERE = "http://model.invalid";

function scripted(...a: Step[]) {
  return scriptedFetch({ script: { prompts: { a } } });
}

for (const { format, model: modelAt } of SDKS) {
  test(`${format}: the same without a port`, async () => {
    const model = await scripted({
      reasoning: "hm",
      text: "Hello there.",
      tools: [{ name: "read", input: { path: "a" } }],
    });
    const seen = await ask(modelAt(NOWHERE, model.fetch), "[[a]]");
    assert.deepEqual([seen.reasoning, seen.text, seen.calls[0]?.input], ["hm", "Hello there.", { path: "a" }]);
    assert.deepEqual(
      model.requests.map((request) => request.outcome),
      ["done"],
    );
  });

  test(`${format}: trouble without a port`, async () => {
    const model = await scripted({
      text: "one two three four",
      fail: [{ status: 500 }, { cut: "start" }, { cut: "text" }, { error: "overloaded_error", message: "Overloaded" }],
    });
    const sdk = modelAt(NOWHERE, model.fetch);
    const texts: string[] = [];
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const seen = await ask(sdk, "[[a]]");
      assert.equal(seen.errors.length, 1, `attempt ${attempt}`);
      texts.push(seen.text);
    }
    assert.deepEqual(texts, ["", "", "one two ", ""]);
    assert.equal((await ask(sdk, "[[a]]")).text, "one two three four");
    assert.deepEqual(
      model.requests.map((request) => request.status),
      [500, 0, 200, 200, 200],
    );
    assert.deepEqual(
      model.requests.map((request) => request.outcome),
      ["done", "cut", "cut", "done", "done"],
    );
  });

  for (const hang of ["start", "text"] as const) {
    test(`${format}: a hang at ${hang} ends with the client's leaving`, { timeout: 20_000 }, async () => {
      const model = await scripted({ text: "one two three four", fail: { hang } });
      const leave = new AbortController();
      const onPart = (seen: { text: string }) => {
        if (seen.text === "one two ") leave.abort();
      };
      const asked = ask(modelAt(NOWHERE, model.fetch), "[[a]]", { signal: leave.signal, onPart });
      if (hang === "start") {
        await model.until(() => model.requests.length === 1);
        leave.abort();
      }
      await asked;
      await model.until(() => model.requests[0]?.outcome === "left");
    });
  }
}

test("a request that is aborted before its answer rejects with the reason", async () => {
  const model = await scripted({ text: "x", fail: { hang: "start" } });
  const leave = new AbortController();
  const reason = new Error("enough");
  const body = JSON.stringify({ messages: [{ role: "user", content: "[[a]]" }] });
  const asked = model.fetch(`${NOWHERE}/v1/messages`, { method: "POST", body, signal: leave.signal });
  await model.until(() => model.requests.length === 1);
  leave.abort(reason);
  await assert.rejects(asked, reason);
});
