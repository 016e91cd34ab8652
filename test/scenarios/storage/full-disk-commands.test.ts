import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { alive, identify } from "../../host/support.ts";
import { eventually } from "../../support/eventually.ts";
import { lawfulEvents } from "../../support/laws.ts";
import { dataDirectoryOf, type ServerProcess, startProcess } from "../../support/process.ts";
import { mountSmallDisk, type SmallDisk } from "../../support/small-disk.ts";

const MEGABYTES = 32;
const PROGRAM = join(import.meta.dirname, "../../../bin/parley.js");

interface Place {
  disk: SmallDisk;
  home: string;
  server: ServerProcess;
  start(): Promise<ServerProcess>;
}

/** A server process on a disk that the test can fill. Undefined, and skipped aloud, where none can be mounted. */
async function onSmallDisk(t: TestContext): Promise<Place | undefined> {
  const disk = mountSmallDisk(MEGABYTES);
  if (!disk) {
    t.skip("needs root to mount a tmpfs");
    return undefined;
  }
  const servers: ServerProcess[] = [];
  t.after(async () => {
    for (const server of servers) await server.end("SIGKILL");
    disk.unmount();
  });
  const home = join(disk.path, "home");
  mkdirSync(home);
  const start = async (): Promise<ServerProcess> => {
    const server = await startProcess({ home, flags: ["--no-native"] });
    servers.push(server);
    return server;
  };
  return { disk, home, server: await start(), start };
}

/** Fills the disk and lets a prompt find out, so that nothing more can be stored. */
async function fillUp({ disk, server: { api } }: Place, id: string): Promise<void> {
  for (let at = 0; ; at++) {
    disk.fill();
    assert.ok(at < 200, "the disk was never full");
    const { status } = await api.call("PATCH", `/v1/sessions/${id}`, { title: `${at % 10}`.repeat(500) });
    if (status === 507) return;
    assert.equal(status, 200);
  }
}

async function opencode(
  { api }: ServerProcess,
  method: string,
  path: string,
  body?: object,
): Promise<[number, string]> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${api.url}${path}`, { method, headers, body: body && JSON.stringify(body) });
  return [answer.status, await answer.text()];
}

test("a cancel of a shell turn on a full disk ends the command and says so, and is stored when there is room", async (t) => {
  const place = await onSmallDisk(t);
  if (!place) return;
  const { disk, server } = place;
  const { api } = server;
  const { id } = await api.create();
  const stream = await api.stream(id);
  const { id: other } = await api.create();
  const shell = opencode(server, "POST", `/session/${id}/shell`, { agent: "build", command: "echo pid $$; sleep 600" });
  shell.catch(() => {});
  const said = await stream.first("item.delta");
  const pid = Number(/pid (\d+)/.exec(said.type === "item.delta" ? (said.data.delta ?? "") : "")?.[1]);
  const command = identify(pid);
  await fillUp(place, other);
  const { detail, turn } = await api.refused("disk_full", "POST", `/v1/sessions/${id}/cancel`, {});
  assert.match(
    detail,
    /^the command was stopped; the turn's end is stored when the log takes writes again: the disk is full/,
  );
  assert.equal(turn, said.turn);
  assert.ok(!alive(command), "the command runs on");
  const [status, text] = await opencode(server, "POST", `/session/${id}/abort`);
  assert.equal(status, 507);
  assert.match(text, /the command was stopped/);
  disk.free();
  const end = await stream.first("turn.ended");
  assert.equal(end.type === "turn.ended" && end.data.reason, "cancelled");
  await lawfulEvents(api, id);
  await shell;
  await stream.close();
});

test("every command on a full disk is answered while it is full, and a deletion is done when there is room", async (t) => {
  const place = await onSmallDisk(t);
  if (!place) return;
  const { disk, server } = place;
  const { api } = server;
  const [idle, asking, busy, doomed] = await Promise.all([api.create(), api.create(), api.create(), api.create()]);
  const stream = await api.stream(asking.id);
  await api.prompt(asking.id, "[[ask]]");
  const ask = await stream.first("permission.requested");
  await api.prompt(busy.id, "[[slow 600000]]");
  await api.prompt(busy.id, { id: "msg_waits", text: "later" });
  const deleted = await api.stream(doomed.id);
  await api.prompt(doomed.id, "[[slow 600000]]");
  await deleted.first("item.delta");
  await fillUp(place, idle.id);

  const answer = { outcome: "once" };
  await api.refused("disk_full", "POST", "/v1/sessions", { title: "y".repeat(500) });
  await api.refused("disk_full", "POST", `/v1/sessions/${idle.id}/prompts`, { text: "x".repeat(8_000) });
  const askPath = `/v1/sessions/${asking.id}/asks/${ask.type === "permission.requested" ? ask.data.ask : ""}`;
  const answered = await api.call("POST", askPath, answer);
  assert.ok([200, 204, 507].includes(answered.status), `${answered.status}`);
  const withdrawal = await api.call("DELETE", `/v1/sessions/${busy.id}/prompts/msg_waits`);
  assert.ok([204, 507].includes(withdrawal.status));
  const { detail } = await api.refused("disk_full", "DELETE", `/v1/sessions/${doomed.id}`);
  assert.match(detail, /the disk is full/);
  const cancelled = await api.refused("disk_full", "POST", `/v1/sessions/${busy.id}/cancel`, {});
  assert.match(cancelled.detail, /^the agent was stopped/);
  const [status] = await opencode(server, "DELETE", `/session/${idle.id}`);
  assert.equal(status, 507);
  disk.free();
  await eventually("the deletion that was begun is done", async () => {
    const first = await api.call("DELETE", `/v1/sessions/${doomed.id}`);
    return first.status === 204 || first.status === 404;
  });
  await eventually("the cancelled turn is over", async () => (await api.session(busy.id)).status === "idle");
  await lawfulEvents(api, busy.id);
  await stream.close();
});

test("a server on a full disk ends within seconds of a SIGTERM, and does not start again before there is room", async (t) => {
  const place = await onSmallDisk(t);
  if (!place) return;
  const { disk, home, server, start } = place;
  const { api } = server;
  const { id } = await api.create();
  const { id: other } = await api.create();
  const stream = await api.stream(id);
  await api.prompt(id, "[[slow 600000]]");
  await stream.first("item.delta");
  await fillUp(place, other);
  await stream.close();
  const { code, signal } = await server.end("SIGTERM");
  assert.deepEqual({ code, signal }, { code: 0, signal: null }, server.stderr());

  disk.fill();
  const args = [PROGRAM, "serve", "--port", "0", "--data-dir", dataDirectoryOf(home), "--dir", home];
  const env = { ...process.env, XDG_CONFIG_HOME: join(home, "config"), PARLEY_AGENT: "scripted" };
  const refused = spawnSync(process.execPath, args, { encoding: "utf8", env });
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /^parley: .*the disk .*is full.*free some space/);
  assert.equal(refused.stderr.trim().split("\n").length, 1, refused.stderr);

  disk.free();
  const again = await start();
  const events = await lawfulEvents(again.api, id);
  assert.equal(events.filter((event) => event.type === "turn.ended").length, 1);
});
