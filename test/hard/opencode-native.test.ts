import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { sharedStage } from "../agents/opencode/shared-stage.ts";
import { completed, of, Stage } from "../agents/opencode/stage.ts";
import { bash, edit, read } from "../agents/opencode/tools.ts";
import type { Detail } from "../support/api.ts";
import { lawfulEvents } from "../support/laws.ts";
import { OpencodeClient } from "../support/opencode.ts";
import { realAgent } from "../support/real-agent.ts";
import { GROUP_MS } from "../support/time.ts";

const { program = "", skip } = await realAgent("opencode");

const script = {
  prompts: {
    "*": [{ text: "I heard: {{prompt}}" }],
    work: [
      { reasoning: "I look.", tools: [read("README.md")] },
      { text: "I run it.", tools: [bash("echo ran")] },
      { text: "Worked." },
    ],
    edit: [{ tools: [edit("README.md", "hello", "hello\nadded")] }, { text: "I changed it." }],
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
    assert.deepEqual(stage().remembered().slice(-3), ["second", "I heard: second", "third"]);
  });

  test("a session that the program does not know is refused", async () => {
    const directory = stage().project("unknown");
    const body = { directory, resume: "ses_e1eddcee3ffeL7hSh4gjUyvNJI" };
    const refused = await stage().api.call("POST", "/v1/sessions", body);
    assert.ok(refused.status >= 400 && refused.status < 500, String(refused.status));
  });

  test("a session goes on after a restart of Parley, with its memory, model and mode", async (t) => {
    const other = await Stage.open(t, program, { script });
    const id = await other.session({ model: "fake/plain", mode: "plan" });
    await other.api.ask(id, "first");
    const before = await other.api.session(id);
    await other.stream.close();
    await other.watcher.close();
    await other.server.restart();
    assert.equal((await other.api.ask(id, "second")).text, "I heard: second");
    const after = await other.api.session(id);
    assert.deepEqual([after.nativeId, after.model, after.mode], [before.nativeId, "fake/plain", "plan"]);
    assert.deepEqual(other.remembered(), ["first", "I heard: first", "second"]);
    assert.ok(of(await other.api.events(id), "session.updated").some(({ data }) => data.resume === "resumed"));
    await other.server.stop();
    assert.deepEqual(other.processes(), []);
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
    assert.deepEqual(stage().remembered(), ["one", "I heard: one", "two", "I heard: two", "four"]);
    await api.ask(early.id, "five");
    assert.deepEqual(stage().remembered(), ["one", "I heard: one", "five"]);
    const natives = await Promise.all([source, id, early.id].map(async (one) => (await api.session(one)).nativeId));
    assert.equal(new Set(natives).size, 3, "each has a memory of its own");
  });

  test("a revert takes back a turn with its files, and the program forgets it", async () => {
    const { api } = stage();
    const directory = stage().project("revert");
    const id = await stage().session({ directory });
    await api.ask(id, "one");
    await api.ask(id, "[[edit]] two");
    const readme = (): string => readFileSync(join(directory, "README.md"), "utf8");
    assert.match(readme(), /added/);
    const client = new OpencodeClient(api.url);
    const query = `?directory=${encodeURIComponent(directory)}`;
    const messageID = await promptOf(id, 1);
    await client.expect(200, "POST", `/session/${id}/revert${query}`, { body: { messageID } });
    assert.doesNotMatch(readme(), /added/);
    await api.ask(id, "three");
    assert.deepEqual(stage().remembered(), ["one", "I heard: one", "three"]);
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
    assert.ok(!stage().remembered().includes("I heard: one"));
  });
});
