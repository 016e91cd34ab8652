import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { onLinux } from "../../src/host/process-identity.ts";
import { reap } from "../../src/host/reaper.ts";
import type { TerminalInfo } from "../../src/host/terminals/contract.ts";
import { instanceOf } from "../../src/server/instance.ts";
import { alive, type Identity, identify } from "../host/support.ts";
import { dataDirectoryOf, type ServerProcess, startProcess, straysOf } from "../support/process.ts";
import { PtyClient } from "../surfaces/opencode/pty/client.ts";
import { callJson } from "../surfaces/opencode/pty/rig.ts";

interface Opened {
  home: string;
  server: ServerProcess;
  startAgain(): Promise<ServerProcess>;
  client: PtyClient;
  /** A shell, a child of it, one that takes no hang-up and two that have left its session, one of them without its environment. */
  processes: Identity[];
}

async function open(t: TestContext): Promise<Opened> {
  const home = await mkdtemp(join(tmpdir(), "parley-terminals-"));
  const servers: ServerProcess[] = [];
  const startAgain = async (): Promise<ServerProcess> => {
    const started = await startProcess({ home });
    servers.push(started);
    return started;
  };
  const server = await startAgain();
  t.after(async () => {
    for (const one of servers) await one.end("SIGKILL");
    const dataDirectory = dataDirectoryOf(home);
    await reap({ runDirectory: join(dataDirectory, "run"), instance: instanceOf(dataDirectory), graceMs: 0 });
    await rm(home, { recursive: true, force: true });
  });
  const script =
    "sleep 1000 & echo pid $!; (trap '' HUP; exec sleep 1001) & echo pid $!; setsid sleep 1002 & echo pid $!; (env -i setsid sleep 1003 & echo pid $!); read x";
  const created = await callJson<TerminalInfo>(`${server.api.url}/pty`, "POST", {
    command: "/bin/sh",
    args: ["-c", script],
  });
  const { id, pid } = created.body;
  const client = new PtyClient(`${server.api.url.replace("http", "ws")}/pty/${id}/connect`);
  await client.saw(/(pid \d+\s+){4}/);
  const pids = [pid, ...[...client.text.matchAll(/pid (\d+)/g)].map((match) => Number(match[1]))];
  const processes = pids.map(identify);
  assert.equal(processes.filter(alive).length, 5);
  return { home, server, startAgain, client, processes };
}

describe("B10: a terminal ends with its server", { concurrency: 2, skip: !onLinux && "needs /proc" }, () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    test(`by ${signal}, whole, with a close for those who watch`, async (t) => {
      const { home, server, client, processes } = await open(t);
      assert.deepEqual(await server.end(signal), { code: 0, signal: null });
      assert.deepEqual(processes.filter(alive), []);
      assert.deepEqual(straysOf(home), []);
      assert.equal(await client.closed, 1000);
    });
  }

  test("by the next boot after kill -9", async (t) => {
    const { home, server, startAgain, processes } = await open(t);
    await server.end("SIGKILL");
    assert.ok(processes.filter(alive).length >= 2, "nothing would be shown if they died by themselves");
    const again = await startAgain();
    assert.deepEqual(processes.filter(alive), [], "before the port was open");
    assert.deepEqual(straysOf(home), []);
    assert.deepEqual((await callJson(`${again.api.url}/pty`, "GET")).body, []);
  });

  test("and is no session's business", async (t) => {
    const { server } = await open(t);
    const { sessions } = await server.api.expect<{ sessions: unknown[] }>(200, "GET", "/v1/sessions");
    assert.deepEqual(sessions, []);
  });
});
