import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Random } from "../random.ts";
import { type Act, anyRates, CALM, type Fault, FrameFaults, messageOf, type Rates } from "./faults.ts";

/** Pieces of three messages in turn, with a word about the session now and then. */
const FRAMES = Array.from({ length: 60 }, (_, index) => {
  const about = index % 10 === 9 ? { sessionID: "ses_1" } : { messageID: `msg_${index % 3}` };
  return `data: ${JSON.stringify({ id: `evt_${index}`, properties: about })}\n\n`;
});

function actsOf(rates: Partial<Rates>, seed = 1): Act[] {
  const faults = new FrameFaults(new Random(seed), () => ({ ...CALM, ...rates }));
  return [...FRAMES.flatMap((frame) => faults.take(frame)), ...faults.flush()];
}

const written = (acts: readonly Act[]): string => acts.map((act) => (act.do === "write" ? act.text : "")).join("");
const framesIn = (text: string): string[] => text.split(/(?<=\n\n)/).filter((frame) => frame !== "");
const of = (frames: readonly string[], message: string | undefined): string[] =>
  frames.filter((frame) => messageOf(frame) === message);

describe("faults of frames", () => {
  test("none without a chance", () => assert.equal(written(actsOf({})), FRAMES.join("")));

  test("the same for the same seed, others for another", () => {
    const rates = anyRates(new Random(3));
    assert.deepEqual(actsOf(rates, 5), actsOf(rates, 5));
    assert.notDeepEqual(actsOf({ drop: 0.5 }, 5), actsOf({ drop: 0.5 }, 6));
  });

  test("a drop leaves out frames and keeps the order of the others", () => {
    const left = framesIn(written(actsOf({ drop: 0.3 })));
    assert.ok(left.length < FRAMES.length && left.length > 0);
    assert.deepEqual(
      left,
      FRAMES.filter((frame) => left.includes(frame)),
    );
  });

  test("the first words of a connection are not dropped", () => {
    const hello = 'data: {"type":"server.connected","properties":{}}\n\n';
    const faults = new FrameFaults(new Random(1), () => ({ ...CALM, drop: 1 }));
    assert.deepEqual(faults.take(hello), [{ do: "write", text: hello }]);
  });

  test("a swap changes the order of messages, and none within a message or of words about the session", () => {
    for (let seed = 0; seed < 50; seed++) {
      const swapped = framesIn(written(actsOf({ swap: 0.3 }, seed)));
      assert.notDeepEqual(swapped, FRAMES);
      assert.deepEqual([...swapped].sort(), [...FRAMES].sort());
      for (const message of ["msg_0", "msg_1", "msg_2", undefined])
        assert.deepEqual(of(swapped, message), of(FRAMES, message));
      for (const [index, frame] of FRAMES.entries())
        if (messageOf(frame) === undefined) assert.equal(swapped.indexOf(frame), index, "nothing passes it by");
    }
  });

  test("a repeat tells a frame again, never after a later one of its message", () => {
    for (let seed = 0; seed < 50; seed++) {
      const repeated = framesIn(written(actsOf({ repeat: 0.4 }, seed)));
      assert.ok(repeated.length > FRAMES.length);
      for (const message of ["msg_0", "msg_1", "msg_2", undefined]) {
        const once = of(repeated, message).filter((frame, index, all) => frame !== all[index - 1]);
        assert.deepEqual(once, of(FRAMES, message));
      }
    }
  });

  test("a split changes no byte", () => {
    const acts = actsOf({ split: 1 });
    assert.equal(written(acts), FRAMES.join(""));
    assert.ok(acts.filter((act) => act.do === "write").length > FRAMES.length);
  });

  test("a cut comes before, within and after frames", () => {
    const cuts = actsOf({ cut: 1 }).flatMap((act) => (act.do === "cut" ? [act] : []));
    const lengths = cuts.map(({ before }, index) => [before.length, FRAMES[index]?.length ?? 0] as const);
    assert.ok(lengths.some(([length]) => length === 0));
    assert.ok(lengths.some(([length, whole]) => length > 0 && length < whole));
    assert.ok(lengths.some(([length, whole]) => length === whole));
    assert.deepEqual([...new Set(cuts.map(({ how }) => how))].sort(), ["end", "reset"]);
  });

  test("chosen rates have each fault in some run, and none in another", () => {
    const all = Array.from({ length: 100 }, (_, seed) => anyRates(new Random(seed)));
    for (const fault of Object.keys(CALM) as Fault[]) {
      assert.ok(
        all.some((rates) => rates[fault] > 0),
        fault,
      );
      assert.ok(
        all.some((rates) => rates[fault] === 0),
        fault,
      );
    }
  });
});

describe("the message of a frame", () => {
  const cases: [object, string | undefined][] = [
    [{ properties: { messageID: "msg_1", partID: "prt_1" } }, "msg_1"],
    [{ properties: { part: { id: "prt_1", messageID: "msg_2" } } }, "msg_2"],
    [{ properties: { info: { id: "msg_3", role: "user" } } }, "msg_3"],
    [{ properties: { info: { id: "ses_1", title: "A session" } } }, undefined],
    [{ properties: { id: "per_1", tool: { messageID: "msg_4" } } }, "msg_4"],
    [{ properties: { sessionID: "ses_1", status: { type: "idle" } } }, undefined],
    [{}, undefined],
  ];
  for (const [event, message] of cases)
    test(JSON.stringify(event), () => assert.equal(messageOf(`data: ${JSON.stringify(event)}\n\n`), message));
  test("words that are no JSON belong to none", () => assert.equal(messageOf("data: {half"), undefined));
});
