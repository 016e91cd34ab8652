import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Home } from "./support.ts";

const PROMPT = "Read README.md and add a line at the end";
const ADDED = "Added by Parley's scripted model.";
/** As on a machine that has only just got Parley: no agent is chosen, and there is no key. */
const env = { PARLEY_AGENT: "" };

test("the first run, without any key, really reads and really edits, after asking", async () => {
  await using home = new Home();
  const readme = join(home.work, "README.md");
  writeFileSync(readme, "# Mine\n");

  const denied = await home.run(["run", "--deny", PROMPT], { env });
  assert.equal(denied.code, 0, denied.stderr);
  assert.match(denied.stdout, /I left README\.md as it was/);
  assert.equal(readFileSync(readme, "utf8"), "# Mine\n");

  const allowed = await home.run(["run", "--yes", PROMPT], { env });
  assert.equal(allowed.code, 0, allowed.stderr);
  assert.equal(readFileSync(readme, "utf8"), `# Mine\n${ADDED}\n`);
  const steps = ["→ read README.md", "✓ read README.md", "→ edit README.md", "? permission: edit", "✓ edit README.md"];
  const places = steps.map((step) => allowed.stderr.indexOf(step));
  assert.ok(!places.includes(-1), allowed.stderr);
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
  assert.match(allowed.stdout, new RegExp(`added a line at the end: ${ADDED}\\n$`));
});

test("--continue goes on in the same session, in another process", async () => {
  await using home = new Home();
  const first = await home.run(["run", "--format", "json", "hello"], { env });
  const second = await home.run(["run", "--format", "json", "--continue", "--yes", "Run: echo again"], { env });
  const [a, b] = [first, second].map(({ stdout }) => JSON.parse(stdout));
  assert.match(a.text, /scripted model.*You said: hello/s);
  assert.equal(b.text, "It wrote:\nagain\n");
  assert.equal(b.session, a.session);
});

test("a server without any key says who answers and what to do for a real model", async () => {
  await using home = new Home();
  const { stdout } = await home.run(["agents", "--json"], { env });
  const house = JSON.parse(stdout).find(({ name }: { name: string }) => name === "house");
  assert.equal(house.default, true);
  assert.equal(house.credentials, "not_needed");
  assert.match(house.detail, /set ANTHROPIC_API_KEY or OPENAI_API_KEY/);
});
