import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import fc from "fast-check";
import { type Fields, fieldsIn, isFields, jsonIn } from "../../../src/core/json/fields.ts";
import { eventually } from "../../support/eventually.ts";
import { Recordings, textOf } from "../replay/recording.ts";
import { type Opened, openPuppet, SESSION } from "./puppet.ts";
import { broken } from "./stage.ts";

const directory = realpathSync(mkdtempSync(join(tmpdir(), "parley-acp-lines-")));
writeFileSync(join(directory, "a.txt"), "a");
after(() => rmSync(directory, { recursive: true, force: true }));

function open(): Opened {
  return openPuppet(directory, (signal, session) => {
    if (signal.type === "permission") void session.answer(signal.ask, { kind: "permission", outcome: "once" });
    if (signal.type === "question") void session.answer(signal.ask, { kind: "question", outcome: "rejected" });
  });
}

/** One update and one request of each shape that agents were recorded with. */
function readShapes(): Fields[] {
  const recordings = new Recordings("acp");
  const found = new Map<string, Fields>();
  for (const name of recordings.names())
    for (const recorded of recordings.read(name)) {
      const line = recorded.dir === "out" ? jsonIn(textOf(recorded)) : undefined;
      if (!isFields(line) || line.method === undefined) continue;
      const update = fieldsIn(fieldsIn(line, "params"), "update");
      const meta = Object.keys(fieldsIn(update, "_meta")).join();
      found.set(`${line.method} ${update.sessionUpdate} ${update.status} ${update.kind} ${meta}`, line);
    }
  return [...found.values()];
}

const SHAPES = readShapes();
const REQUESTS = [
  "session/request_permission",
  "elicitation/create",
  "fs/read_text_file",
  "terminal/output",
  "x/y",
  "__proto__",
];
const CALLS = ["c1", "c2", "__proto__", "constructor"];
/** A value that `String` throws for. */
const NO_WORD = { toString: 1, valueOf: 1 };
const ODD = [null, 0, -1, "", [], {}, [null], "\ud800", 1e308, true, "constructor", NO_WORD, [NO_WORD]];

const pick = <T>(values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const maybe = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 6, arbitrary: value }, { weight: 1, arbitrary: pick(ODD) });

/** A recorded update about other calls and messages, some of it odd. */
const anyUpdate: fc.Arbitrary<Fields> = fc
  .record({
    shape: pick(SHAPES),
    call: maybe(pick(CALLS)),
    message: maybe(pick(["m1", "m2"])),
    odd: maybe(pick(["kept"])),
  })
  .map(({ shape, call, message, odd }) => {
    const update = { ...fieldsIn(fieldsIn(shape, "params"), "update"), toolCallId: call, messageId: message };
    const spoiled =
      odd === "kept"
        ? update
        : { ...update, content: odd, rawOutput: odd, locations: odd, entries: odd, severity: odd };
    return { method: "session/update", params: { sessionId: SESSION, update: spoiled } };
  });

/** The parameters of a request, with an odd value in every place. */
function oddly(call: unknown, kind: string, odd: unknown): Fields {
  const rawInput = { command: [odd], path: odd, cwd: odd, changes: odd };
  const content = [{ type: "diff", path: odd, oldText: odd, newText: odd }];
  const field = { type: odd, title: odd, oneOf: [{ const: odd, title: odd }], enum: [odd], items: { anyOf: [odd] } };
  return {
    options: [{ optionId: odd, kind: odd, name: odd }],
    toolCall: { toolCallId: call, title: odd, kind, rawInput, content, locations: [{ path: odd, line: odd }] },
    message: odd,
    requestedSchema: { properties: { a: field, b: odd } },
  };
}

const anyRequest: fc.Arbitrary<Fields> = fc
  .record({
    method: pick(REQUESTS),
    call: maybe(pick(CALLS)),
    odd: maybe(pick(["kept"])),
    within: maybe(pick(["kept"])),
    path: pick(["a.txt", "/etc/passwd", "b"]),
    kind: pick(["execute", "edit", "switch_mode", "constructor"]),
  })
  .map(({ method, call, odd, within, path, kind }) => {
    const options = odd === "kept" ? [{ optionId: "y", kind: "allow_once", name: "y" }] : odd;
    const toolCall = odd === "kept" ? { toolCallId: call, title: "t", kind } : odd;
    const told = { options, toolCall, message: "?", requestedSchema: odd };
    const params = within === "kept" ? told : oddly(call, kind, within);
    return { method, params: { sessionId: SESSION, path, mode: "form", ...params } };
  });

describe("whatever lines come", () => {
  test("each request gets one answer, no law is broken, and the prompt's answer alone ends the turn", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(anyUpdate, anyUpdate, anyRequest), { maxLength: 40, size: "max" }),
        pick(["end_turn", "cancelled", "strange", "constructor"]),
        async (lines, stopReason) => {
          const { puppet, session, signals } = open();
          await session.ready();
          await session.prompt({ id: "msg", parts: [{ type: "text", text: "go" }] });
          let requests = 0;
          for (const line of lines)
            puppet.say(
              line.method === "session/update" ? line : { ...line, id: ++requests % 2 ? requests : `r${requests}` },
            );
          assert.equal(
            signals.some(({ type }) => type === "turn.finished"),
            false,
          );
          puppet.say({ id: puppet.prompt, result: { stopReason } });
          puppet.say({ id: puppet.prompt, result: { stopReason } });
          const answers = (): Fields[] => puppet.written.filter(({ method }) => method === undefined);
          await eventually("an answer to each request", () => answers().length >= requests);
          assert.equal(answers().length, requests);
          assert.equal(new Set(answers().map(({ id }) => id)).size, requests);
          for (const answer of answers()) assert.equal("result" in answer, !("error" in answer));
          await session.close();
          assert.equal(signals.filter(({ type }) => type === "turn.finished").length, 1);
          assert.equal(signals.at(-1)?.type, "exited");
          assert.deepEqual(JSON.parse(JSON.stringify(signals)), signals, "signals can be stored");
          assert.deepEqual(broken(signals), []);
        },
      ),
      { numRuns: 150 },
    );
  });

  test("no line makes the session throw", async () => {
    const { puppet, session } = open();
    await session.ready();
    await session.prompt({ id: "msg", parts: [] });
    const value = fc.jsonValue({ maxDepth: 4 });
    const params = fc.dictionary(fc.oneof(pick(["update", "sessionId", "toolCall", "options"]), fc.string()), value);
    const line = fc.oneof(value, fc.record({ method: pick(["session/update", ...REQUESTS]), params, id: value }));
    fc.assert(
      fc.property(line, (one) => puppet.say(JSON.stringify(one))),
      { numRuns: 500 },
    );
    await session.close();
  });
});
