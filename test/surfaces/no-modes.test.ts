import assert from "node:assert/strict";
import { test } from "node:test";
import type { Session } from "../../src/surfaces/opencode/shapes/session.ts";
import { OpencodeClient } from "../support/opencode.ts";
import { agent, startServer } from "../support/server.ts";

test("an agent without modes refuses each mode, on both APIs, and works without one", async (t) => {
  const { api, parley, directory } = await startServer(t, { agents: { plain: agent("does-as-told") } });
  const { status, body } = await api.call("POST", "/v1/sessions", { directory, agent: "plain", mode: "yolo" });
  assert.deepEqual([status, /agent plain has no mode yolo/.test(JSON.stringify(body))], [422, true]);
  const { id } = await api.create({ directory, agent: "plain" });
  const prompt = { parts: [{ type: "text", text: "x" }], mode: "plan" };
  assert.equal((await api.call("POST", `/v1/sessions/${id}/prompts`, prompt)).status, 422);
  assert.equal((await api.call("PATCH", `/v1/sessions/${id}`, { mode: "plan" })).status, 422);

  const client = new OpencodeClient(parley.url);
  const wish = (mode: string) => ({ body: { agent: mode, model: { providerID: "plain", id: "default" } } });
  for (const mode of ["plan", "yolo"]) {
    const refused = await client.call("POST", "/session", wish(mode));
    assert.deepEqual([refused.status, /agent plain has no mode/.test(refused.text)], [400, true], mode);
  }
  const made = await client.expect<Session>(200, "POST", "/session", wish("build"));
  assert.deepEqual([made.agent, made.model?.providerID], ["build", "plain"]);
});
