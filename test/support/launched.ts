import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { acquireLock, readLock } from "../../src/host/data-lock.ts";
import { processInfo } from "../../src/host/process-identity.ts";
import { reap } from "../../src/host/reaper.ts";
import { instanceOf } from "../../src/server/instance.ts";
import { alive, type Identity, identify } from "../host/support.ts";
import { Api } from "./api.ts";
import { eventually } from "./eventually.ts";
import { dataDirectoryOf, straysOf } from "./process.ts";

const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));

/** How people start a server with npm; the server's own arguments follow. */
export const WAYS = {
  "npm start": ["npm", "start", "--"],
  "npx parley serve": ["npx", "parley", "serve"],
} as const;

export interface Launched {
  home: string;
  api: Api;
  /** From npm down to the server: npm, its shell where it has one, the server. */
  links: Identity[];
  server: Identity;
  /** An agent's process that is at work. */
  agent: Identity;
  /** Waits until nothing of it runs; returns how long that took. The data directory is free then. */
  gone(): Promise<number>;
}

/** The line of processes from one of its descendants up to it. */
function lineBetween(top: number, bottom: number): Identity[] {
  const line: Identity[] = [];
  for (let pid = bottom; pid > 1; pid = processInfo(pid)?.parent ?? 0) {
    line.unshift(identify(pid));
    if (pid === top) return line;
  }
  throw new Error(`expected ${bottom} to descend from ${top}`);
}

/** A server as npm runs it, with a busy agent. Everything is ended with the test. */
export async function launch(t: TestContext, way: keyof typeof WAYS): Promise<Launched> {
  const home = await mkdtemp(join(tmpdir(), "parley-launched-"));
  const dataDirectory = dataDirectoryOf(home);
  const everything: Identity[] = [];
  t.after(async () => {
    for (const one of everything.filter(alive)) process.kill(one.pid, "SIGKILL");
    await reap({ runDirectory: join(dataDirectory, "run"), instance: instanceOf(dataDirectory), graceMs: 0 });
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  });
  const [program, ...args] = WAYS[way];
  const flags = ["--json", "--port", "0", "--insecure-no-auth", "--data-dir", dataDirectory, "--dir", home];
  const env = { HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, npm_config_cache: join(home, "npm") };
  const child = spawn(program, [...args, ...flags], {
    cwd: CHECKOUT,
    env: { ...process.env, ...env, PARLEY_AGENT: "scripted", PARLEY_TOKEN: undefined },
    stdio: ["ignore", "pipe", "ignore"],
  });
  assert.ok(child.pid);
  everything.push(identify(child.pid));
  const lines = createInterface({ input: child.stdout });
  const ready = Promise.withResolvers<string>();
  lines.on("line", (line) => line.startsWith("{") && ready.resolve(line));
  const ended = once(child, "exit").then(() => undefined);
  const said = await Promise.race([ready.promise, ended]);
  const owner = readLock(dataDirectory);
  assert.ok(said !== undefined && owner, `${way} did not start a server`);
  const links = lineBetween(child.pid, owner.pid);
  everything.push(...links);
  const api = new Api((JSON.parse(said) as { url: string }).url);
  const { id } = await api.create();
  const stream = await api.stream(id);
  await api.prompt(id, "[[slow 600000]]");
  await stream.first("item.delta");
  const [agent] = straysOf(home).map(({ pid }) => identify(pid));
  assert.ok(agent, "an agent runs");
  everything.push(agent);
  return {
    home,
    api,
    links,
    server: identify(owner.pid),
    agent,
    async gone() {
      const begun = performance.now();
      await eventually("no process of it is left", () => !everything.some(alive));
      assert.deepEqual(straysOf(home), []);
      const lock = await acquireLock(dataDirectory);
      assert.ok(lock.ok, "the data directory is free");
      lock.release();
      return performance.now() - begun;
    },
  };
}
