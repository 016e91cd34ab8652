import assert from "node:assert/strict";
import { test } from "node:test";
import { type Fields, isFields, textIn } from "../../../src/core/json/fields.ts";
import { choosing } from "../../support/acp/through.ts";
import { Home } from "../support.ts";
import { startAcp } from "./support.ts";

/** Letters of one to four bytes, and all that JSON has to escape, in a line that no pipe takes at once. */
const WORDS = 'héllo ✓ 𝄞 "\\ \t\r\n\u0007'.repeat(10_000);

/** What kind of a JSON-RPC message a line is. Throws for one that is none. */
function kindOf(line: string): string {
  const message: unknown = JSON.parse(line);
  assert.ok(isFields(message), line);
  const { jsonrpc, id, result, error } = message;
  assert.equal(jsonrpc, "2.0", line);
  const method = textIn(message, "method");
  if (method !== undefined) return id === undefined ? "notification" : "request";
  assert.ok(typeof id === "number" || typeof id === "string", line);
  assert.notEqual(result === undefined, error === undefined, line);
  return error === undefined ? "result" : "error";
}

test("TRANSPORT-001 TRANSPORT-002 stdout of parley acp is lines of UTF-8, each a JSON-RPC message, and nothing else", async () => {
  await using home = new Home();
  await using peer = startAcp(home, { answer: choosing("allow_once") });
  const chunks: Buffer[] = [];
  peer.child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
  await peer.initialize();
  const sessionId = await peer.newSession(home.work);
  const prompt = [{ type: "text", text: `[[read-edit]] ${WORDS}` }];
  assert.equal((await peer.request("session/prompt", { sessionId, prompt })).stopReason, "end_turn");
  assert.equal((await peer.answered(peer.send("no/such", {}))).error?.code, -32_601);
  await peer.request("session/load", { sessionId, cwd: home.work, mcpServers: [] });
  assert.equal((await peer.leave()).code, 0);

  // A decoder that replaces nothing: half of a letter is an error.
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  assert.ok(text.endsWith("\n"), "the last line is whole");
  const lines = text.slice(0, -1).split("\n");
  assert.deepEqual(new Set(lines.map(kindOf)), new Set(["result", "error", "notification", "request"]));
  const asked = peer.updates.find(({ sessionUpdate }) => sessionUpdate === "user_message_chunk");
  assert.equal(textIn(asked?.content as Fields, "text"), prompt[0]?.text, "the longest line came whole");
});
