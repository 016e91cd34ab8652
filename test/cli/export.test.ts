import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { ParleyEvent } from "../../src/client/index.ts";
import { checkLaws } from "../../src/core/ledger/laws.ts";
import { long } from "../support/time.ts";
import { Home, said } from "./support.ts";

interface Exported {
  header: { session: string; sessions: { id: string; parent?: string; last: number }[] };
  events: ParleyEvent[];
}

async function exported(home: Home, session: string): Promise<{ text: string } & Exported> {
  const { code, stdout, stderr } = await home.run(["export", session]);
  assert.deepEqual([code, stderr], [0, ""]);
  const [header, ...events] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return { text: stdout, header, events };
}

async function newSession(home: Home, ...args: string[]): Promise<string> {
  return JSON.parse((await home.run(["run", "--format", "json", ...args])).stdout).session;
}

/** The events without ids, numbers, deltas, and what an import leaves out or adds. */
function story({ events }: Exported): unknown[] {
  const known = new Map<string, string>();
  const plain = (value: unknown): unknown => {
    if (typeof value === "string" && /^(ses|trn|msg|prt|per|que)_\w+$/.test(value)) {
      known.set(value, known.get(value) ?? `id ${known.size}`);
      return known.get(value);
    }
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]));
  };
  const left = new Set(["nativeId", "permissions", "toRewind", "meta", "elsewhere"]);
  return events.flatMap(({ id: _, seq: __, folded: ___, ...event }) => {
    if (event.type === "item.delta") return [];
    const data = Object.entries(event.data).filter(([name]) => !left.has(name));
    if (event.type === "session.updated" && data.length === 0) return [];
    return [plain({ ...event, data: Object.fromEntries(data) })];
  });
}

test("a session goes from a server to a data directory without one, and once more into that by its server", async () => {
  await using home = new Home();
  await using other = new Home();
  await home.serve();
  const session = await newSession(home, "--yes", "--title", "Mine", "[[subagent deep ask]]");
  await home.run(["run", "--session", session, "[[tools 2]] and again"]);
  const first = await exported(home, session.slice(-8));
  assert.equal(first.header.sessions.length, 3);
  const file = other.write("session.jsonl", first.text);

  const imported = await other.run(["import", file, "--dir", other.work]);
  assert.deepEqual([imported.code, imported.stdout], [0, `${session}\n`], imported.stderr);
  const listed = JSON.parse((await other.run(["sessions", "--json"])).stdout);
  assert.deepEqual(
    listed.map((one: { id: string; title: string; directory: string }) => [one.id, one.title, one.directory]),
    [[session, "Mine", other.work]],
  );
  const second = await exported(other, session);
  const home2 = { ...first, events: JSON.parse(JSON.stringify(first.events).replaceAll(home.work, other.work)) };
  assert.deepEqual(story(second), story(home2));
  for (const { id } of second.header.sessions) {
    assert.deepEqual(
      checkLaws(
        second.events.filter((event) => event.session === id),
        { final: true },
      ),
      [],
    );
  }

  await other.serve();
  const again = await other.run(["import", "-", "--json"], { input: second.text });
  const { session: renamed, from } = JSON.parse(again.stdout);
  assert.equal(from, session);
  assert.notEqual(renamed, session);
  const third = await exported(other, renamed);
  assert.deepEqual(story(third), story(second));
  const ids = (one: Exported): Set<string> =>
    new Set(JSON.stringify(one.events).match(/(ses|trn|msg|prt|per|que)_\w{20,}/g));
  assert.deepEqual(
    [...ids(third)].filter((id) => id !== session && ids(second).has(id)),
    [],
  );
});

test("an imported session goes on: the agent begins anew and is told how it went", async () => {
  await using home = new Home();
  await using other = new Home();
  const session = await newSession(home, "the secret word is heron");
  const file = other.write("session.jsonl", (await exported(home, session)).text);
  await other.run(["import", file, "--dir", other.work]);
  await other.serve();
  const { code, stdout, stderr } = await other.run(["run", "--session", session, "go on"]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /This is how it went so far:[\s\S]*heron[\s\S]*go on/);
  assert.match(stderr, /no longer knows this conversation/);
  const next = await other.run(["run", "--session", session, "and on"]);
  assert.doesNotMatch(next.stdout, /how it went so far/);
});

test("a session that is busy is exported as it is, and its turn is over where it is imported", long, async () => {
  await using home = new Home();
  await using other = new Home();
  await home.serve();
  const child = home.start(["run", "--json", "[[slow 600000]]"]);
  const session = /ses_\w+/.exec(await said(child.stdout, "still working"))?.[0] ?? "";
  const { stdout, stderr } = await home.run(["export", session]);
  assert.match(stderr, /a turn of ses_\w+ still runs/);
  const imported = await other.run(["import", "-"], { input: stdout });
  assert.equal(imported.code, 0, imported.stderr);
  const [listed] = JSON.parse((await other.run(["sessions", "--json"])).stdout);
  assert.deepEqual([listed.id, listed.turn, listed.lastEnd.reason], [session, null, "interrupted"]);
  const { events } = await exported(other, session);
  assert.deepEqual(checkLaws(events, { final: true }), []);
});

test("what cannot be exported or imported is said, and stores nothing", async () => {
  await using home = new Home();
  const session = await newSession(home, "--yes", "[[subagent ask]]");
  const { text, header } = await exported(home, session);
  await using other = new Home();
  const child = await home.run(["export", header.sessions[1]?.id ?? ""]);
  assert.equal(child.code, 2);
  assert.match(child.stderr, new RegExp(`a sub-agent: export the session that it belongs to, ${session}`));
  const cut = text.split("\n").slice(0, -4).join("\n");
  for (const [input, message] of [
    [cut, /stdin: expected ses_\w+ to end with event \d+, got \d+: the file is cut off/],
    ["", /stdin: the file is empty/],
    ['{"role":"user"}\n', /stdin: line 1: expected the first line of a parley export/],
  ] as const) {
    const refused = await other.run(["import", "-"], { input });
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, message);
  }
  const missing = await other.run(["import", join(other.root, "nowhere")]);
  assert.deepEqual([missing.code, /nowhere cannot be read: ENOENT/.test(missing.stderr)], [2, true]);
  assert.equal((await other.run(["sessions", "--json"])).stdout, "[]\n");
});
