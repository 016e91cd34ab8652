import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Home } from "./support.ts";

for (const live of [true, false]) {
  test(`words are found ${live ? "through the server" : "without a server"}`, async () => {
    await using home = new Home();
    const other = join(home.root, "other");
    mkdirSync(other);
    if (live) await home.serve();
    const none = await home.run(["search", "zebra"]);
    assert.deepEqual([none.code, none.stdout], [0, ""]);
    assert.match(none.stderr, /nothing was found/);
    const { stdout } = await home.run(["run", "--format", "json", "--title", "Animals", "where do zebras live"]);
    const { session } = JSON.parse(stdout);
    await home.run(["run", "no animals here"], { cwd: other });

    const found = await home.run(["search", "zebra", "where", "--kind", "message"]);
    assert.equal(found.code, 0);
    assert.match(found.stdout, /^Animals {2}\d+s {2}scripted {2}user$/m);
    assert.match(found.stdout, /^ {2}\[where\] do zebras live$/m);
    assert.match(found.stdout, new RegExp(`^ {2}parley events ${session} --after \\d+$`, "m"));
    const open = /parley (events .*)/.exec(found.stdout)?.[1]?.split(" ") ?? [];
    assert.equal((await home.run(open)).code, 0, "the command that it names works");

    const lines = (await home.run(["search", "animals", "--json", "--dir", other, "--limit", "1"])).stdout;
    const [hit, ...more] = lines
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual([hit.directory, more.length], [other, 0]);
    assert.equal((await home.run(["search", "animals", "--agent", "nobody", "--json"])).stdout, "");
    const empty = await home.run(["search", "***"]);
    assert.equal(empty.code, 2);
    assert.match(empty.stderr, /expected a word to look for, got "\*\*\*"/);
  });
}

test("doctor looks at the index", async () => {
  await using home = new Home();
  await home.run(["run", "zebra"]);
  const { checks } = JSON.parse((await home.run(["doctor", "--json"])).stdout);
  assert.match(checks.find(({ name }: { name: string }) => name === "index").detail, /search\.db is sound|none yet/);
});
