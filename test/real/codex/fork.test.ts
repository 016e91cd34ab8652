import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Script } from "../../../src/testing/model/script.ts";
import { completed, of, Stage } from "../../agents/codex/stage.ts";
import { write } from "../../agents/codex/tools.ts";
import type { Detail } from "../../support/api.ts";
import { OpencodeClient } from "../../support/opencode.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, long } from "../../support/time.ts";

const { program = "", skip } = await realAgent("codex");

const SCRIPT: Script = {
  prompts: {
    "*": [{ text: "I heard: {{prompt}}" }],
    edit: [{ tools: [write("made.txt", "words")] }, { text: "I wrote it." }],
    wait: [{ text: ["One ", { text: "two.", hold: "gate" }] }],
  },
};

const shown = async (stage: Stage, session: string): Promise<string[]> =>
  completed(await stage.api.events(session), "message").flatMap(({ text }) => (typeof text === "string" ? [text] : []));

const fork = (stage: Stage, session: string, body: object = {}): Promise<Detail> =>
  stage.api.expect(201, "POST", `/v1/sessions/${session}/fork`, body);

const promptOf = async (stage: Stage, session: string, at: number): Promise<string> =>
  of(await stage.api.events(session), "turn.started")[at]?.data.prompt?.id ?? "";

describe("forks of the real Codex", { skip, timeout: GROUP_MS }, () => {
  test("a fork has the history in the log and in the program's memory, whatever its source does since", async (t) => {
    const stage = await Stage.open(t, program, { script: SCRIPT });
    const source = await stage.session();
    const empty = await fork(stage, source);
    await stage.api.ask(empty.id, "alone");
    assert.deepEqual(stage.remembered(), ["alone"]);
    await stage.api.ask(source, "one");
    await stage.api.ask(source, "two");
    const { id } = await fork(stage, source);
    const early = await fork(stage, source, { before: await promptOf(stage, source, 1) });
    await stage.api.prompt(source, "[[wait]] three");
    await stage.model.until(() => stage.model.held.has("gate"));
    const busy = await fork(stage, source);
    await stage.api.cancel(source);
    assert.deepEqual(await shown(stage, id), ["one", "I heard: one", "two", "I heard: two"]);
    await stage.api.ask(id, "four");
    assert.deepEqual(stage.remembered(), ["one", "I heard: one", "two", "I heard: two", "four"]);
    await stage.api.ask(early.id, "five");
    assert.deepEqual(stage.remembered(), ["one", "I heard: one", "five"]);
    await stage.api.ask(busy.id, "six");
    assert.deepEqual(stage.remembered(), ["one", "I heard: one", "two", "I heard: two", "six"]);
    // A fork of a fork, before its first turn and at a turn that it was copied with.
    const again = await fork(stage, id, { before: await promptOf(stage, id, 1) });
    await stage.api.ask(again.id, "seven");
    assert.deepEqual(stage.remembered(), ["one", "I heard: one", "seven"]);
    const unused = await fork(stage, (await fork(stage, early.id)).id);
    await stage.api.ask(unused.id, "eight");
    assert.deepEqual(stage.remembered(), ["one", "I heard: one", "five", "I heard: five", "eight"]);
    await stage.api.ask(source, "nine");
    assert.deepEqual(stage.remembered().slice(0, 4), ["one", "I heard: one", "two", "I heard: two"]);
    assert.equal(stage.remembered().at(-1), "nine");
    const natives = [source, id, early.id, busy.id, again.id, unused.id].map(
      async (one) => (await stage.api.session(one)).nativeId,
    );
    assert.equal(new Set(await Promise.all(natives)).size, 6, "each has a memory of its own");
    // The copied turns are turns of the forks.
    await stage.close(20);
  });

  test("a fork goes on when Parley was started anew before its first prompt", long, async (t) => {
    const stage = await Stage.open(t, program, { script: SCRIPT });
    const source = await stage.session();
    await stage.api.ask(source, "one");
    const { id } = await fork(stage, source);
    await stage.api.ask(source, "two");
    await stage.server.restart();
    await stage.api.ask(id, "three");
    assert.deepEqual(stage.remembered(), ["one", "I heard: one", "three"]);
  });

  test("a compaction is a turn, after which the program goes on from a summary", async (t) => {
    const stage = await Stage.open(t, program, { script: SCRIPT });
    const source = await stage.session();
    for (const text of ["one", "two"]) await stage.api.ask(source, text);
    const client = new OpencodeClient(stage.api.url);
    const model = { providerID: "codex", modelID: "gpt-5.5" };
    await client.expect(200, "POST", `/session/${source}/summarize`, { body: model });
    await stage.nth("turn.ended", 3);
    const events = await stage.api.events(source);
    assert.ok(of(events, "turn.status").some(({ data }) => data.status === "compacting"));
    assert.ok(completed(events, "status").some(({ code }) => code === "compacted"));
    await stage.api.ask(source, "three");
    assert.doesNotMatch(JSON.stringify(stage.remembered()), /"I heard: one"/);
    assert.equal(stage.remembered().at(-1), "three");
    await stage.close(4);
  });
});

describe("reverts with the real Codex", { skip, timeout: GROUP_MS }, () => {
  test("a turn and its file are taken back, and the program goes on as if it had not been", async (t) => {
    const stage = await Stage.open(t, program, { script: SCRIPT });
    const id = await stage.session({ mode: "full-access" });
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
    assert.deepEqual(stage.remembered(), ["one", "I heard: one", "three"]);
    // To the very beginning: nothing is remembered, and nothing is told.
    await revert(await promptOf(stage, id, 0));
    await stage.api.ask(id, "four");
    assert.deepEqual(stage.remembered(), ["four"]);
    await stage.api.ask(id, "five");
    assert.deepEqual(stage.remembered(), ["four", "I heard: four", "five"]);
    await stage.close(5);
  });
});
