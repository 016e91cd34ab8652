import assert from "node:assert/strict";
import { test } from "node:test";
import { Translator } from "../../../../src/agents/opencode/decode/translator.ts";
import type { Fields } from "../../../../src/core/json/fields.ts";

const ROOT = "ses_root";
const MOST = 200;
const OVER = { created: 1, completed: 2 };
const id = (count: number): string => String(count).padStart(6, "0");

/** The call of the root's that gives work to a sub-agent. */
function call(message: string, child: string): Fields {
  const part = {
    id: `prt_${message}`,
    messageID: message,
    sessionID: ROOT,
    type: "tool",
    tool: "task",
    callID: `call_${message}`,
    state: { status: "running", input: { description: "Look" }, metadata: { sessionId: child } },
  };
  return { info: { id: message, sessionID: ROOT, role: "assistant", time: { created: 1 } }, parts: [part] };
}

function answer(session: string, message: string, text: string): Fields {
  const part = { id: `prt_${message}`, messageID: message, sessionID: session, type: "text", text, time: { end: 2 } };
  const info = { id: message, sessionID: session, role: "assistant", time: OVER, finish: "stop" };
  return { info, parts: [part] };
}

test("sub-agents that are long over are forgotten, and one that works again tells nothing twice", () => {
  const translator = new Translator({ root: ROOT, directory: "/work" });
  for (let turn = 0; turn < MOST + 10; turn++) {
    const [child, at] = [`ses_${id(turn)}`, turn * 10];
    translator.prompt(`msg_${id(at)}`);
    translator.learn(ROOT, [call(`msg_${id(at + 1)}`, child)]);
    translator.learn(child, [answer(child, `msg_${id(at + 2)}`, "seen")]);
    translator.settle(ROOT);
  }
  assert.ok(translator.branches.size <= MOST + 1, `${translator.branches.size} are kept`);
  assert.ok(translator.branches.has(`ses_${id(MOST + 9)}`), "the last ones are known");

  const first = `ses_${id(0)}`;
  const update = { type: "session.updated", properties: { sessionID: first, info: { id: first, parentID: ROOT } } };
  assert.deepEqual(translator.event(update).wants, [], "late news of a forgotten one are none");
  assert.ok(!translator.branches.has(first));

  translator.prompt("msg_900000");
  translator.learn(ROOT, [call("msg_900001", first)]);
  const said = translator.learn(first, [
    answer(first, "msg_000002", "seen"),
    answer(first, "msg_900002", "again"),
  ]).said;
  const texts = said.flatMap(({ signal }) => (signal.type === "text.done" ? [signal.text] : []));
  assert.deepEqual(texts, ["again"]);
});
