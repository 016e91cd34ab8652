import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { clearAsks, type Reply, replyTo, sendReply, stopWork } from "../../../../src/agents/opencode/asks.ts";
import type { Answer } from "../../../../src/core/ledger/signals.ts";
import { CUT, Otherwise, StandIn } from "../stand-in.ts";

describe("an answer as the program takes it", () => {
  const allowed = { kind: "permission", verb: "reply", body: { reply: "once" }, isLastWord: false } as const;
  const refused = { kind: "permission", verb: "reply", body: { reply: "reject" }, isLastWord: true } as const;
  const dismissed = { kind: "question", verb: "reject", body: {}, isLastWord: true } as const;
  const cases: [answer: Answer, reply: Reply][] = [
    [{ kind: "permission", outcome: "once" }, allowed],
    // The program's own "always" would hold for all sessions of the directory.
    [{ kind: "permission", outcome: "always" }, allowed],
    [{ kind: "permission", outcome: "reject" }, refused],
    [{ kind: "permission", outcome: "reject", feedback: "" }, refused],
    [{ kind: "permission", outcome: "reject", feedback: "no", stop: true }, refused],
    [
      { kind: "permission", outcome: "reject", feedback: "use b" },
      { ...refused, body: { reply: "reject", message: "use b" }, isLastWord: false },
    ],
    [
      { kind: "question", outcome: "answered", answers: [["a"], ["b", "c"]] },
      { kind: "question", verb: "reply", body: { answers: [["a"], ["b", "c"]] }, isLastWord: false },
    ],
    [{ kind: "question", outcome: "rejected" }, dismissed],
    [{ kind: "question", outcome: "rejected", feedback: "later" }, dismissed],
  ];
  for (const [answer, reply] of cases)
    test(JSON.stringify(answer), () => {
      assert.deepEqual(replyTo(answer, true), reply);
      // Nothing is allowed while the turn is being stopped.
      assert.notDeepEqual(replyTo(answer, false).body, allowed.body);
    });
});

describe("a reply", { concurrency: true }, () => {
  const send = (stand: StandIn, signal = new AbortController().signal): Promise<void> =>
    sendReply(stand.api(), "/permission/per_1/reply", { reply: "once" }, signal);

  test("is sent once where the program hears it, or does not want it any more", async (t) => {
    const stand = await StandIn.open(t);
    for (const answer of [true, new Otherwise(404), new Otherwise(400)]) {
      stand.heard.length = 0;
      stand.on("POST /permission/per_1/reply", answer);
      await send(stand);
      assert.deepEqual(
        stand.heard.map(({ body }) => body),
        [{ reply: "once" }],
      );
    }
  });

  test("is sent again where it was lost on the way, also by a proxy that says so", async (t) => {
    const stand = await StandIn.open(t);
    const answers = [CUT, new Otherwise(502), new Otherwise(504, "<html>", { "content-type": "text/html" }), true];
    let tries = 0;
    stand.on("POST /permission/per_1/reply", () => answers[tries++]);
    await send(stand);
    assert.equal(tries, answers.length);
  });

  test("is sent no more when the session is over", async (t) => {
    const stand = await StandIn.open(t);
    const closing = new AbortController();
    stand.on("POST /permission/per_1/reply", () => {
      closing.abort();
      return CUT;
    });
    await send(stand, closing.signal);
    assert.equal(stand.heard.length, 1);
  });
});

test("a stop that fails is not told", async (t) => {
  const stand = await StandIn.open(t);
  stand.on("POST /session/ses_1/abort", CUT);
  await stopWork(stand.api(), "ses_1", 1_000);
  assert.equal(stand.heard.length, 1);
});

describe("asks that nobody waits for", { concurrency: true }, () => {
  test("are refused, those of the sessions that were named alone", async (t) => {
    const stand = await StandIn.open(t);
    stand
      .on("GET /permission", [
        { id: "per_1", sessionID: "ses_1" },
        { id: "per_2", sessionID: "ses_2" },
        { id: "per_3", sessionID: "ses_3" },
      ])
      .on("GET /question", [{ id: "que_1", sessionID: "ses_1" }])
      .on("POST /permission/per_1/reply", new Otherwise(404));
    await clearAsks(stand.api(), ["ses_1", "ses_3"]);
    const posted = stand.heard.filter(({ method }) => method === "POST").map(({ path, body }) => [path, body]);
    assert.deepEqual(posted, [
      ["/permission/per_1/reply", { reply: "reject" }],
      ["/permission/per_3/reply", { reply: "reject" }],
      ["/question/que_1/reject", {}],
    ]);
  });

  test("do not disturb where they cannot be asked for", async (t) => {
    const stand = await StandIn.open(t);
    stand.on("GET /permission", CUT).on("GET /question", new Otherwise(500));
    await clearAsks(stand.api(), ["ses_1"]);
  });
});
