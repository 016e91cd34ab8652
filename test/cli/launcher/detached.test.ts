import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { readLock } from "../../../src/host/data-lock.ts";
import { onLinux } from "../../../src/host/process-identity.ts";
import { alive, type Identity, identify } from "../../host/support.ts";
import { Api } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";

const PROGRAM = fileURLToPath(new URL("../../../bin/parley.js", import.meta.url));

interface Detached {
  shell: ChildProcess;
  api: Api;
  server: Identity;
  /** Sends TERM and waits until the server is gone. */
  stop(): Promise<void>;
}

/** Runs a line of bash in which "$@" is the server, with the variables that a script of npm has. */
async function start(t: TestContext, line: string): Promise<Detached> {
  const home = await mkdtemp(join(tmpdir(), "parley-detached-"));
  const data = join(home, "data");
  const server = [PROGRAM, "serve", "--port", "0", "--insecure-no-auth", "--data-dir", data, "--dir", home];
  const shell = spawn("bash", ["-c", line, "bash", process.execPath, ...server], {
    env: { ...process.env, npm_lifecycle_event: "start", npm_execpath: "/npm-cli.js", XDG_CONFIG_HOME: home },
    cwd: home,
    stdio: ["ignore", "ignore", "ignore"],
  });
  const found: Identity[] = [];
  t.after(async () => {
    shell.kill("SIGKILL");
    for (const { pid } of found.filter(alive)) process.kill(pid, "SIGKILL");
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  });
  await eventually("the server listens", () => readLock(data)?.url !== undefined);
  const owner = readLock(data);
  assert.ok(owner?.url);
  const me = identify(owner.pid);
  found.push(me);
  return {
    shell,
    api: new Api(owner.url),
    server: me,
    async stop() {
      process.kill(me.pid, "SIGTERM");
      await eventually("the server is gone", () => !alive(me));
    },
  };
}

/** Longer than a server takes to notice that its launcher is gone. */
async function assertStays(server: Identity, api: Api): Promise<void> {
  await assert.rejects(eventually("it stops", () => !alive(server), 1_000));
  const { id } = await api.create({ agent: "scripted" });
  assert.equal((await api.session(id)).status, "idle");
}

describe("a server that somebody detached goes on", { skip: !onLinux && "needs /proc" }, () => {
  for (const [name, line] of [
    ["with nohup and its own file", 'env -u _ nohup "$@" >nohup.out 2>&1 & wait'],
    ["with nohup and another file", 'nohup "$@" >log 2>&1 & wait'],
  ] as const) {
    test(`after a hang-up, ${name}`, async (t) => {
      const { api, server, stop } = await start(t, line);
      process.kill(server.pid, "SIGHUP");
      // Signals are taken in order: the answer to the next one shows that the first has passed.
      const { id } = await api.create({ agent: "scripted" });
      assert.equal((await api.session(id)).status, "idle");
      assert.equal(alive(server), true);
      await stop();
    });
  }

  test("after its shell's end, with setsid", async (t) => {
    const { shell, api, server, stop } = await start(t, 'setsid "$@" & wait');
    const gone = once(shell, "exit");
    shell.kill("SIGKILL");
    await gone;
    await assertStays(server, api);
    await stop();
  });

  test("after the end of a shell in which a person typed", async (t) => {
    const { shell, api, server, stop } = await start(t, '"$@" & wait');
    const gone = once(shell, "exit");
    shell.kill("SIGKILL");
    await gone;
    await assertStays(server, api);
    await stop();
  });
});

test("without nohup a hang-up stops a server", { skip: !onLinux && "needs /proc" }, async (t) => {
  const { server } = await start(t, '"$@" & wait');
  process.kill(server.pid, "SIGHUP");
  await eventually("the server is gone", () => !alive(server));
});
