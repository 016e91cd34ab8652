import assert from "node:assert/strict";
import { test } from "node:test";
import { startScriptedModel } from "../../../src/testing/model/server.ts";

test("a listener hears each piece before the client does", async (t) => {
  const told: string[] = [];
  const script = { prompts: { "*": [{ text: ["one ", { text: "two", hold: "gate" }] }] } };
  const model = await startScriptedModel({ script, onPiece: (data) => told.push(data) });
  t.after(() => model.close());
  const body = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "go" }] });
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${model.url}/v1/chat/completions`, { method: "POST", headers, body });
  await model.until(() => model.held.has("gate"));
  assert.match(told.join(""), /one /);
  assert.doesNotMatch(told.join(""), /two/);
  model.release("gate");
  assert.equal(await response.text(), told.join(""));
});
