import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Script } from "../../../src/testing/model/script.ts";
import { completed, of, Stage } from "../../agents/claude/stage.ts";
import type { Detail } from "../../support/api.ts";
import { OpencodeClient } from "../../support/opencode.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, long } from "../../support/time.ts";

const { program = "", skip } = await realAgent("claude");

const SCRIPT: Script = {
  prompts: {
    "*": [{ text: "I heard: {{prompt}}" }],
    edit: [
      { tools: [{ name: "Write", input: { file_path: "made.txt", content: "words\n" } }] },
      { text: "I wrote it." },
    ],
    wait: [{ text: ["One ", { text: "two.", hold: "gate" }] }],
  },
};

/** The words of both sides in the last request to the model, without what the program adds. */
function remembered(stage: Stage): string[] {
  const { messages = [] } = stage.calls().at(-1) ?? {};
  return messages.flatMap(({ role, content }) => {
    if (role === "system") return [];
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    return (blocks as { text?: string }[]).flatMap(({ text = "" }) =>
      text === "" || text.includes("<system-reminder>") ? [] : [text.trim()],
    );
  });
}

const shown = async (stage: Stage, session: string): Promise<string[]> =>
  completed(await stage.api.events(session), "message").flatMap(({ text }) => (typeof text === "string" ? [text] : []));

/** Whether the program had lost its memory of the session, and a fresh one was told the conversation. */
const forgot = async (stage: Stage, session: string): Promise<boolean> =>
  completed(await stage.api.events(session), "status").some(({ code }) => code === "resume_lost");

const fork = (stage: Stage, session: string, body: object = {}): Promise<Detail> =>
  stage.api.expect(201, "POST", `/v1/sessions/${session}/fork`, body);

const promptOf = async (stage: Stage, session: string, at: number): Promise<string> =>
  of(await stage.api.events(session), "turn.started")[at]?.data.prompt?.id ?? "";

describe("forks of the real Claude Code", { skip, timeout: GROUP_MS }, () => {
  test("a fork has the history in the log and in the program's memory, whatever its source does since", async (t) => {
    const stage = await Stage.open(t, program, { script: SCRIPT });
    const source = await stage.session();
    await stage.api.ask(source, "one");
    await stage.api.ask(source, "two");
    const { id } = await fork(stage, source);
    const early = await fork(stage, source, { before: await promptOf(stage, source, 1) });
    await stage.api.ask(source, "three");
    assert.deepEqual(await shown(stage, id), ["one", "I heard: one", "two", "I heard: two"]);
    await stage.api.ask(id, "four");
    assert.deepEqual(remembered(stage), ["one", "I heard: one", "two", "I heard: two", "four"]);
    await stage.api.ask(early.id, "five");
    assert.deepEqual(remembered(stage), ["one", "I heard: one", "five"]);
    // A fork of a fork, before and after its first turn, and at a turn that it was copied with.
    const again = await fork(stage, id, { before: await promptOf(stage, id, 1) });
    await stage.api.ask(again.id, "six");
    assert.deepEqual(remembered(stage), ["one", "I heard: one", "six"]);
    const unused = await fork(stage, (await fork(stage, early.id)).id);
    await stage.api.ask(unused.id, "seven");
    assert.deepEqual(remembered(stage), ["one", "I heard: one", "five", "I heard: five", "seven"]);
    await stage.api.ask(source, "eight");
    assert.deepEqual(remembered(stage).slice(-3), ["three", "I heard: three", "eight"]);
    const natives = [source, id, early.id, again.id, unused.id].map(
      async (one) => (await stage.api.session(one)).nativeId,
    );
    assert.equal(new Set(await Promise.all(natives)).size, 5, "each has a memory of its own");
    // The copied turns are turns of the forks.
    await stage.close(16);
  });

  test("a session without turns, a busy one and one whose turn was cancelled can be forked", long, async (t) => {
    const stage = await Stage.open(t, program, { script: SCRIPT });
    const source = await stage.session();
    const empty = await fork(stage, source);
    await stage.api.ask(empty.id, "alone");
    assert.deepEqual(remembered(stage), ["alone"]);
    await stage.api.ask(source, "one");
    await stage.api.prompt(source, "[[wait]] two");
    await stage.model.until(() => stage.model.held.has("gate"));
    const busy = await fork(stage, source);
    assert.deepEqual(await shown(stage, busy.id), ["one", "I heard: one"]);
    await stage.api.cancel(source);
    stage.model.release("gate");
    await stage.api.ask(busy.id, "three");
    assert.deepEqual(remembered(stage), ["one", "I heard: one", "three"]);
    const after = await fork(stage, source);
    await stage.api.ask(after.id, "four");
    assert.deepEqual(remembered(stage).slice(0, 3), ["one", "I heard: one", "[[wait]] two"]);
    assert.equal(remembered(stage).at(-1), "four");
    await stage.close(8);
  });

  test("a fork goes on when Parley was started anew before its first prompt", long, async (t) => {
    const stage = await Stage.open(t, program, { script: SCRIPT });
    const source = await stage.session();
    await stage.api.ask(source, "one");
    const { id } = await fork(stage, source);
    await stage.api.ask(source, "two");
    await stage.server.restart();
    await stage.api.ask(id, "three");
    assert.deepEqual(remembered(stage), ["one", "I heard: one", "three"]);
  });

  test("a fork from before a compaction is told the conversation", long, async (t) => {
    const stage = await Stage.open(t, program, { script: SCRIPT });
    const source = await stage.session();
    for (const text of ["one", "two", "three"]) await stage.api.ask(source, text);
    const { id } = await fork(stage, source, { before: await promptOf(stage, source, 2) });
    await stage.api.ask(source, "/compact");
    const { reason, error } = await stage.api.ask(id, "four");
    assert.equal(reason, "end_turn", error?.message);
    assert.match(remembered(stage).join("\n"), /one.*two.*four/s);
    assert.equal(await forgot(stage, id), true);
    assert.doesNotMatch(remembered(stage).join("\n"), /three/);
    const later = await fork(stage, source);
    await stage.api.ask(later.id, "five");
    assert.equal(remembered(stage).at(-1), "five");
    assert.equal(await forgot(stage, later.id), false);
    await stage.close(12);
  });
});

describe("reverts with the real Claude Code", { skip, timeout: GROUP_MS }, () => {
  test("a turn and its file are taken back, and the program goes on as if it had not been", async (t) => {
    const stage = await Stage.open(t, program, { script: SCRIPT });
    const id = await stage.session({ mode: "acceptEdits" });
    await stage.api.ask(id, "one");
    await stage.api.ask(id, "[[edit]] two");
    const file = join(stage.directory, "made.txt");
    assert.equal(readFileSync(file, "utf8"), "words\n");
    const message = await promptOf(stage, id, 1);
    const client = new OpencodeClient(stage.api.url);
    const revert = (messageID: string) => client.expect(200, "POST", `/session/${id}/revert`, { body: { messageID } });
    await revert(message);
    assert.equal(existsSync(file), false);
    await client.expect(200, "POST", `/session/${id}/unrevert`);
    assert.equal(readFileSync(file, "utf8"), "words\n");
    await revert(message);
    await stage.api.ask(id, "three");
    assert.deepEqual(remembered(stage), ["one", "I heard: one", "three"]);
    // To the very beginning: nothing is remembered, and nothing is told.
    await revert(await promptOf(stage, id, 0));
    await stage.api.ask(id, "four");
    assert.deepEqual(remembered(stage), ["four"]);
    await stage.api.ask(id, "five");
    assert.deepEqual(remembered(stage), ["four", "I heard: four", "five"]);
    await stage.close(5);
  });
});
