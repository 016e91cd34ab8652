import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { eventually } from "../../support/eventually.ts";
import { openPuppet, SESSION } from "./puppet.ts";
import { played, said, setStage } from "./stage.ts";

function makeDirectory(t: TestContext): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "parley-withdrawn-")));
  t.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

const toolCall = { toolCallId: "c1", title: "ls", kind: "execute", rawInput: { command: "ls" } };
const options = [{ optionId: "y", name: "Yes", kind: "allow_once" }];
const requestedSchema = { type: "object", properties: { color: { type: "string" } } };
const cancelled = { code: -32_800, message: "the request was cancelled" };
const cancel = (requestId: unknown) => ({ method: "$/cancel_request", params: { requestId } });

describe("a request that the program takes back is answered as cancelled", () => {
  for (const [name, type, request] of [
    ["a permission", "permission", { method: "session/request_permission", params: { toolCall, options } }],
    [
      "a form",
      "question",
      { method: "elicitation/create", params: { mode: "form", message: "Which?", requestedSchema } },
    ],
  ] as const)
    test(`${name}, and the ask is withdrawn`, async (t) => {
      const { puppet, session, signals } = openPuppet(makeDirectory(t));
      await session.ready();
      await session.prompt({ id: "p", parts: [{ type: "text", text: "go" }] });
      for (const id of ["1", 1]) puppet.say({ id, ...request, params: { sessionId: SESSION, ...request.params } });
      const asks = signals.filter((signal) => signal.type === type).map((signal) => "ask" in signal && signal.ask);
      assert.equal(asks.length, 2);
      puppet.say(cancel(1));
      assert.deepEqual(
        signals.filter((signal) => signal.type === "ask.withdrawn"),
        [{ type: "ask.withdrawn", ask: asks[1] }],
        "ids of another kind are of other requests",
      );
      const answers = () => puppet.written.filter((line) => line.method === undefined);
      assert.deepEqual(answers(), [{ jsonrpc: "2.0", id: 1, error: cancelled }]);
      // Too late, twice, unknown, or none.
      await session.answer(String(asks[1]), { kind: "permission", outcome: "once" });
      for (const id of [1, "2", {}, undefined]) puppet.say(cancel(id));
      assert.equal(answers().length, 1, "each request has one answer");
      await session.kill(0);
    });

  for (const asks of [true, false])
    test(`a file that waits for ${asks ? "a person" : "the rules"}, and it is not read`, async (t) => {
      const directory = makeDirectory(t);
      writeFileSync(join(directory, "a.txt"), "one");
      const onSignal: Parameters<typeof openPuppet>[1] = (signal, session) => {
        if (asks && signal.type === "intent") void session.decide(signal.ask, "ask");
      };
      const { puppet, session, signals } = openPuppet(directory, onSignal, { hasRules: () => true });
      await session.ready();
      await session.prompt({ id: "p", parts: [{ type: "text", text: "go" }] });
      const params = { sessionId: SESSION, path: join(directory, "a.txt") };
      puppet.say({ id: "r", method: "fs/read_text_file", params });
      const awaited = asks ? "permission" : "intent";
      await eventually("it waits", () => signals.some(({ type }) => type === awaited));
      puppet.say(cancel("r"));
      await eventually("it is answered", () => puppet.written.some(({ id, error }) => id === "r" && error));
      assert.deepEqual(
        puppet.written.filter(({ id }) => id === "r"),
        [{ jsonrpc: "2.0", id: "r", error: cancelled }],
      );
      assert.equal(signals.filter(({ type }) => type === "ask.withdrawn").length, asks ? 1 : 0);
      await session.kill(0);
    });

  test("a wait for a terminal's end, and the command goes on", async (t) => {
    const { open } = await setStage(t);
    const watched = await open();
    const params = { command: "sleep", args: ["1000"] };
    await watched.turn(
      played([
        { request: { method: "terminal/create", params }, keep: "terminal" },
        { terminal: { method: "terminal/wait_for_exit", id: "w", wait: false } },
        { tell: cancel("w") },
        { answerOf: "w" },
        { terminal: { method: "terminal/output" }, tellAnswer: true },
      ]),
    );
    assert.equal(said(watched), JSON.stringify(cancelled) + JSON.stringify({ output: "", truncated: false }));
    await watched.session.close();
  });
});
