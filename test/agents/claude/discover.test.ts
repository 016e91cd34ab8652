import assert from "node:assert/strict";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Discoverer, type Told } from "../../../src/agents/claude/discover.ts";
import { FRESH_MS } from "../../../src/agents/kept-discovery.ts";
import { makeHost } from "../../host/support.ts";

test("a program that does not tell its models in time is there, says so, and has those that a session tells", async (t) => {
  const { host, directory } = await makeHost(t);
  const program = join(directory, "claude");
  await writeFile(program, "#!/bin/sh\nexec cat > /dev/null\n");
  await chmod(program, 0o755);
  const env = { PARLEY_CLAUDE_BIN: program, HOME: directory, ANTHROPIC_API_KEY: "not-a-real-key" };
  const discoverer = new Discoverer({ host, dataDirectory: directory, env, extra: {}, limitMs: 100 });
  const silent = await discoverer.discover();
  assert.deepEqual([silent.installed, silent.credentials, silent.models], [true, "found", []]);
  assert.match(silent.detail ?? "", /; it did not tell its models within 0\.1 s/);
  discoverer.expect(Promise.resolve({ path: program, initialized: { models: [{ value: "haiku" }] } }));
  const told = await discoverer.discover();
  assert.deepEqual(
    told.models.map(({ id }) => id),
    ["haiku"],
  );
  assert.doesNotMatch(told.detail ?? "", /did not tell/);
});

const ACCOUNT = { tokenSource: "none", apiKeySource: "ANTHROPIC_API_KEY", apiProvider: "firstParty" };

/** A program that notes each of its starts, and answers nothing but whether there is a login. */
async function noting(t: TestContext) {
  const { host, directory } = await makeHost(t);
  const [program, notes] = [join(directory, "claude"), join(directory, "starts")];
  const answer = 'case "$*" in *auth*) echo \'{"loggedIn":false}\';; *) exec cat > /dev/null;; esac';
  await writeFile(program, `#!/bin/sh\necho "$*" >> ${notes}\n${answer}\n`);
  await chmod(program, 0o755);
  const env = { PARLEY_CLAUDE_BIN: program, HOME: directory, ANTHROPIC_API_KEY: "not-a-real-key" };
  const clock = { now: 1_000_000 };
  const discoverer = new Discoverer({
    host,
    dataDirectory: directory,
    env,
    extra: {},
    limitMs: 100,
    now: () => clock.now,
  });
  const starts = async (): Promise<string[]> =>
    (await readFile(notes, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
  return { discoverer, program, starts, clock };
}

test("a session that starts tells all that a discovery wants, and no other program is started for it", async (t) => {
  const { discoverer, program, starts } = await noting(t);
  const told = Promise.withResolvers<Told | undefined>();
  discoverer.expect(told.promise);
  const asked = discoverer.discover();
  told.resolve({ path: program, initialized: { models: [{ value: "haiku" }], account: ACCOUNT } });
  const { models, credentials } = await asked;
  assert.deepEqual([models.map(({ id }) => id), credentials], [["haiku"], "found"]);
  assert.deepEqual(await starts(), []);
});

test("a session whose program has no account leaves the login to be asked for", async (t) => {
  const { discoverer, program, starts } = await noting(t);
  const account = { tokenSource: "none", apiProvider: "firstParty" };
  discoverer.expect(Promise.resolve({ path: program, initialized: { models: [{ value: "haiku" }], account } }));
  const { models, credentials } = await discoverer.discover();
  assert.deepEqual([models.map(({ id }) => id), credentials], [["haiku"], "missing"]);
  const [auth, ...others] = await starts();
  assert.match(auth ?? "", /auth status/);
  assert.deepEqual(others, []);
});

test("a session that fails to start leaves the discovery to a start of its own", async (t) => {
  const { discoverer, starts } = await noting(t);
  discoverer.expect(Promise.resolve(undefined));
  const { detail } = await discoverer.discover();
  assert.match(detail ?? "", /did not tell its models/);
  assert.equal((await starts()).length, 2);
});

test("an account that a session told long ago says nothing of the login now", async (t) => {
  const { discoverer, program, starts, clock } = await noting(t);
  const started = Promise.resolve({ path: program, initialized: { models: [{ value: "haiku" }], account: ACCOUNT } });
  discoverer.expect(started);
  await started;
  clock.now += FRESH_MS + 1;
  assert.equal((await discoverer.discover()).credentials, "missing");
  assert.equal((await starts()).length, 1);
});
