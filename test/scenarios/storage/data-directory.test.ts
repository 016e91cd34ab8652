import assert from "node:assert/strict";
import { cp, mkdtemp, readdir, realpath, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { codeOf } from "../../../src/core/errors.ts";
import type { Problem } from "../../../src/core/problem.ts";
import { eventually } from "../../support/eventually.ts";
import { lawfulEvents } from "../../support/laws.ts";
import { dataDirectoryOf, type ServerProcess, startProcess } from "../../support/process.ts";

interface Place {
  home: string;
  data: string;
  server: ServerProcess;
  start(): Promise<ServerProcess>;
}

/** A server process whose data directory the test may harm. */
async function place(t: TestContext): Promise<Place> {
  const home = await realpath(await mkdtemp(join(tmpdir(), "parley-gone-")));
  const servers: ServerProcess[] = [];
  t.after(async () => {
    for (const server of servers) await server.end("SIGKILL");
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  });
  const start = async (): Promise<ServerProcess> => {
    const server = await startProcess({ home });
    servers.push(server);
    return server;
  };
  return { home, data: dataDirectoryOf(home), server: await start(), start };
}

const readiness = async ({ api }: ServerProcess): Promise<number> => (await fetch(`${api.url}/ready`)).status;

/** Every command that would have to be stored is refused, in words. */
async function assertRefuses({ api }: ServerProcess, id: string, sent: object): Promise<Problem> {
  const problem = await api.refused("storage_lost", "POST", `/v1/sessions/${id}/prompts`, { text: "hello" });
  assert.equal(problem.status, 503);
  assert.match(problem.detail, /removed, moved or replaced.*put the same files back, or restart/s);
  await api.refused("storage_lost", "POST", `/v1/sessions/${id}/prompts`, sent);
  await api.refused("storage_lost", "POST", "/v1/sessions", {});
  await api.refused("storage_lost", "PATCH", `/v1/sessions/${id}`, { title: "t" });
  await api.refused("storage_lost", "DELETE", `/v1/sessions/${id}`);
  return problem;
}

/** Copies a directory that a server uses: files of it may go meanwhile, as journals do, and the copy begins again. */
async function copy(from: string, to: string): Promise<void> {
  await eventually("the copy is whole", async () => {
    await rm(to, { recursive: true, force: true });
    try {
      await cp(from, to, { recursive: true });
      return true;
    } catch (error) {
      if (codeOf(error) === "ENOENT") return false;
      throw error;
    }
  });
}

const harms: [what: string, harm: (data: string) => Promise<void>][] = [
  ["is removed", (data) => rm(data, { recursive: true })],
  [
    "is replaced by a copy",
    async (data) => {
      await copy(data, `${data}.copy`);
      await rename(data, `${data}.away`);
      await rename(`${data}.copy`, data);
    },
  ],
];

describe("a data directory that", () => {
  for (const [what, harm] of harms) {
    test(`${what} under a running server: no 2xx for what nobody will find`, async (t) => {
      const { data, server } = await place(t);
      const { id } = await server.api.create();
      const sent = { id: "msg_before", text: "hello" };
      await server.api.ask(id, sent);
      assert.equal(await readiness(server), 200);
      await harm(data);
      await assertRefuses(server, id, sent);
      await eventually("/ready says so", async () => (await readiness(server)) === 503);
      await eventually("the log says so", async () => server.stderr().includes("removed, moved or replaced"));
      assert.equal(server.stderr().split("removed, moved or replaced").length, 2, "one line says it");
      const { code } = await server.end("SIGTERM");
      assert.equal(code, 0);
    });
  }
});

test("a directory that is put back is taken up again, and nothing was lost", async (t) => {
  const { data, server } = await place(t);
  const { api } = server;
  const { id } = await api.create();
  await api.ask(id, "one");
  await rename(data, `${data}.away`);
  await api.refused("storage_lost", "POST", `/v1/sessions/${id}/prompts`, { id: "msg_two", text: "two" });
  await rm(data, { recursive: true, force: true });
  await rename(`${data}.away`, data);
  assert.equal((await api.ask(id, { id: "msg_two", text: "two" })).reason, "end_turn");
  await eventually("/ready is well again", async () => (await readiness(server)) === 200);
  const events = await lawfulEvents(api, id);
  assert.equal(events.filter(({ type }) => type === "turn.started").length, 2);
});

test("an agent that works when the directory goes is stopped, and its turn has failed once the directory is back", async (t) => {
  const { data, server } = await place(t);
  const { api } = server;
  const { id } = await api.create();
  const stream = await api.stream(id);
  await api.prompt(id, "[[slow 600000]]");
  await stream.first("item.delta");
  const agents = async (): Promise<string> =>
    /parley_agents_running (\d+)/.exec(await (await fetch(`${api.url}/metrics`)).text())?.[1] ?? "";
  assert.equal(await agents(), "1");
  await rename(data, `${data}.away`);
  await eventually("the agent is gone", async () => (await agents()) === "0");
  await rm(data, { recursive: true, force: true });
  await rename(`${data}.away`, data);
  const end = await stream.first("turn.ended");
  assert.equal(end.type === "turn.ended" && end.data.error?.code, "storage_lost");
  await lawfulEvents(api, id);
  await stream.close();
});

test("a cancel stops the agent though the directory is gone", async (t) => {
  const { data, server } = await place(t);
  const { api } = server;
  const { id } = await api.create();
  const stream = await api.stream(id);
  await api.prompt(id, "[[slow 600000]]");
  await stream.first("item.delta");
  await rename(data, `${data}.away`);
  const { detail } = await api.refused("storage_lost", "POST", `/v1/sessions/${id}/cancel`, {});
  assert.match(detail, /^the agent was stopped/);
  await stream.close();
});

test("a second server on the directory that was made anew is left alone by the first", async (t) => {
  const { data, server, start } = await place(t);
  const { id } = await server.api.create();
  // The server may write into it meanwhile.
  await rm(data, { recursive: true, maxRetries: 20, retryDelay: 10 });
  const second = await start();
  const { id: other } = await second.api.create();
  await second.api.ask(other, "hello");
  await assertRefuses(server, id, { text: "hello" });
  await server.end("SIGTERM");
  assert.ok((await readdir(data)).includes("owner.json"), "the second server can still be found");
  await second.api.ask(other, "again");
  await second.end("SIGKILL");
  const third = await start();
  assert.equal((await third.api.events(other)).filter(({ type }) => type === "turn.ended").length, 2);
});

test("a directory whose lock file was replaced takes no second server while the first one runs", async (t) => {
  const { data, server, start } = await place(t);
  await rm(join(data, "lock.db"));
  await assert.rejects(start(), new RegExp(`pid ${server.pid}`));
});
