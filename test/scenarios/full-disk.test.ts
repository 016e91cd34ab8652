import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Receipt } from "../../src/core/receipt.ts";
import { eventually } from "../support/eventually.ts";
import { assertNoGap, lawfulEvents } from "../support/laws.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { mountSmallDisk, type SmallDisk } from "../support/small-disk.ts";

const MEGABYTES = 96;

/** A server whose data is on a disk that the test can fill. Undefined, and skipped aloud, where none can be mounted. */
async function onSmallDisk(t: TestContext): Promise<{ server: TestServer; disk: SmallDisk } | undefined> {
  const disk = mountSmallDisk(MEGABYTES);
  if (!disk) {
    t.skip("needs root to mount a tmpfs");
    return undefined;
  }
  // A server that cannot write would never stop.
  t.after(() => disk.free());
  try {
    const server = await startServer(t, { dataDirectory: join(disk.path, "data"), keepNative: false });
    t.after(() => disk.unmount());
    return { server, disk };
  } catch (error) {
    disk.unmount();
    throw error;
  }
}

const isReady = async (url: string): Promise<boolean> => (await fetch(`${url}/ready`)).status === 200;

async function untilStuck({ lines }: TestServer): Promise<void> {
  await eventually("the log takes no writes", () => lines.some((line) => line.message.includes("takes no writes")));
}

test("with a full disk nothing is acknowledged that is not stored, and it goes on when there is room", async (t) => {
  const place = await onSmallDisk(t);
  if (!place) return;
  const { server, disk } = place;
  const { api } = server;
  const { id } = await api.create();
  await api.ask(id, "hello");
  disk.fill();

  const accepted: string[] = [];
  let refused = "";
  for (let at = 0; refused === ""; at++) {
    assert.ok(at < 200, "the disk was never full");
    const prompt = `msg_full_${at}`;
    const answer = await api.call<Receipt & { code?: string }>("POST", `/v1/sessions/${id}/prompts`, {
      id: prompt,
      text: "x".repeat(20_000),
    });
    if (answer.status === 202) accepted.push(prompt);
    else {
      assert.equal(answer.status, 507);
      assert.equal(answer.body.code, "disk_full");
      refused = prompt;
    }
  }
  await api.refused("disk_full", "POST", "/v1/sessions", { title: "y".repeat(500) });
  await api.refused("disk_full", "PATCH", `/v1/sessions/${id}`, { title: "y".repeat(500) });
  await eventually("/ready says so", async () => !(await isReady(api.url)));
  const unready = await fetch(`${api.url}/ready`);
  assert.equal(unready.status, 507);
  assert.equal(((await unready.json()) as { code: string }).code, "disk_full");
  assert.equal((await fetch(`${api.url}/health`)).status, 200);
  const known = await api.events(id);
  assert.ok(!JSON.stringify(known).includes(refused), "reading goes on, and shows nothing of what was refused");

  disk.free();
  await eventually("/ready is well again", () => isReady(api.url));
  for (const prompt of accepted) {
    const outcome = await api.ask(id, { id: prompt, text: "x".repeat(20_000) });
    assert.equal(outcome.reason, "end_turn", `${prompt} was accepted`);
  }
  const again = await api.ask(id, { id: refused, text: "a fresh one" });
  assert.equal(again.reason, "end_turn", "an id that was refused means nothing yet");
  const events = await lawfulEvents(api, id);
  assert.deepEqual(events.slice(0, 3), known.slice(0, 3));
  assert.equal(events.filter((event) => event.type === "turn.started").length, accepted.length + 2);
  await server.stop();
});

test("words of an agent are held while the disk is full: none is lost, and none is shown before it is stored", async (t) => {
  const place = await onSmallDisk(t);
  if (!place) return;
  const { server, disk } = place;
  const { api } = server;
  const { id } = await api.create();
  const stream = await api.stream(id);
  const outcome = api.ask(id, "[[slow 500]] [[flood 20000]]");
  await stream.first("item.delta");
  disk.fill();
  await untilStuck(server);
  const { last } = await api.session(id);
  assert.ok((stream.events.at(-1)?.seq ?? 0) <= last);
  assert.equal(stream.count("turn.ended"), 0);
  disk.free();
  assert.equal((await outcome).reason, "end_turn");
  assert.equal((await outcome).text.match(/word \d+ /g)?.length, 20_000);
  await stream.first("turn.ended");
  assertNoGap(stream.events);
  const words = stream.events.flatMap((event) =>
    event.type === "item.delta" && event.data.delta?.startsWith("word") ? [event.data.delta] : [],
  );
  assert.deepEqual(
    words,
    Array.from({ length: 20_000 }, (_, at) => `word ${at + 1} `),
  );
  await stream.close();
  await server.stop();
});

test("a cancel reaches the agent even while nothing can be stored", async (t) => {
  const place = await onSmallDisk(t);
  if (!place) return;
  const { server, disk } = place;
  const { api } = server;
  const { id } = await api.create();
  const stream = await api.stream(id);
  await api.prompt(id, "[[slow 120000]]");
  await stream.first("item.delta");
  disk.fill();
  await untilStuck(server);
  await api.refused("disk_full", "POST", `/v1/sessions/${id}/cancel`, {});
  disk.free();
  const end = await stream.first("turn.ended");
  assert.equal(end.type === "turn.ended" && end.data.reason, "cancelled");
  await lawfulEvents(api, id);
  await stream.close();
  await server.stop();
});
