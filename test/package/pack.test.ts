import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { missing } from "../support/missing.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const OFFLINE = /ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ETIMEDOUT|ENOTCACHED|network/;

/** The environment without the variables of npm, which would point an install at this checkout, and of the test runner. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith("npm_") && name !== "NODE_TEST_CONTEXT"),
  );
}

test("the packed package installs elsewhere, serves, answers a prompt and exports what it says", {
  timeout: 300_000,
}, async (t) => {
  const home = await mkdtemp(join(tmpdir(), "parley-pack-"));
  t.after(() => rm(home, { recursive: true, force: true }));
  const env = {
    ...cleanEnvironment(),
    HOME: home,
    XDG_DATA_HOME: join(home, "data"),
    XDG_CONFIG_HOME: join(home, "config"),
  };
  await run("npm", ["pack", "--pack-destination", home], { cwd: ROOT, env: cleanEnvironment() });
  const tarball = (await readdir(home)).find((name) => name.endsWith(".tgz"));
  assert.ok(tarball, "npm pack made no tarball");
  await run("npm", ["init", "-y"], { cwd: home, env: cleanEnvironment() });
  try {
    await run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", join(home, tarball)], {
      cwd: home,
      env: cleanEnvironment(),
    });
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    if (!OFFLINE.test(stderr)) throw error;
    return t.skip(missing("the network, to install the package's dependencies"));
  }
  const bin = join(home, "node_modules", "parley-agents", "bin", "parley.js");
  const { stdout: version } = await run(process.execPath, [bin, "--version"], { cwd: home, env });
  assert.match(version, /^\d+\.\d+\.\d+/);
  const check =
    'import("parley-agents").then(async (p) => console.log(typeof p.startParley, typeof (await import("parley-agents/client")).createClient, typeof (await import("parley-agents/testing")).checkLaws))';
  const { stdout: exported } = await run(process.execPath, ["-e", check], { cwd: home, env });
  assert.equal(exported.trim(), "function function function");
  const { stdout: answer } = await run(process.execPath, [bin, "run", "hello from the package"], { cwd: home, env });
  assert.match(answer, /hello from the package/);
  const server = spawn(process.execPath, [bin, "serve", "--port", "0", "--insecure-no-auth"], {
    cwd: home,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  t.after(() => server.kill("SIGKILL"));
  const [url] = (await once(createInterface(server.stdout), "line")) as [string];
  assert.deepEqual(((await (await fetch(`${url}/health`)).json()) as { status: string }).status, "ok");
  server.kill("SIGTERM");
  assert.deepEqual(await once(server, "exit"), [0, null]);
});

test("the package's face is right for every kind of importer", { timeout: 120_000 }, async () => {
  const { stdout } = await run("publint", ["run", "--strict", "--pack", "npm"], { cwd: ROOT, env: process.env }).catch(
    (error: { stdout: string }) => error,
  );
  assert.match(stdout, /All good!/);
});
