import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { answerFrom } from "../../src/cli/asks/answer.ts";
import { type Ask, createClient, type ParleyClient, type ParleyEvent } from "../../src/client/index.ts";
import type { Question } from "../../src/core/events/values.ts";
import { Home } from "./support.ts";

/** A server, and a session in which a prompt waits for an answer. */
async function asking(home: Home, prompt: string, client?: ParleyClient): Promise<{ client: ParleyClient; ask: Ask }> {
  const served = client ?? createClient({ url: (await home.serve()).line, token: tokenOf(home), name: "a-test" });
  const session = await served.sessions.create({ directory: home.work });
  await served.session(session).prompt(prompt);
  for await (const event of served.allEvents({ after: 0 })) {
    if (!event.type.endsWith(".requested") || (event.root ?? event.session) !== session.id) continue;
    const [ask] = await served.session(session).asks();
    if (ask) return { client: served, ask };
  }
  throw new Error("no ask came");
}

/** The first event of a type in a session, which may still have to come. */
async function first<T extends ParleyEvent["type"]>(client: ParleyClient, session: string, type: T) {
  for await (const event of client.session(session).events()) {
    if (event.type === type) return event as Extract<ParleyEvent, { type: T }>;
  }
  throw new Error(`no ${type} came`);
}

function tokenOf(home: Home): string {
  return readFileSync(join(home.dataDir, "token"), "utf8").trim();
}

test("asks lists what waits, over all sessions or of one, and answer answers it", async () => {
  await using home = new Home();
  const { client, ask } = await asking(home, "[[ask ls -l]]");
  const child = await asking(home, "[[subagent ask]]", client);

  const all = await home.run(["asks"]);
  assert.match(
    all.stdout,
    new RegExp(`^${ask.id}  \\d+s  in ${ask.session}\n.*bash[\\s\\S]*ls -l[\\s\\S]*parley answer ${ask.id} `),
  );
  assert.ok(all.stdout.indexOf(child.ask.id) > all.stdout.indexOf(ask.id), "oldest first");
  const one = JSON.parse((await home.run(["asks", ask.session.slice(-8), "--json"])).stdout);
  assert.deepEqual(
    one.map(({ id }: Ask) => id),
    [ask.id],
  );

  const allowed = await home.run(["answer", ask.id.slice(0, 20), "allow"]);
  assert.deepEqual([allowed.code, allowed.stderr], [0, `${ask.id}: once\n`]);
  const denied = await home.run(["answer", child.ask.id, "deny", "not", "now", "--json"]);
  assert.deepEqual(JSON.parse(denied.stdout), { ask: child.ask.id, session: child.ask.session, outcome: "reject" });
  const { outcome, by, feedback } = (await first(client, child.ask.session, "permission.resolved")).data;
  assert.deepEqual({ outcome, by, feedback }, { outcome: "reject", by: "parley-cli", feedback: "not now" });

  const none = await home.run(["asks"]);
  assert.deepEqual([none.code, none.stdout, none.stderr], [0, "", "nothing waits for an answer\n"]);
});

test("an ask that somebody else answered says who, and an unknown one that there is none", async () => {
  await using home = new Home();
  const { client, ask } = await asking(home, "[[ask ls]]");
  const wrong = await home.run(["answer", ask.id, "perhaps"]);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, new RegExp(`expected parley answer ${ask.id} allow\\|always\\|deny.*got "perhaps"`));
  const unsaid = await home.run(["answer", ask.id]);
  assert.equal(unsaid.code, 2);
  assert.match(unsaid.stderr, /expected an answer: parley answer/);
  await client.session(ask.session).answer(ask, "always");
  const late = await home.run(["answer", ask.id, "deny"]);
  assert.deepEqual([late.code, late.stderr], [1, `parley: ${ask.id}: answered elsewhere: always, by a-test\n`]);
  const unknown = await home.run(["answer", "per_nope", "deny"]);
  assert.deepEqual([unknown.code, unknown.stderr], [2, "parley: no ask per_nope; nothing waits for an answer now\n"]);
});

test("a question is shown with its options, and answered by the number of one", async () => {
  await using home = new Home();
  const { client, ask } = await asking(home, "[[question]]");
  assert.match(
    (await home.run(["asks"])).stdout,
    /Which colour shall it be\?\n {4}1\) [\s\S]*parley answer que_\S+ "…"/,
  );
  assert.equal((await home.run(["answer", ask.id, "1"])).code, 0);
  assert.deepEqual((await first(client, ask.session, "question.resolved")).data.answers, [["red"]]);
});

test("without a server nothing waits, and nothing can be answered or cancelled", async () => {
  await using home = new Home();
  const session = JSON.parse((await home.run(["run", "--format", "json", "x"])).stdout).session;
  assert.equal((await home.run(["asks"])).stderr, "nothing waits for an answer: no server runs here\n");
  assert.equal((await home.run(["asks", "--json"])).stdout, "[]\n");
  const answer = await home.run(["answer", "per_1", "allow"]);
  assert.equal(answer.code, 1);
  assert.match(answer.stderr, /no server runs on .*so nothing waits/);
  const cancel = await home.run(["cancel", session]);
  assert.deepEqual([cancel.code, cancel.stderr], [0, `${session} is idle: no server runs here\n`]);
  assert.equal((await home.run(["cancel", "nope"])).code, 2);
});

test("cancel stops the turn, and leaves an idle session as it is", async () => {
  await using home = new Home();
  const { client, ask } = await asking(home, "[[ask ls]]");
  const queued = await client.session(ask.session).prompt("next");
  const cancelled = await home.run(["cancel", ask.session.slice(-8), "--json"]);
  assert.deepEqual(JSON.parse(cancelled.stdout), { session: ask.session, cancelled: true, turn: ask.turn });
  const events = (await client.session(ask.session).page({ limit: 500 })).events;
  assert.ok(events.some((event) => event.type === "prompt.withdrawn" && event.data.prompt === queued.prompt));
  const idle = await home.run(["cancel", ask.session]);
  assert.deepEqual([idle.code, idle.stderr], [0, `${ask.session} is idle\n`]);
});

const question = (more: Partial<Question> = {}): Question => ({
  question: "Which?",
  options: [{ label: "Red" }, { label: "Blue" }],
  ...more,
});

function questions(...all: Question[]): Ask {
  return { id: "que_1", kind: "question", session: "ses_1", time: 0, request: { ask: "que_1", questions: all } };
}

const answered = (...answers: string[][]) => ({ outcome: "answered", answers });

const rows: [what: string, ask: Ask, words: string[], answer: unknown][] = [
  ["a number", questions(question()), ["2"], answered(["Blue"])],
  ["a label", questions(question()), ["blue"], answered(["Blue"])],
  ["several numbers", questions(question({ multiple: true })), ["1,2"], answered(["Red", "Blue"])],
  ["free words", questions(question({ custom: true })), ["dark", "green"], answered(["dark green"])],
  ["a refusal", questions(question()), ["deny"], "rejected"],
  [
    "a refusal with a reason",
    questions(question()),
    ["deny", "ask", "her"],
    { outcome: "rejected", feedback: "ask her" },
  ],
  ["an option named deny", questions(question({ options: [{ label: "Deny" }] })), ["deny"], answered(["Deny"])],
  ["one word for each of two", questions(question(), question()), ["1", "2"], answered(["Red"], ["Blue"])],
];

for (const [what, ask, words, answer] of rows) {
  test(`the words of an answer can be ${what}`, () => assert.deepEqual(answerFrom(ask, words), answer));
}

test("an answer that a question does not offer names what it does", () => {
  assert.throws(
    () => answerFrom(questions(question()), ["green"]),
    /expected 1 \(Red\), 2 \(Blue\), or deny; got "green"/,
  );
  assert.throws(() => answerFrom(questions(question(), question()), ["1"]), /expected 2 answers.*got 1/);
});
