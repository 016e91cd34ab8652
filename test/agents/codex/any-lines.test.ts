import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { newDecodeState } from "../../../src/agents/codex/decode/state.ts";
import { opened } from "../../../src/agents/codex/decode/written.ts";
import { decodeLine } from "../../../src/agents/codex/decode.ts";
import { type Fields, fieldsIn, isFields, jsonIn } from "../../../src/core/json/fields.ts";
import { Recordings, textOf } from "../replay/recording.ts";
import { Replay } from "../replay/replay.ts";

const recordings = new Recordings("codex");
const ROOT = "thread-root";

const typeIn = (line: Fields): unknown => fieldsIn(fieldsIn(line, "params"), "item").type;

/** One line of each shape that the program was recorded with. */
function readShapes(): Fields[] {
  const found = new Map<string, Fields>();
  for (const name of recordings.names())
    for (const recorded of recordings.read(name)) {
      const line = recorded.dir === "out" ? jsonIn(textOf(recorded)) : undefined;
      if (!isFields(line) || line.method === undefined) continue;
      const item = fieldsIn(fieldsIn(line, "params"), "item");
      const turn = fieldsIn(fieldsIn(line, "params"), "turn");
      found.set(`${line.method} ${item.type} ${item.status ?? item.kind} ${turn.status}`, line);
    }
  return [...found.values()];
}

const SHAPES = readShapes();
/** Those on which the others hang come more often. */
const CORE = SHAPES.filter((line) =>
  /^turn\/(started|completed)$|subAgent|collab/.test(`${line.method}${typeIn(line)}`),
);
const THREADS = [ROOT, "thread-a", "thread-b", "__proto__", "constructor"];
const TURNS = ["turn-1", "turn-2", "turn-3", "toString"];
const ITEMS = ["item-1", "item-2", "item-3", "__proto__", "constructor"];
const ODD = [null, 0, -1, "", "constructor", [], {}, [null], "\ud800", 1e308, true];

const pick = <T>(values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const maybe = (name: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<Fields> =>
  fc.oneof({ weight: 8, arbitrary: value }, { weight: 1, arbitrary: pick(ODD) }).map((one) => ({ [name]: one }));

/** A recorded line about other threads, turns and items, some of it odd or missing. */
function anyLine(): fc.Arbitrary<Fields> {
  const facts = fc.tuple(
    maybe("threadId", pick(THREADS)),
    maybe("turnId", pick(TURNS)),
    maybe("itemId", pick(ITEMS)),
    maybe("id", pick(ITEMS)),
    maybe("id", pick(TURNS)),
    maybe("agentThreadId", pick(THREADS)),
    maybe("startedAtMs", pick([1, 2, null])),
    fc.nat({ max: 5 }),
  );
  return fc
    .tuple(fc.oneof(pick(SHAPES), pick(CORE)), facts)
    .map(([line, [thread, turn, itemId, item, turnOwn, child, began, id]]) => {
      const params = fieldsIn(line, "params");
      const receivers = { receiverThreadIds: [child.agentThreadId] };
      const about = {
        ...(params.item ? { item: { ...fieldsIn(params, "item"), ...item, ...child, ...began, ...receivers } } : {}),
        ...(params.turn ? { turn: { ...fieldsIn(params, "turn"), ...turnOwn } } : {}),
        ...(params.turnId ? turn : {}),
        ...(params.itemId ? itemId : {}),
        ...("requestId" in params ? { requestId: id } : {}),
      };
      return { ...line, ...("id" in line ? { id } : {}), params: { ...params, ...thread, ...about } };
    });
}

class AnyReplay extends Replay {
  state = opened(newDecodeState("/lab/work", "start"), ROOT, false);
  read(text: string, now: number): void {
    const before = this.state;
    const decoded = decodeLine(this.state, text, now);
    this.state = decoded.state;
    const line = JSON.parse(text) as Fields;
    const asks = decoded.said.filter(({ signal }) => signal.type === "permission" || signal.type === "question");
    if ("id" in line) {
      const known = before.requests.has(`start:${line.id}`);
      const replies = decoded.reply ? 1 : 0;
      assert.equal(replies + asks.length, known ? 0 : 1, `one answer to ${text}`);
    } else assert.equal(asks.length, 0);
    for (const { signal, child } of decoded.said) {
      assert.deepEqual(JSON.parse(JSON.stringify(signal)), signal, "a signal can be stored");
      this.say(signal, child);
    }
  }

  /** The program ends all that it began. */
  endTurns(): void {
    for (const { id, turn } of this.state.threads.values())
      if (turn) {
        const params = { threadId: id, turn: { id: turn.id, status: "completed", items: [] } };
        this.read(JSON.stringify({ method: "turn/completed", params }), 1);
      }
    for (const world of this.worlds()) world.fireTimers();
  }

  protected wrote(): void {}
}

describe("whatever lines come", () => {
  test("they break no law, open no turn without an end, and each request is answered once", () => {
    fc.assert(
      fc.property(fc.array(anyLine(), { maxLength: 60, size: "max" }), (lines) => {
        const played = new AnyReplay();
        for (const line of lines) played.read(JSON.stringify(line), 1);
        played.endTurns();
        for (const world of played.worlds()) assert.equal(world.state.turn, null, "a turn is open for ever");
        played.end();
        for (const world of played.worlds()) assert.deepEqual(world.broken(), []);
      }),
      { numRuns: 400 },
    );
  });

  test("no line makes the decoder throw", () => {
    const value = fc.jsonValue({ maxDepth: 4 });
    const params = fc.dictionary(
      fc.oneof(pick(["item", "turn", "threadId", "error", "run", "plan", "tokenUsage"]), fc.string()),
      value,
    );
    const method = pick(SHAPES.map((line) => line.method));
    const line = fc.oneof(fc.record({ method, params, id: fc.nat() }), fc.record({ method, params }), value);
    const state = opened(newDecodeState("/lab/work", "start"), ROOT, false);
    fc.assert(
      fc.property(line, (one) => {
        decodeLine(state, JSON.stringify(one), 1);
      }),
      { numRuns: 1_000 },
    );
  });
});
