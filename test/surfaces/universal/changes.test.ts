import assert from "node:assert/strict";
import { readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createClient, type FileDiff } from "../../../src/client/index.ts";
import { revertOf } from "../../../src/core/ledger/revert.ts";
import type { Outcome } from "../../../src/core/receipt.ts";
import type { ParleyOptions } from "../../../src/server/parley.ts";
import type { Detail } from "../../support/api.ts";
import { startServer, type TestServer, temporary } from "../../support/server.ts";

const ALLOW = [{ action: "*", pattern: "*", verdict: "allow" }];
const ADD = "Read a.txt and add a line at the end";
const LINE = "Added by Parley's scripted model.";

interface Changed extends TestServer {
  id: string;
  turns: string[];
  file(): Promise<string>;
  diff(query?: string): Promise<FileDiff[]>;
}

/** A session of the house agent, two turns of which have each added a line to a file. */
async function changedTwice(t: TestContext, options: Partial<ParleyOptions> = {}): Promise<Changed> {
  const server = await startServer(t, { defaultAgent: "house", ...options });
  const { api, directory } = server;
  await writeFile(join(directory, "a.txt"), "first\n");
  const { id } = await api.create({ permissions: ALLOW });
  const turns: string[] = [];
  for (let turn = 0; turn < 2; turn++) turns.push((await api.ask(id, ADD)).turn ?? "");
  return {
    ...server,
    id,
    turns,
    file: () => readFile(join(directory, "a.txt"), "utf8"),
    diff: async (query = "") =>
      (await api.expect<{ files: FileDiff[] }>(200, "GET", `/v1/sessions/${id}/diff${query}`)).files,
  };
}

test("a session's changes of a file are one diff, and a turn's are its own", async (t) => {
  const { api, id, turns, diff } = await changedTwice(t);
  const [whole, ...more] = await diff();
  assert.deepEqual(more, []);
  assert.deepEqual([whole?.path, whole?.kind, whole?.additions, whole?.deletions], ["a.txt", "modified", 2, 0]);
  assert.match(whole?.diff ?? "", /^--- a\/a\.txt\n\+\+\+ b\/a\.txt\n@@ -1 \+1,3 @@\n first\n(\+Added.*\n){2}$/);
  for (const turn of turns) {
    const [one] = await diff(`?turn=${turn}`);
    assert.deepEqual([one?.additions, one?.deletions], [1, 0]);
  }
  const session = createClient({ url: api.url }).session(id);
  assert.deepEqual(await session.diff(), [whole]);
  assert.deepEqual(await session.diff({ turn: turns[1] ?? "" }), await diff(`?turn=${turns[1]}`));
  const shell = await api.expect<Outcome>(200, "POST", `/v1/sessions/${id}/shell?wait=true`, { command: "true" });
  assert.deepEqual(await diff(`?turn=${shell.turn}`), [], "a turn that changed nothing");
});

test("the changes of an unknown turn or session are refused", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  for (const turn of ["trn_none", "", "%00", "*"])
    await api.refused("turn_not_found", "GET", `/v1/sessions/${id}/diff?turn=${turn}`);
  await api.refused("session_not_found", "GET", "/v1/sessions/ses_none/diff");
});

test("a turn is taken back with its files and done again", async (t) => {
  const { api, id, turns, file, diff } = await changedTwice(t);
  const path = `/v1/sessions/${id}/revert`;
  const reverted = await api.expect<Detail>(200, "POST", path, { turn: turns[1] });
  assert.deepEqual(revertOf(reverted.meta)?.cut.turns, [turns[1]]);
  assert.equal(await file(), `first\n${LINE}\n`);
  assert.equal((await diff())[0]?.additions, 1, "turns that are taken back have changed nothing");
  await api.expect(200, "POST", path, { turn: turns[0] });
  assert.equal(await file(), "first\n");
  assert.deepEqual(await diff(), []);
  const restored = await api.expect<Detail>(200, "DELETE", path);
  assert.equal(restored.meta?.revert, undefined);
  assert.equal(await file(), `first\n${LINE}\n${LINE}\n`);
  assert.equal((await diff())[0]?.additions, 2);
  await api.expect(200, "DELETE", path);
  await api.refused("turn_not_found", "POST", path, { turn: "trn_none" });
  await api.refused("invalid", "POST", path, {});
  await api.refused("session_not_found", "POST", "/v1/sessions/ses_none/revert", { turn: turns[0] });
});

test("the next prompt makes a revert final", async (t) => {
  const { api, id, turns, file, diff } = await changedTwice(t);
  const session = createClient({ url: api.url }).session(id);
  await session.revert(turns[1] ?? "");
  await api.ask(id, "hello");
  assert.equal(await file(), `first\n${LINE}\n`);
  await session.unrevert();
  assert.equal(await file(), `first\n${LINE}\n`, "nothing is left to do again");
  assert.equal((await diff())[0]?.additions, 1);
  await assert.rejects(session.revert(turns[1] ?? ""), { status: 404, code: "turn_not_found" });
});

test("a revert is refused while the session is busy, and where a file was changed since", async (t) => {
  const { api, id, turns, file, directory } = await changedTwice(t);
  const path = `/v1/sessions/${id}/revert`;
  await api.prompt(id, "Ask me a question");
  await api.refused("busy", "POST", path, { turn: turns[0] });
  await api.refused("busy", "DELETE", path);
  await api.cancel(id);
  await writeFile(join(directory, "a.txt"), "by hand\n");
  const refused = await api.refused("file_changed", "POST", path, { turn: turns[0] });
  assert.equal(refused.path, "a.txt");
  assert.equal(await file(), "by hand\n");
});

test("a file that has become a link out of the directory is not written through", async (t) => {
  const { api, id, turns, directory } = await changedTwice(t);
  const outside = join(await temporary(t), "a.txt");
  await writeFile(outside, await readFile(join(directory, "a.txt"), "utf8"));
  await rm(join(directory, "a.txt"));
  await symlink(outside, join(directory, "a.txt"));
  await api.refused("file_changed", "POST", `/v1/sessions/${id}/revert`, { turn: turns[0] });
  assert.match(await readFile(outside, "utf8"), /Added/);
});

test("an agent that cannot take a turn back says so", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const { turn } = await api.ask(id, "hello");
  await api.refused("unsupported", "POST", `/v1/sessions/${id}/revert`, { turn });
});
