import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createClient } from "../../src/client/index.ts";
import { startServer, type TestServer } from "./support.ts";

const TOKEN = "a-token-of-the-tests-0123456789";
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CLIENT = new URL("../../src/client/index.ts", import.meta.url).href;

function start(server: TestServer, script: string, ...args: string[]) {
  const child: ChildProcess = spawn(process.execPath, [script, ...args], {
    cwd: server.directory,
    env: { ...process.env, PARLEY_URL: server.url, PARLEY_TOKEN: TOKEN },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const closed = once(child, "close");
  return {
    child,
    async said(pattern: RegExp): Promise<void> {
      while (!pattern.test(stdout)) {
        const over = await Promise.race([
          once(child.stdout ?? child, "data").then(() => false),
          closed.then(() => true),
        ]);
        if (over && !pattern.test(stdout)) throw new Error(`ended without ${pattern}: ${stdout}${stderr}`);
      }
    },
    async ended() {
      await closed;
      return { code: child.exitCode, stdout, stderr };
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await closed;
    },
  };
}

test("the blocks of docs/client.md are one program, and it works", async () => {
  await using server = await startServer({ token: TOKEN });
  const page = await readFile(join(ROOT, "docs/client.md"), "utf8");
  const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code ?? "");
  assert.ok(blocks.length >= 6);
  const path = join(server.directory, "page.ts");
  await writeFile(path, blocks.join("\n").replaceAll('"parley-agents/client"', JSON.stringify(CLIENT)));
  await using program = start(server, path);
  const { code, stdout, stderr } = await program.ended();
  assert.equal(code, 0, stderr);
  for (const line of [
    /^end_turn This is .*You said: hello \d+$/m,
    /^end_turn (started|queued) end_turn$/m,
    /^\d+ ended: end_turn$/m,
  ]) {
    assert.match(stdout, line);
  }
  assert.match(stdout, /^go on after all:\d+$/m);
  assert.match(stdout, /^404 session_not_found no session ses_unknown/m);
});

test("the program of the README prints the answer and nothing else", async () => {
  await using server = await startServer({ token: TOKEN });
  const readme = await readFile(join(ROOT, "README.md"), "utf8");
  const [, code = ""] = /^```js\n\/\/ hello\.mjs\n(.*?)^```$/ms.exec(readme) ?? [];
  const path = join(server.directory, "hello.mjs");
  const program = code
    .replace('"parley-agents/client"', JSON.stringify(CLIENT))
    .replace("http://127.0.0.1:7420", server.url)
    .replace("Say hello", "[[reasoning]] and [[tools 1]]");
  await writeFile(path, program);
  await using hello = start(server, path);
  const { code: exit, stdout, stderr } = await hello.ended();
  assert.equal(exit, 0, stderr);
  const client = createClient({ url: server.url, token: TOKEN });
  const { sessions } = await client.sessions.list();
  const said: string[] = [];
  const others = new Set<string>();
  for await (const event of client.session(sessions[0]?.id ?? "").events({ follow: false })) {
    if (event.type !== "item.completed") continue;
    const { item } = event.data;
    if (item.kind === "message" && item.role === "assistant") said.push(item.text ?? "");
    else others.add(item.kind);
  }
  assert.equal(stdout, said.join(""));
  assert.ok(said.length > 0 && others.has("reasoning") && others.has("tool_result"));
});

test("examples/run-a-prompt.ts prints what the agent says", async () => {
  await using server = await startServer({ token: TOKEN });
  await using example = start(server, join(ROOT, "examples/run-a-prompt.ts"), "[[ask ls]] and [[reasoning]]");
  const { code, stdout, stderr } = await example.ended();
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^\[allowed once: bash ls\]$/m);
  assert.match(stdout, /You allowed it \(once\)\.I have thought about it\.\n\[end_turn\]\n$/);
});

test("examples/watch-everything.ts tells what happens until it is interrupted", async () => {
  await using server = await startServer({ token: TOKEN });
  await using example = start(server, join(ROOT, "examples/watch-everything.ts"));
  await example.said(/^watching$/m);
  const client = createClient({ url: server.url, token: TOKEN });
  const { id } = await client.sessions.create();
  await client.session(id).prompt("hello", { wait: true });
  await example.said(new RegExp(`^${id} is busy\\n${id} is idle: end_turn$`, "m"));
  example.child.kill("SIGINT");
  const { code, stdout } = await example.ended();
  assert.equal(code, 0);
  assert.match(stdout, /to go on here: after = all:\d+\n$/);
});

test("every example is run here", async () => {
  assert.deepEqual((await readdir(join(ROOT, "examples"))).sort(), ["run-a-prompt.ts", "watch-everything.ts"]);
});
