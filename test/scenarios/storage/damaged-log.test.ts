import assert from "node:assert/strict";
import { rmSync, truncateSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { defaultSettings } from "../../../src/cli/config/settings.ts";
import { repair } from "../../../src/cli/doctor/repair.ts";
import { isParleyError } from "../../../src/core/errors.ts";
import type { ParleyEvent } from "../../../src/core/events/event.ts";
import { spoil } from "../../log/damaged.ts";
import { Random } from "../../support/random.ts";
import { startServer, type TestServer } from "../../support/server.ts";

const ROUNDS = 9;

/** Replaces a text in the log's file by one of the same length, under a server that does not run. */
async function replaceInLog(directory: string, text: string, by: string): Promise<void> {
  const file = join(directory, "parley.db");
  const bytes = await readFile(file);
  const at = bytes.indexOf(text);
  assert.ok(at > 0, `${text} is not in the log`);
  bytes.write(by, at);
  await writeFile(file, bytes);
}

interface Told {
  events: ParleyEvent[];
  gaps: { after: number; first: number }[];
}

/** All pages of a session, each of which must be JSON and go on. */
async function pages({ api }: TestServer, id: string): Promise<Told> {
  const told: Told = { events: [], gaps: [] };
  for (let after = 0; ; ) {
    const page = await api.page(id, `?after=${after}&limit=7`);
    if (page.gap) told.gaps.push({ after: page.gap.after, first: page.gap.first });
    told.events.push(...page.events);
    if (!page.more) return told;
    assert.ok(page.next > after, "a page that does not go on");
    after = page.next;
  }
}

test("an event that cannot be read is a gap in pages and streams, and the session goes on", async (t) => {
  const server = await startServer(t);
  const { id } = await server.api.create();
  await server.api.ask(id, "one");
  await server.api.ask(id, "a rare word");
  await server.api.ask(id, "three");
  const before = await server.api.events(id);
  const spoiled = before.filter((event) => JSON.stringify(event).includes("a rare word")).map(({ seq }) => seq);
  await server.stop();
  for (const _ of spoiled) await replaceInLog(server.dataDirectory, "a rare word", 'a rare"word');
  await server.restart();

  const { events, gaps } = await pages(server, id);
  const seen = new Set(events.map(({ seq }) => seq));
  assert.ok(gaps.length > 0);
  for (const event of before) {
    if (seen.has(event.seq)) continue;
    assert.ok(spoiled.includes(event.seq), `${event.seq} was not touched`);
    assert.ok(
      gaps.some(({ after, first }) => after < event.seq && event.seq < first),
      `${event.seq} is told by no gap`,
    );
  }
  const stream = await server.api.stream(id);
  const last = events.at(-1)?.seq ?? 0;
  await stream.when(({ ids }) => ids.at(-1) === `${id}:${last}`, "the stream goes on after the gap");
  assert.ok(stream.blocks.some(({ event }) => event === "gap"));
  assert.equal((await server.api.ask(id, "four")).reason, "end_turn");
  await stream.close();
  const messages = await fetch(`${server.api.url}/session/${id}/message`);
  assert.equal(messages.status, 200);
  await messages.json();
  await server.halt();
  assert.ok(server.lines.some(({ message }) => /the log is damaged: event \d+ of/.test(message)));
});

test(`a log with spoiled bytes is read, refused or repaired, ${ROUNDS} times: never wrong, never stuck`, async (t) => {
  let served = 0;
  const server = await startServer(t);
  const ids = [(await server.api.create()).id, (await server.api.create()).id];
  for (const id of ids) for (let n = 0; n < 4; n++) await server.api.ask(id, `prompt ${n}`);
  const originals = new Map<string, Map<number, string>>();
  for (const id of ids)
    originals.set(id, new Map((await server.api.events(id)).map((e) => [e.seq, JSON.stringify(e.data)])));
  await server.stop();
  const file = join(server.dataDirectory, "parley.db");
  const whole = await readFile(file);
  for (let round = 0; round < ROUNDS; round++) {
    const note = `round ${round}`;
    const random = new Random(round);
    const running = round % 3 === 2;
    await writeFile(file, whole);
    // At rest, or under the server while it runs.
    if (!running) spoil(server.dataDirectory, random.between(1, 12), random);
    try {
      await server.restart();
      if (running) spoil(server.dataDirectory, random.between(1, 12), random);
      served++;
    } catch (error) {
      assert.ok(isParleyError(error) && error.message.length > 40, `${note}: ${error}`);
      continue;
    }
    for (const id of ids) {
      const detail = await server.api.call<{ code?: string }>("GET", `/v1/sessions/${id}`);
      if (detail.status !== 200) {
        assert.ok([404, 503].includes(detail.status), note);
        continue;
      }
      const page = await server.api.call<{ events: ParleyEvent[] }>("GET", `/v1/sessions/${id}/events?limit=2000`);
      assert.ok([200, 503].includes(page.status), note);
      if (page.status === 200)
        for (const event of page.body.events)
          if (originals.get(id)?.has(event.seq))
            assert.equal(JSON.stringify(event.data), originals.get(id)?.get(event.seq), note);
      const shown = await fetch(`${server.api.url}/session/${id}/message`);
      assert.ok([200, 404, 503].includes(shown.status), `${note}: ${shown.status} ${await shown.clone().text()}`);
      await shown.text();
    }
    const created = await server.api.call<{ id: string }>("POST", "/v1/sessions", {});
    assert.ok([201, 503].includes(created.status), note);
    const ready = await fetch(`${server.api.url}/ready`);
    if (created.status === 503) assert.equal(ready.status, 503, `${note}: not ready, but it says so`);
    if (created.status === 201) assert.equal((await server.api.session(created.body.id)).id, created.body.id, note);
    await server.halt();
  }
  assert.ok(served >= ROUNDS / 3, `only ${served} rounds were served`);
});

test("an emptied log does not start anew by itself, nor by a repair, but when its user says so", async (t) => {
  const server = await startServer(t);
  await server.api.create();
  await server.stop();
  truncateSync(join(server.dataDirectory, "parley.db"));
  await assert.rejects(server.restart(), {
    code: "log_damaged",
    message: /parley.db is empty, though this directory had a log/,
  });
  await assert.rejects(repair(defaultSettings(server.dataDirectory)), /nothing is left to repair.*log\.made to begin/);
  rmSync(join(server.dataDirectory, "log.made"));
  await server.restart();
  await server.api.create();
});

test("the doctor saves a log that SQLite refuses", async (t) => {
  const server = await startServer(t);
  const { id } = await server.api.create();
  await server.api.ask(id, "hello");
  const before = await server.api.events(id);
  await server.stop();
  const file = join(server.dataDirectory, "parley.db");
  const bytes = await readFile(file);
  bytes.fill(0xff, 0, 100);
  await writeFile(file, bytes);
  await assert.rejects(server.restart(), { code: "log_damaged", message: /parley doctor --repair/ });
  const report = await repair(defaultSettings(server.dataDirectory));
  assert.deepEqual(report.losses, []);
  await server.restart();
  const after = await server.api.events(id);
  assert.deepEqual(after.slice(0, before.length), before);
  assert.equal((await server.api.ask(id, "and on")).reason, "end_turn");
});
