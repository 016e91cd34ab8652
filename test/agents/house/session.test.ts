import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { AgentSession } from "../../../src/agents/contract.ts";
import { pastParts, promptParts } from "../../../src/agents/house/past/prompt-parts.ts";
import type { Prompt, PromptPart } from "../../../src/core/events/values.ts";
import type { Signal } from "../../../src/core/ledger/signals.ts";
import { eventually } from "../../support/eventually.ts";
import { staysSo } from "../../support/time.ts";
import { call, houseAgent, playing, type RigOptions, say, workDirectory } from "./support.ts";
import { gated, stuck } from "./test-tools.ts";

interface Opened {
  session: AgentSession;
  signals: Signal[];
  work: string;
  /** Resolves when a signal of this type has come so often. */
  heard(type: Signal["type"], times?: number): Promise<void>;
}

/** The agent without a gateway: what it says is what is looked at. */
async function opened(t: TestContext, options: RigOptions): Promise<Opened> {
  const work = await workDirectory(t);
  const signals: Signal[] = [];
  const agent = houseAgent(options, await workDirectory(t));
  const session = agent.open({
    session: "ses_test",
    trusted: false,
    directory: work,
    emit: (signal) => signals.push(signal),
  });
  t.after(() => session.kill(0));
  const count = (type: Signal["type"]): number => signals.filter((signal) => signal.type === type).length;
  const heard = (type: Signal["type"], times = 1): Promise<void> =>
    eventually(`${times} × ${type}`, () => count(type) >= times);
  return { session, signals, work, heard };
}

const prompt = (...parts: (string | PromptPart)[]): Prompt => ({
  id: "msg_1",
  parts: parts.map((part) => (typeof part === "string" ? { type: "text", text: part } : part)),
});

test("while it is paused nothing is said, and afterwards everything, in order", async (t) => {
  const held = gated("held");
  const { model } = playing(call("held"), say("Done."));
  const { session, signals, heard } = await opened(t, { model, tools: [held.tool] });
  await session.ready();
  await session.prompt(prompt("go"));
  await held.started;
  session.pause();
  const before = signals.length;
  held.release();
  await staysSo("nothing is said", () => signals.length === before);
  session.resume();
  await heard("turn.finished");
  const types = signals.map(({ type }) => type);
  assert.ok(types.indexOf("tool.done") < types.indexOf("text"));
  assert.equal(types.at(-1), "turn.finished");
});

test("words that come when the turn has just ended begin one of their own", async (t) => {
  const { model, asked } = playing(say("One."), say("Two."));
  const { session, signals, heard } = await opened(t, { model });
  await session.ready();
  await session.prompt(prompt("first"));
  await heard("turn.finished");
  await session.steer?.(prompt("late"));
  await heard("turn.finished", 2);
  const types = signals.map(({ type }) => type);
  const second = types.slice(types.indexOf("turn.finished") + 1);
  assert.equal(second[0], "turn.begun");
  assert.match(JSON.stringify(asked[1]?.prompt.at(-1)), /late/);
});

test("a close stops the turn, and its exit is the last word", async (t) => {
  const { model } = playing(call("stuck"));
  const { session, signals, heard } = await opened(t, { model, tools: [stuck] });
  await session.ready();
  await session.prompt(prompt("go"));
  await heard("tool.running");
  await session.close();
  await session.close();
  assert.deepEqual(signals.at(-1), { type: "exited", code: 0, signal: null, stderr: [] });
  assert.equal(signals.filter(({ type }) => type === "exited").length, 1);
});

test("a session that is closed before it is open does not open", async (t) => {
  const { session, signals } = await opened(t, { model: playing().model });
  const ready = session.ready();
  await session.kill(0);
  await assert.rejects(ready, /closed before/);
  assert.deepEqual(
    signals.map(({ type }) => type),
    ["exited"],
  );
});

test("a history that cannot be read is told, not passed over", async (t) => {
  const agent = houseAgent({ model: playing().model }, await workDirectory(t));
  const session = agent.open({
    session: "ses_test",
    trusted: false,
    directory: "/",
    emit() {},
    history: () => Promise.reject(new Error("the disk is gone")),
  });
  await assert.rejects(session.ready(), /the disk is gone/);
});

const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ", "base64");
const GIF = Buffer.from("R0lGODlhAQABAAAAACw=", "base64");

const attached: [name: string, part: Partial<PromptPart>, says: RegExp][] = [
  ["escapes that are broken", { url: "data:text/plain,100%25%20or%E0%A4%A" }, /100% or/],
  ["words that are not ASCII", { url: "data:text/plain,%C3%A4 ö" }, /ä ö/],
  ["an address", { url: "https://example.test/x.png", name: "x.png" }, /x\.png by an address that is no data: URL/],
  ["a picture of another type than it says", { url: `data:image/png;base64,${GIF.toString("base64")}` }, /image\/gif/],
  ["a picture that is none", { url: "data:image/png;base64,AAEC/w==", name: "x.png" }, /x\.png: 4 bytes, neither text/],
  [
    "what no model takes",
    { url: "data:application/zip;base64,UEsDBP8A", name: "x.zip" },
    /x\.zip: 6 bytes, neither text/,
  ],
  ["JSON", { url: 'data:application/json,{"a":1}', name: "a.json" }, /a\.json:\\n\{/],
  ["nothing", {}, /attached a file/],
];

for (const [name, part, says] of attached) {
  test(`an attachment of ${name} is taken as it can be, at once and from the log`, async () => {
    const parts = [{ type: "file", ...part } as PromptPart];
    assert.match(JSON.stringify(pastParts(parts)), says);
    assert.deepEqual(await promptParts(parts, "/"), pastParts(parts));
  });
}

test("a prompt of nothing is still a message", async () => {
  const parts: PromptPart[] = [{ type: "text", text: " \n" }];
  assert.match(JSON.stringify(pastParts(parts)), /the user said nothing/);
  assert.deepEqual(await promptParts(parts, "/"), pastParts(parts));
});

test("files that a prompt names come with it; those outside or missing are said so", async (t) => {
  const { model, asked } = playing(say("Seen."));
  const { session, work, heard } = await opened(t, { model });
  await writeFile(join(work, "a.md"), "the words");
  await writeFile(join(work, "p.png"), PNG);
  await writeFile(join(work, "AGENTS.md"), "Be kind.");
  await mkdir(join(work, "dir"));
  const files = ["a.md", "p.png", "none.md", "../out.md", "dir"].map((path): PromptPart => ({ type: "file", path }));
  await session.ready();
  await session.prompt(prompt("look", ...files));
  await heard("turn.finished");
  const user = JSON.stringify(asked[0]?.prompt.at(-1));
  for (const wanted of [
    /a\.md:\\nthe words/,
    /image\/png/,
    /none\.md, which does not exist/,
    /out\.md is outside/,
    /dir is not a file/,
  ])
    assert.match(user, wanted);
  assert.match(JSON.stringify(asked[0]?.prompt[0]), /Be kind\./);
});

test("a model that cannot be loaded ends the turn with what is wrong", async (t) => {
  const { session, signals, heard } = await opened(t, {});
  await session.ready();
  await session.set({ model: "openai/none" });
  await session.prompt(prompt("go"));
  await heard("turn.finished");
  const end = signals.at(-1);
  assert.ok(end?.type === "turn.finished" && end.reason === "error");
  assert.match(end.error?.message ?? "", /no model openai\/none/);
});
