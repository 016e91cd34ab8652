import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { firstLine, Home } from "./support.ts";

async function say(url: string, content: string): Promise<string> {
  const body = JSON.stringify({ model: "m", messages: [{ role: "user", content }] });
  const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", body });
  const answer = (await response.json()) as { choices: { message: { content: string } }[] };
  return answer.choices[0]?.message.content ?? "";
}

test("parley model: its URL first, then a line an agent; a signal ends it", async () => {
  await using home = new Home();
  const script = home.write("script.yaml", 'prompts:\n  "*":\n    - text: "Heard: {{prompt}}"\n');
  const child = home.start(["model", "--script", script]);
  let out = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    out += chunk;
  });
  const url = await firstLine(child);
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal(await say(url, "hello"), "Heard: hello");
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  assert.deepEqual(await exited, [0, null]);
  for (const agent of ["claude", "codex", "opencode"]) assert.match(out, new RegExp(`\\b${agent}\\b`));
  assert.ok(out.split("\n").filter((line) => line.includes(url)).length >= 4);
});

test("parley model: without a script it says what it is", async () => {
  await using home = new Home();
  const url = await firstLine(home.start(["model"]));
  assert.match(await say(url, "hello"), /scripted model.*You said: hello/s);
});

const WRONG: readonly [string, string[], number, RegExp][] = [
  ["no such file", ["--script", "nothing.yaml"], 2, /there is no file nothing\.yaml/],
  ["a directory", ["--script", "."], 2, /expected a file, got the directory/],
  ["no port", ["--port", "x"], 2, /port from 0 to 65535/],
];
for (const [name, args, code, message] of WRONG) {
  test(`parley model: ${name}`, async () => {
    await using home = new Home();
    const result = await home.run(["model", ...args]);
    assert.equal(result.code, code);
    assert.match(result.stderr, message);
  });
}

test("parley model: a wrong script is told with its lines", async () => {
  await using home = new Home();
  const script = home.write("bad.yaml", "prompts:\n  a:\n    - txt: x\n");
  const result = await home.run(["model", "--script", script]);
  assert.equal(result.code, 2);
  assert.match(result.stderr, /bad\.yaml:3:7: prompts\.a\[0\]: Unrecognized key: "txt"/);
});

test("parley model: a port that is taken", async () => {
  await using home = new Home();
  const url = await firstLine(home.start(["model"]));
  const result = await home.run(["model", "--port", new URL(url).port]);
  assert.equal(result.code, 1);
  assert.match(result.stderr, /is taken/);
});
