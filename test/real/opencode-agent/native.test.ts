import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { sharedStage } from "../../agents/opencode/shared-stage.ts";
import { completed, of } from "../../agents/opencode/stage.ts";
import { bash, read, write } from "../../agents/opencode/tools.ts";
import type { Detail } from "../../support/api.ts";
import { lawfulEvents } from "../../support/laws.ts";
import { OpencodeClient } from "../../support/opencode.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS } from "../../support/time.ts";

const { program = "", skip } = await realAgent("opencode");

const script = {
  prompts: {
    "*": [{ text: "I heard: {{prompt}}" }],
    work: [
      { reasoning: "I look.", tools: [read("README.md")] },
      { text: "I run it.", tools: [bash("echo ran")] },
      { text: "Worked." },
    ],
    write: [{ tools: [write("made.txt", "words")] }, { text: "I wrote it." }],
    wait: [{ text: ["One ", { text: "two.", hold: "gate" }] }],
  },
};

describe("sessions that the real OpenCode keeps", { skip, timeout: GROUP_MS }, () => {
  const stage = sharedStage(program, { script });
  const fork = (session: string, body: object = {}): Promise<Detail> =>
    stage().api.expect(201, "POST", `/v1/sessions/${session}/fork`, body);
  const promptOf = async (session: string, at: number): Promise<string> =>
    of(await stage().api.events(session), "turn.started")[at]?.data.prompt?.id ?? "";
  const shown = async (session: string): Promise<unknown[]> =>
    completed(await lawfulEvents(stage().api, session), "message").map(({ text }) => text);
  /** The words of both sides in the last request to the model. */
  const remembered = (): string[] => {
    const { messages = [] } = stage().calls().at(-1) ?? {};
    return messages.filter(({ role }) => role !== "system").map(({ content }) => words(content));
  };
  const words = (content: unknown): string =>
    typeof content === "string" ? content : ((content as { text?: string }[])[0]?.text ?? "");

  test("a session is listed and gone on with, with its past in the log and in the program's memory", async () => {
    const { api } = stage();
    const directory = stage().project("resume");
    const first = await stage().session({ directory });
    await api.ask(first, "[[work]] please");
    await api.ask(first, "second");
    const { nativeId = "" } = await api.session(first);
    await api.expect(204, "DELETE", `/v1/sessions/${first}`);
    const query = `?directory=${encodeURIComponent(directory)}`;
    const { sessions } = await api.expect<{ sessions: { id: string }[] }>(
      200,
      "GET",
      `/v1/agents/opencode/sessions${query}`,
    );
    assert.ok(sessions.some(({ id }) => id === nativeId));
    const again = await stage().session({ directory, resume: nativeId });
    assert.deepEqual(await shown(again), ["[[work]] please", "I run it.", "Worked.", "second", "I heard: second"]);
    const past = await lawfulEvents(api, again);
    assert.deepEqual(
      completed(past, "tool_call").map(({ name, status }) => [name, status]),
      [
        ["read", "completed"],
        ["bash", "completed"],
      ],
    );
    assert.equal(of(past, "turn.ended").length, 2);
    assert.equal((await api.ask(again, "third")).text, "I heard: third");
    assert.deepEqual(remembered().slice(-3), ["second", "I heard: second", "third"]);
  });

  test("a session that the program does not know is refused", async () => {
    const directory = stage().project("unknown");
    const body = { directory, resume: "ses_e1eddcee3ffeL7hSh4gjUyvNJI" };
    const refused = await stage().api.call("POST", "/v1/sessions", body);
    assert.ok(refused.status >= 400 && refused.status < 500, String(refused.status));
  });

  test("a session goes on after a restart of Parley, with its memory, model and mode", async () => {
    const { api } = stage();
    const directory = stage().project("restart");
    const id = await stage().session({ directory, model: "fake/plain" });
    await api.ask(id, "first");
    const before = await api.session(id);
    const closed = await api.call("POST", `/v1/sessions/${id}/close`);
    assert.ok(closed.status < 500);
    assert.equal((await api.ask(id, "second")).text, "I heard: second");
    const now = await api.session(id);
    assert.deepEqual([now.nativeId, now.model], [before.nativeId, "fake/plain"]);
    assert.deepEqual(remembered(), ["first", "I heard: first", "second"]);
  });

  test("a fork has the history in the log and in the program's memory, whatever its source does since", async () => {
    const { api } = stage();
    const source = await stage().session({ directory: stage().project("fork") });
    await api.ask(source, "one");
    await api.ask(source, "two");
    const { id } = await fork(source);
    const early = await fork(source, { before: await promptOf(source, 1) });
    await api.ask(source, "three");
    assert.deepEqual(await shown(id), ["one", "I heard: one", "two", "I heard: two"]);
    await api.ask(id, "four");
    assert.deepEqual(remembered(), ["one", "I heard: one", "two", "I heard: two", "four"]);
    await api.ask(early.id, "five");
    assert.deepEqual(remembered(), ["one", "I heard: one", "five"]);
    const natives = await Promise.all([source, id, early.id].map(async (one) => (await api.session(one)).nativeId));
    assert.equal(new Set(natives).size, 3, "each has a memory of its own");
  });

  test("a revert takes back a turn with its files, and the program forgets it", async () => {
    const { api } = stage();
    const directory = stage().project("revert");
    const id = await stage().session({ directory });
    await api.ask(id, "one");
    await api.ask(id, "[[write]] two");
    assert.equal(readFileSync(join(directory, "made.txt"), "utf8"), "words");
    const client = new OpencodeClient(api.url);
    const query = `?directory=${encodeURIComponent(directory)}`;
    const messageID = await promptOf(id, 1);
    await client.expect(200, "POST", `/session/${id}/revert${query}`, { body: { messageID } });
    assert.equal(existsSync(join(directory, "made.txt")), false);
    await api.ask(id, "three");
    assert.deepEqual(remembered(), ["one", "I heard: one", "three"]);
  });

  test("a compaction is a turn, after which the program goes on from a summary", async () => {
    const { api } = stage();
    const directory = stage().project("compact");
    const id = await stage().session({ directory });
    for (const text of ["one", "two"]) await api.ask(id, text);
    const client = new OpencodeClient(api.url);
    const query = `?directory=${encodeURIComponent(directory)}`;
    const body = { providerID: "opencode", modelID: "fake/fake-model" };
    await client.expect(200, "POST", `/session/${id}/summarize${query}`, { body });
    await stage().nth("turn.ended", 3, (event) => event.session === id);
    const events = await lawfulEvents(api, id);
    assert.ok(of(events, "step.started").some(({ data }) => data.summary === true));
    assert.equal((await api.ask(id, "three")).text, "I heard: three");
    assert.ok(!remembered().includes("I heard: one"));
  });
});
