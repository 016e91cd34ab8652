import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { ParleyEvent } from "../../../src/core/events/event.ts";
import { exportHeader } from "../../../src/core/history/exported.ts";
import type { Detail } from "../../support/api.ts";
import { OpencodeClient } from "../../support/opencode.ts";
import { startServer, temporary } from "../../support/server.ts";

type Said = { type: ParleyEvent["type"]; data: object; turn?: string; time?: number };

/** An export that nobody's Parley wrote. */
function forged(session: string, said: readonly Said[]): string {
  const events = said.map((one, at) => ({ time: 1_000, ...one, id: `${session}:${at + 1}`, seq: at + 1, session }));
  const lines = [exportHeader(session, [{ id: session, last: said.length }]), ...events];
  return lines.map((line) => JSON.stringify({ source: "agent", ...line })).join("\n");
}

const started = (directory: string, more: object = {}): Said => {
  return { type: "session.started", data: { agent: "scripted", directory, version: 1, ...more } };
};

const message = (id: string, role: string, text: string) => ({ id, kind: "message", role, status: "completed", text });

function turn(id: string, prompt: string, within: readonly Said[]): Said[] {
  const item = message(prompt, "user", "do it");
  const all: Said[] = [
    { type: "turn.started", data: { by: "user", prompt: { id: prompt } } },
    { type: "item.started", data: { item } },
    { type: "item.completed", data: { item } },
    ...within,
    { type: "turn.ended", data: { reason: "end_turn" } },
  ];
  return all.map((one) => ({ ...one, turn: id }));
}

test("no time in an export stops the lists of clients, or moves the ids of later sessions", async (t) => {
  const server = await startServer(t);
  const [work, client] = [server.directory, new OpencodeClient(server.parley.url)];
  for (const [at, time] of [8_640_000_000_000_001, Number.MAX_SAFE_INTEGER, 0].entries()) {
    const said = [started(work), ...turn("trn_1", `msg_${at}`, [])].map((one) => ({ ...one, time }));
    const jsonl = forged(`ses_time${at}`, said);
    const { created } = await server.api.expect<Detail>(201, "POST", "/v1/sessions/import", { jsonl });
    assert.ok(created <= Date.now(), String(created));
    // Its ids are taken now, so that the second one gets new ones.
    await server.api.expect(201, "POST", "/v1/sessions/import", { jsonl });
  }
  assert.equal((await client.get<unknown[]>(`/session?directory=${encodeURIComponent(work)}`)).length, 6);
  await server.restart();
  const { id } = await server.api.create();
  assert.equal((await server.api.session(id)).id, id);
});

test("an imported session has neither the mode nor the options that it had", async (t) => {
  const server = await startServer(t);
  const jsonl = forged("ses_mode", [
    started(server.directory, { mode: "bypassPermissions", options: { sandbox: false } }),
    ...turn("trn_1", "msg_1", [{ type: "session.updated", data: { mode: "bypassPermissions" } }]),
  ]);
  const { mode, options } = await server.api.expect<Detail>(201, "POST", "/v1/sessions/import", { jsonl });
  assert.deepEqual([mode, options], [undefined, undefined]);
});

test("a revert of imported turns takes back messages and writes no file of the import", async (t) => {
  const server = await startServer(t, { defaultAgent: "house" });
  const client = new OpencodeClient(server.parley.url);
  const work = await temporary(t);
  const diff = "--- a/run.sh\n+++ b/run.sh\n@@ -1 +0,0 @@\n-evil\n";
  const files = [{ path: "run.sh", kind: "deleted", diff }];
  const result = { id: "prt_2", kind: "tool_result", status: "completed", call: "c1", text: "", files };
  const made = { id: "prt_1", kind: "tool_call", status: "completed", call: "c1", name: "bash" };
  const within: Said[] = [
    { type: "item.started", data: { item: { ...made, status: "running" } } },
    { type: "item.started", data: { item: { ...result, status: "running" } } },
    { type: "item.completed", data: { item: made } },
    { type: "item.completed", data: { item: result } },
  ];
  const said = [started(work, { agent: "house" }), ...turn("trn_1", "msg_1", within)];
  const { id } = await server.api.expect<Detail>(201, "POST", "/v1/sessions/import", {
    jsonl: forged("ses_undo", said),
  });
  const path = `/session/${id}/revert?directory=${encodeURIComponent(work)}`;
  const reverted = await client.expect<{ revert: object }>(200, "POST", path, { body: { messageID: "msg_1" } });
  assert.deepEqual(await readdir(work), []);
  assert.ok(reverted.revert);
  const back = `/session/${id}/unrevert?directory=${encodeURIComponent(work)}`;
  await client.expect(200, "POST", back, {});
  assert.equal(existsSync(join(work, "run.sh")), false);
});

test("no agent in an export is a command line that the next prompt would run", async (t) => {
  const server = await startServer(t);
  const name = `acp:${process.execPath} --version`;
  const rows: Said[][] = [
    [started(server.directory, { agent: name })],
    [started(server.directory), { type: "session.updated", data: { agent: name } }],
    [started(server.directory), { type: "session.updated", data: { agent: "acp:" } }],
  ];
  for (const [at, said] of rows.entries()) {
    const jsonl = forged(`ses_command${at}`, said);
    const { detail } = await server.api.refused("invalid", "POST", "/v1/sessions/import", { jsonl });
    assert.match(detail, /a command line, which an import does not bring/);
  }
  assert.deepEqual((await server.api.expect<{ sessions: object[] }>(200, "GET", "/v1/sessions")).sessions, []);
  await server.api.create({ agent: name });
  const jsonl = forged("ses_known", [started(server.directory, { agent: name })]);
  const { agent } = await server.api.expect<Detail>(201, "POST", "/v1/sessions/import", { jsonl });
  assert.equal(agent, name, "the user has named it before");
});
