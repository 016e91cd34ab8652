import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { SETTINGS } from "../../src/cli/config/table.ts";
import { finished, firstLine, Home, said } from "./support.ts";

const TOKEN = "a-token-of-the-test-0123456789";

async function status(url: string, token?: string): Promise<number> {
  const headers = new Headers();
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
  const answer = await fetch(url, { headers });
  await answer.body?.cancel();
  return answer.status;
}

test("the first line is the URL, the token is in its file, and TERM ends it with 0", async () => {
  await using home = new Home();
  const { child, line } = await home.serve();
  assert.match(line, /^http:\/\/127\.0\.0\.1:\d+$/);
  const token = readFileSync(join(home.dataDir, "token"), "utf8").trim();
  assert.equal(statSync(join(home.dataDir, "token")).mode & 0o777, 0o600);
  assert.equal(statSync(home.dataDir).mode & 0o777, 0o700);
  assert.equal(await status(`${line}/health`), 200);
  assert.equal(await status(`${line}/v1/agents`), 401);
  assert.equal(await status(`${line}/v1/agents`, token), 200);
  const exit = finished(child);
  child.kill("SIGTERM");
  const { code, stdout, stderr } = await exit;
  assert.equal(code, 0);
  assert.doesNotMatch(stdout + stderr, new RegExp(token));
});

test("a second server of a data directory says where the first one is, and what to do", async () => {
  await using home = new Home();
  const { child, line } = await home.serve();
  const { code, stderr } = await home.run(["serve", "--port", "0"]);
  assert.equal(code, 1);
  assert.ok(stderr.includes(`a Parley (pid ${child.pid}) runs on ${home.dataDir} already: ${line}; "`), stderr);
  assert.match(stderr, / console" opens it, or end that process\n$/);
});

test("--json says URL and token in one line", async () => {
  await using home = new Home();
  const { line } = await home.serve(["--json", "--token-file", home.write("token", `${TOKEN}\n`)]);
  const { url, token } = JSON.parse(line);
  assert.equal(token, TOKEN);
  assert.equal(await status(`${url}/v1/agents`, TOKEN), 200);
});

test("a run leaves few lines in the log of a server: those of its changes, and refusals", async () => {
  await using home = new Home();
  const { child, line } = await home.serve();
  const log = finished(child);
  await home.run(["run", "--yes", "[[ask ls]]"]);
  await fetch(`${line}/v1/sessions`);
  await home.run(["sessions"]);
  child.kill("SIGTERM");
  const requests = (await log).stderr
    .split("\n")
    .filter((one) => one.includes('"msg":"request"'))
    .map((one) => JSON.parse(one))
    .map(({ method, path, status }) => `${method} ${path.replace(/\w+_\w+/g, "ID")} ${status}`);
  assert.deepEqual(requests, [
    "POST /v1/sessions 201",
    "POST /v1/sessions/ID/prompts 202",
    "POST /v1/sessions/ID/asks/ID 200",
    "GET /v1/sessions 401",
  ]);
});

test("a token on the command line is not left in the list of processes", {
  skip: process.platform !== "linux",
}, async () => {
  await using home = new Home();
  const { child, line } = await home.serve(["--token", TOKEN]);
  assert.equal(await status(`${line}/v1/agents`, TOKEN), 200);
  assert.doesNotMatch(readFileSync(`/proc/${child.pid}/cmdline`, "utf8"), new RegExp(TOKEN));
});

test("a second server on the same data directory exits with 1 and names the first", async () => {
  await using home = new Home();
  const { line } = await home.serve();
  const holder = await usualPortTaken();
  try {
    for (const port of [["--port", "0"], []]) {
      const { code, stderr, stdout } = await home.run(["serve", ...port]);
      assert.equal(code, 1);
      assert.equal(stdout, "");
      assert.ok(stderr.includes(line), stderr);
      assert.equal(stderr.trim().split("\n").length, 1, stderr);
    }
  } finally {
    holder.close();
  }
  assert.equal(await status(`${line}/health`), 200);
});

async function usualPortTaken(): Promise<Server> {
  const holder = createServer().listen(Number(SETTINGS.port.default), "127.0.0.1");
  // Another program that has the port already serves as well.
  await Promise.race([once(holder, "listening"), new Promise((resolve) => holder.once("error", resolve))]);
  return holder;
}

async function takenPort(): Promise<{ port: number; [Symbol.dispose](): void }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("expected a port");
  return { port: address.port, [Symbol.dispose]: () => void server.close() };
}

for (const [how, args, env] of [
  ["by flag", (port: number) => ["--port", `${port}`], () => ({})],
  ["by variable", () => [], (port: number) => ({ PARLEY_PORT: `${port}` })],
] as const) {
  test(`a port that was chosen ${how} and is taken is one clear line and exit 1`, async () => {
    await using home = new Home();
    using taken = await takenPort();
    const { code, stderr } = await home.run(["serve", ...args(taken.port)], { env: { ...env(taken.port) } });
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`^parley: port ${taken.port} on 127\\.0\\.0\\.1 is in use: .*--port 0.*\n$`));
  });
}

test("the usual port being taken is a notice, not a failure", async () => {
  await using home = new Home();
  const holder = await usualPortTaken();
  try {
    const child = home.start(["serve"]);
    const [line, log] = await Promise.all([firstLine(child), said(child.stderr, "listening")]);
    assert.notEqual(new URL(line).port, SETTINGS.port.default);
    assert.match(log, /the usual port is taken/);
    assert.equal(await status(`${line}/health`), 200);
  } finally {
    holder.close();
  }
});

test("a data directory that cannot be made is one clear line and exit 1", async () => {
  await using home = new Home();
  const path = join(home.write("file", ""), "below-a-file");
  const { code, stderr } = await home.run(["serve", "--port", "0", "--data-dir", path]);
  assert.equal(code, 1);
  assert.match(stderr, /^parley: .*cannot be the data directory: choose another with --data-dir.*\n$/);
});

test("a data directory that cannot be one is one clear line and exit 1", async () => {
  await using home = new Home();
  const file = home.write("file", "");
  const { code, stderr } = await home.run(["serve", "--port", "0", "--data-dir", file]);
  assert.equal(code, 1);
  assert.equal(stderr.trim().split("\n").length, 1, stderr);
  assert.ok(stderr.includes(file), stderr);
});

test("a data directory without write access is one clear line and exit 1", {
  skip: process.getuid?.() === 0,
}, async () => {
  await using home = new Home();
  chmodSync(home.work, 0o500);
  const { code, stderr } = await home.run(["serve", "--port", "0", "--data-dir", join(home.work, "data")]);
  chmodSync(home.work, 0o700);
  assert.equal(code, 1);
  assert.equal(stderr.trim().split("\n").length, 1, stderr);
});

test("an agent that does not exist is named, with those that do", async () => {
  await using home = new Home();
  const { code, stderr } = await home.run(["serve", "--port", "0", "--agent", "nobody"]);
  assert.equal(code, 2);
  assert.match(stderr, /no agent nobody; there are: claude, codex, opencode, house, scripted/);
});

test("a token that is too short is refused", async () => {
  await using home = new Home();
  const { code, stderr } = await home.run(["serve", "--port", "0"], { env: { PARLEY_TOKEN: "short" } });
  assert.equal(code, 2);
  assert.match(stderr, /at least 16 printable characters/);
});

test("the configuration is used, and a mistake in it is pointed at with exit 2", async () => {
  await using home = new Home();
  home.configure({ dataDir: "~/elsewhere", port: 0 });
  const child = home.start(["serve"]);
  await once(child.stdout ?? child, "data");
  assert.equal(statSync(join(home.root, "elsewhere", "token")).isFile(), true);
  writeFileSync(home.userConfig, '{\n  "port": "x"\n}\n');
  const { code, stderr } = await home.run(["serve"]);
  assert.equal(code, 2);
  assert.ok(stderr.includes(`${home.userConfig}:2:11: port: expected a port from 0 to 65535, got "x"`), stderr);
});

test("a project's agent does not run without trust, and a warning says why", async () => {
  await using home = new Home();
  home.write("work/parley.jsonc", '{ "agents": { "scripted": { "command": ["./evil.sh"] } } }');
  const child = home.start(["agents", "--json"]);
  const { stdout, stderr, code } = await finished(child);
  assert.equal(code, 0);
  assert.doesNotMatch(stdout, /evil/);
  assert.match(stderr, /work\/parley\.jsonc: "agents" was ignored: .*to allow it: parley trust .*work$/m);
});
