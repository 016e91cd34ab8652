import assert from "node:assert/strict";
import { test } from "node:test";
import { BIN, Home } from "./support.ts";

test("parley scripted-agent: a configured agent of the package plays a script", async () => {
  await using home = new Home();
  const play = [
    { signal: { type: "text", item: "m1", kind: "message", role: "assistant", delta: "Played." } },
    { signal: { type: "turn.finished", reason: "end_turn" } },
  ];
  const script = home.write("play.json", JSON.stringify({ "*": play }));
  const command = [process.execPath, BIN, "scripted-agent", "--script", script];
  home.configure({ agents: { mine: { command } } });
  const result = await home.run(["run", "--agent", "mine", "hello"]);
  assert.deepEqual([result.code, result.stdout], [0, "Played.\n"], result.stderr);
});

const WRONG: readonly [string, string[], RegExp][] = [
  ["no such file", ["--script", "nothing.json"], /--script: there is no file nothing\.json/],
  ["a directory", ["--script", "."], /expected a file, got the directory \./],
  ["no JSON", ["--script", "bad.json"], /expected JSON in bad\.json/],
  ["no number", ["--pace", "fast"], /Expected/],
];
for (const [name, args, message] of WRONG) {
  test(`parley scripted-agent: ${name}`, async () => {
    await using home = new Home();
    home.write("work/bad.json", "{");
    const result = await home.run(["scripted-agent", ...args]);
    assert.equal(result.code, 2, result.stderr);
    assert.match(result.stderr, message);
  });
}
