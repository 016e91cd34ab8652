import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { onLinux } from "../../src/host/process-identity.ts";
import { listProcesses, withDescendants } from "../../src/host/process-scan.ts";
import { alive, type Identity, identify } from "../host/support.ts";
import { eventually } from "../support/eventually.ts";
import { launch, WAYS } from "../support/launched.ts";
import { startProcess, straysOf } from "../support/process.ts";

const SIGNALS = ["SIGTERM", "SIGHUP", "SIGINT", "SIGKILL"] as const;
const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));
const NEEDS_PROC = { concurrency: 2, skip: !onLinux && "needs /proc" };

/** A shell keeps an interrupt to itself until its program ends: one that is sent to npx or its shell alone is lost. */
const isLost = (way: keyof typeof WAYS, link: string, signal: string): boolean =>
  way === "npx parley serve" && signal === "SIGINT" && link !== "the server";

/** Where the shell of `npm start` becomes the server, npx keeps its own. */
const LINKS = { "npm start": ["npm", "the server"], "npx parley serve": ["npm", "npm's shell", "the server"] } as const;

describe("every signal to every process of the line ends all of it", NEEDS_PROC, () => {
  for (const way of Object.keys(WAYS) as (keyof typeof WAYS)[]) {
    for (const [at, link] of LINKS[way].entries()) {
      for (const signal of SIGNALS) {
        if (isLost(way, link, signal)) continue;
        test(`${way}: ${signal} to ${link}`, async (t) => {
          const { home, links, server, agent, gone } = await launch(t, way);
          const target = links[at];
          assert.ok(target && links.length === LINKS[way].length);
          process.kill(target.pid, signal);
          if (signal === "SIGKILL" && target.pid === server.pid) {
            await eventually("npm leaves", () => !links.some(alive));
            const again = await startProcess({ home });
            assert.equal(alive(agent), false);
            await again.end("SIGTERM");
            assert.deepEqual(straysOf(home), []);
          }
          t.diagnostic(`gone after ${Math.round(await gone())} ms`);
        });
      }
    }
  }
});

/** Another command under npx, until it has said something. */
async function other(t: TestContext, args: readonly string[]): Promise<{ npx: Identity; line: Identity[] }> {
  const home = await mkdtemp(join(tmpdir(), "parley-npx-"));
  const env = { HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, npm_config_cache: join(home, "npm") };
  const child = spawn("npx", ["parley", ...args], {
    cwd: CHECKOUT,
    env: { ...process.env, ...env, PARLEY_AGENT: "scripted" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const line: Identity[] = [];
  t.after(async () => {
    child.kill("SIGKILL");
    for (const { pid } of line.filter(alive)) process.kill(pid, "SIGKILL");
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  });
  await once(child.stdout, "data");
  assert.ok(child.pid);
  line.push(...withDescendants(listProcesses(), new Set([child.pid])).filter(({ zombie }) => !zombie));
  assert.ok(line.length >= 3);
  return { npx: identify(child.pid), line };
}

describe("so do the other commands that stay", NEEDS_PROC, () => {
  for (const args of [["model"], ["run", "[[slow 600000]]"]]) {
    test(`npx parley ${args[0]}: SIGKILL to npx`, async (t) => {
      const { npx, line } = await other(t, args);
      process.kill(npx.pid, "SIGKILL");
      await eventually("no process of it is left", () => !line.some(alive));
    });
  }
});

const unshare = ["--pid", "--fork", "--mount-proc"];
const noNamespace = !onLinux || spawnSync("unshare", [...unshare, "true"]).status !== 0;

describe("as the first process of a container", { skip: noNamespace && "may not make a process namespace" }, () => {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    test(`the server takes ${signal}`, async (t) => {
      const home = await mkdtemp(join(tmpdir(), "parley-first-"));
      t.after(() => rm(home, { recursive: true, force: true, maxRetries: 3 }));
      const program = [process.execPath, join(CHECKOUT, "bin", "parley.js"), "serve", "--port", "0"];
      const container = spawn("unshare", [...unshare, ...program, "--data-dir", join(home, "data")], {
        env: { ...process.env, XDG_CONFIG_HOME: home },
        stdio: ["ignore", "pipe", "ignore"],
      });
      t.after(() => container.kill("SIGKILL"));
      await once(container.stdout, "data");
      const first = listProcesses().find(({ parent }) => parent === container.pid);
      assert.ok(first);
      const ended = once(container, "exit");
      process.kill(first.pid, signal);
      assert.deepEqual(await ended, [0, null]);
    });
  }
});
