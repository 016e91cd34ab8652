import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { onLinux, processInfo } from "../../src/host/process-identity.ts";
import { reap } from "../../src/host/reaper.ts";
import { instanceOf } from "../../src/server/instance.ts";
import { alive, type Identity, identify } from "../host/support.ts";
import { eventually } from "../support/eventually.ts";
import { lawfulEvents } from "../support/laws.ts";
import { dataDirectoryOf, type ServerProcess, startProcess, straysOf } from "../support/process.ts";
import { agent } from "../support/server.ts";

interface Forest {
  home: string;
  server: ServerProcess;
  /** The same data with another process; it is ended with the test, too. */
  startAgain(): Promise<ServerProcess>;
  sessions: string[];
  /** The agents and all that they started, none of which takes TERM. */
  processes: Identity[];
}

const AGENTS = {
  tree: agent("double-fork", "tree"),
  orphan: agent("double-fork", "orphan"),
  hidden: agent("double-fork", "hidden"),
};

/** A server with agents at work: all fork, and grandchildren are in sessions of their own, without parent or environment. */
async function plant(t: TestContext): Promise<Forest> {
  const home = await mkdtemp(join(tmpdir(), "parley-tree-"));
  const servers: ServerProcess[] = [];
  const processes: Identity[] = [];
  const startAgain = async (): Promise<ServerProcess> => {
    const started = await startProcess({ home, agents: AGENTS });
    servers.push(started);
    return started;
  };
  const server = await startAgain();
  t.after(async () => {
    for (const one of servers) await one.end("SIGKILL");
    const dataDirectory = dataDirectoryOf(home);
    await reap({ runDirectory: join(dataDirectory, "run"), instance: instanceOf(dataDirectory), graceMs: 0 });
    for (const one of processes.filter(alive)) process.kill(one.pid, "SIGKILL");
    await rm(home, { recursive: true, force: true });
  });
  const sessions: string[] = [];
  const pids: number[] = [];
  for (const name of Object.keys(AGENTS)) {
    const { id } = await server.api.create({ agent: name });
    const stream = await server.api.stream(id);
    await server.api.prompt(id, "go");
    const said = await stream.first("item.delta");
    pids.push(...(said.type === "item.delta" ? (said.data.delta ?? "") : "").split(" ").map(Number));
    sessions.push(id);
    await stream.close();
  }
  const leaving = [pids[4] ?? 0, pids[7] ?? 0];
  const left = (pid: number): boolean => processInfo(pid)?.zombie ?? true;
  await eventually("the middle ones of the orphans' lines leave", () => leaving.every(left));
  processes.push(...pids.filter((pid) => !leaving.includes(pid)).map(identify));
  assert.equal(processes.filter(alive).length, 7);
  return { home, server, startAgain, sessions, processes };
}

async function assertGone(processes: Identity[], within: number): Promise<void> {
  const left = (): string =>
    processes
      .filter(alive)
      .map((one) => one.pid)
      .join(", ");
  await eventually("no process of the agents is left", () => left() === "", within).catch((error: Error) => {
    throw new Error(`${error.message}: ${left()}`);
  });
}

/** Milliseconds until the last process must be gone. */
export interface Limits {
  /** After a cancel: the ladder asks for 3 s, then TERM for 2 s, then KILL, so that nothing that ignores both is gone any sooner. */
  ladder: number;
  end: number;
}

export function processTrees({ ladder, end }: Limits): void {
  describe(
    "an agent's whole process tree ends with its work",
    {
      concurrency: 3,
      skip: !onLinux && "needs /proc",
    },
    () => tests(ladder, end),
  );
}

function tests(ladder: number, end: number): void {
  test("by cancel", async (t) => {
    const { home, server, sessions, processes } = await plant(t);
    const begun = performance.now();
    await Promise.all(sessions.map((id) => server.api.cancel(id)));
    await assertGone(processes, ladder - (performance.now() - begun));
    assert.deepEqual(straysOf(home), []);
    for (const id of sessions) {
      assert.equal((await server.api.session(id)).lastEnd?.reason, "cancelled");
      await lawfulEvents(server.api, id);
    }
  });

  test("by DELETE of its session", async (t) => {
    const { home, server, sessions, processes } = await plant(t);
    const begun = performance.now();
    await Promise.all(sessions.map((id) => server.api.expect(204, "DELETE", `/v1/sessions/${id}`)));
    await assertGone(processes, end - (performance.now() - begun));
    assert.deepEqual(straysOf(home), []);
  });

  for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const) {
    test(`by ${signal} of the server`, async (t) => {
      const { home, server, processes } = await plant(t);
      const begun = performance.now();
      assert.deepEqual(await server.end(signal), { code: 0, signal: null });
      await assertGone(processes, end - (performance.now() - begun));
      assert.deepEqual(straysOf(home), []);
    });
  }

  test("by the next boot after kill -9 of the server", async (t) => {
    const { home, server, startAgain, sessions, processes } = await plant(t);
    await server.end("SIGKILL");
    assert.ok(processes.filter(alive).length >= 6, "nothing would be shown if they died by themselves");
    const listed = new Set(straysOf(home).map((stray) => stray.pid));
    for (const one of processes.filter(alive)) assert.ok(listed.has(one.pid), `${one.pid} is listed as a stray`);
    const again = await startAgain();
    assert.deepEqual(processes.filter(alive), [], "before the port was open");
    assert.deepEqual(straysOf(home), []);
    for (const id of sessions) {
      assert.equal((await again.api.session(id)).lastEnd?.reason, "interrupted");
      await lawfulEvents(again.api, id);
    }
  });
}
