import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { resultOf } from "../../../src/agents/codex/answers.ts";
import { type DecodeState, newDecodeState } from "../../../src/agents/codex/decode/state.ts";
import { opened } from "../../../src/agents/codex/decode/written.ts";
import { type Decoded, decodeLine } from "../../../src/agents/codex/decode.ts";
import type { Answer } from "../../../src/core/ledger/signals.ts";

const THREAD = "01a1e12b-9f81-7b91-89f1-d2ab7b7cd9af";
const TURN = "01a1e12b-a00c-7cd3-80a0-9b580129b7cf";
const AT = { threadId: THREAD, turnId: TURN, itemId: "call_1" };

function read(state: DecodeState, line: object): Decoded {
  return decodeLine(state, JSON.stringify(line), 0);
}

/** A thread with a turn under way. */
function busy(): DecodeState {
  const state = opened(newDecodeState("/work", "p"), THREAD, false);
  return read(state, { method: "turn/started", params: { threadId: THREAD, turn: { id: TURN } } }).state;
}

const REQUESTS: Readonly<Record<string, object>> = {
  "item/commandExecution/requestApproval": { ...AT, command: "/bin/bash -lc 'ls; rm x'", cwd: "/work" },
  "item/fileChange/requestApproval": AT,
  "item/permissions/requestApproval": {
    ...AT,
    permissions: { network: { enabled: true }, fileSystem: { read: null, write: ["/etc"] } },
  },
  "item/tool/requestUserInput": { ...AT, questions: [{ id: "q", question: "Which?", options: [{ label: "A" }] }] },
  "mcpServer/elicitation/request": {
    ...AT,
    serverName: "s",
    mode: "form",
    message: "Name?",
    requestedSchema: { type: "object", properties: { name: { type: "string" } } },
  },
};
const REFUSED: Readonly<Record<string, object>> = {
  "item/commandExecution/requestApproval": { decision: "decline" },
  "item/fileChange/requestApproval": { decision: "decline" },
  "item/permissions/requestApproval": { permissions: {}, scope: "turn" },
  "item/tool/requestUserInput": { answers: {} },
  "mcpServer/elicitation/request": { action: "decline", content: null, _meta: null },
};

describe("requests of Codex", () => {
  for (const [method, params] of Object.entries(REQUESTS)) {
    test(`${method} is an ask in its turn, once, and is refused after it`, () => {
      const state = busy();
      const asked = read(state, { id: 0, method, params });
      assert.equal(asked.reply, undefined);
      assert.deepEqual([...asked.state.requests.keys()], ["p:0"]);
      const kinds = asked.said.map(({ signal }) => signal.type).filter((type) => type !== "step.begun");
      assert.ok(kinds.length === 1 && (kinds[0] === "permission" || kinds[0] === "question"), kinds.join());
      assert.deepEqual(read(asked.state, { id: 0, method, params }).said, [], "a repeat is the same ask");

      const over = { threadId: THREAD, turn: { id: TURN, status: "completed" } };
      const idle = read(state, { method: "turn/completed", params: over }).state;
      const late = read(idle, { id: 7, method, params });
      assert.deepEqual([late.reply, late.said], [{ id: 7, result: REFUSED[method] }, []]);
    });
  }

  test("a method that Parley does not serve gets an error", () => {
    for (const method of ["item/tool/call", "attestation/generate", "something/new", "__proto__", "constructor"]) {
      const { reply, said, state } = read(busy(), { id: "x", method, params: AT });
      assert.deepEqual([reply?.id, reply?.error?.code, said, state.requests.size], ["x", -32_601, [], 0], method);
    }
  });

  test("a request that the program takes back is withdrawn, and one that was answered is not", () => {
    const method = "item/commandExecution/requestApproval";
    const asked = read(busy(), { id: 3, method, params: REQUESTS[method] });
    const gone = read(asked.state, { method: "serverRequest/resolved", params: { threadId: THREAD, requestId: 3 } });
    assert.deepEqual(gone.said, [{ signal: { type: "ask.withdrawn", ask: "p:3" } }]);
    assert.equal(gone.state.requests.size, 0);
    const again = read(gone.state, { method: "serverRequest/resolved", params: { threadId: THREAD, requestId: 3 } });
    assert.deepEqual(again.said, []);
  });

  test("nobody is asked for a secret", () => {
    const questions = [{ id: "q", question: "The key?", isSecret: true, options: null }];
    const { reply, said } = read(busy(), { id: 1, method: "item/tool/requestUserInput", params: { ...AT, questions } });
    assert.deepEqual(reply, { id: 1, result: { answers: {} } });
    assert.deepEqual(
      said.map(({ signal }) => signal.type),
      ["note"],
    );
  });

  const once: Answer = { kind: "permission", outcome: "once" };
  const always: Answer = { kind: "permission", outcome: "always" };
  const reject: Answer = { kind: "permission", outcome: "reject" };
  const stop: Answer = { kind: "permission", outcome: "reject", stop: true };
  const command = "item/commandExecution/requestApproval";
  const rights = { network: { enabled: true }, fileSystem: { read: null, write: ["/etc"] } };
  const ANSWERS: [method: string, answer: Answer, result: object][] = [
    [command, once, { decision: "accept" }],
    [command, always, { decision: "accept" }],
    [command, reject, { decision: "decline" }],
    [command, stop, { decision: "cancel" }],
    ["item/fileChange/requestApproval", stop, { decision: "cancel" }],
    ["item/permissions/requestApproval", once, { permissions: rights, scope: "turn" }],
    ["item/permissions/requestApproval", always, { permissions: rights, scope: "session" }],
    ["item/permissions/requestApproval", reject, { permissions: {}, scope: "turn" }],
    [
      "item/tool/requestUserInput",
      { kind: "question", outcome: "answered", answers: [["A"]] },
      { answers: { q: { answers: ["A"] } } },
    ],
    ["item/tool/requestUserInput", { kind: "question", outcome: "rejected" }, { answers: {} }],
    [
      "mcpServer/elicitation/request",
      { kind: "question", outcome: "answered", answers: [["Ada"]] },
      { action: "accept", content: { name: "Ada" }, _meta: null },
    ],
    [
      "mcpServer/elicitation/request",
      { kind: "question", outcome: "rejected" },
      { action: "decline", content: null, _meta: null },
    ],
  ];

  test("answers in the program's words: an always is never the program's own, a last word cancels", () => {
    for (const [method, answer, result] of ANSWERS) {
      const request = { id: 0, method, params: { ...REQUESTS[method] }, thread: THREAD };
      assert.deepEqual(resultOf(request, answer), result, `${method} ${answer.outcome}`);
    }
  });
});
