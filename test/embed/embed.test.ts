import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createClient, ParleyApiError } from "../../src/client/index.ts";
import { AlreadyRunning, startParley } from "../../src/index.ts";
import { createMemoryLog } from "../../src/testing/index.ts";
import { temporary } from "../support/server.ts";

/** Has this process, which runs no other test meanwhile, keep its data and its temporary files in one directory. */
async function ownHome(t: Parameters<typeof temporary>[0]): Promise<string> {
  const home = await temporary(t);
  const { XDG_DATA_HOME = "", TMPDIR = "" } = process.env;
  Object.assign(process.env, { XDG_DATA_HOME: home, TMPDIR: home });
  // An empty value counts as none.
  t.after(async () => void Object.assign(process.env, { XDG_DATA_HOME, TMPDIR }));
  return home;
}

test("startParley({}) serves with the defaults, wants its token, and closes its port", async (t) => {
  const home = await ownHome(t);
  const parley = await startParley({});
  const client = createClient({ url: parley.url, token: parley.token ?? "" });
  assert.ok((await client.agents()).some(({ name }) => name === "house"));
  await assert.rejects(
    createClient({ url: parley.url }).agents(),
    (error) => error instanceof ParleyApiError && error.status === 401,
  );
  const session = client.session(await client.sessions.create({ agent: "scripted" }));
  assert.equal((await session.get()).directory, process.cwd());
  assert.match((await session.run("hello").outcome()).text, /You said: hello$/);
  assert.ok(existsSync(join(home, "parley", "token")));
  await assert.rejects(startParley(), (error) => error instanceof AlreadyRunning && error.message.includes(parley.url));

  const reading = (async () => {
    for await (const event of session.events({ giveUpAfterMs: 1 })) void event;
  })();
  const cut = assert.rejects(reading);
  await parley.close();
  await parley.close();
  await cut;
  await assert.rejects(fetch(`${parley.url}/health`), TypeError);

  await using again = await startParley({});
  assert.equal(again.token, parley.token);
  const later = createClient({ url: again.url, token: again.token ?? "" });
  assert.equal((await later.session(session.id).get()).turns, 1);
});

test("a server whose log is elsewhere needs no data directory, and leaves none", async (t) => {
  const home = await ownHome(t);
  const log = createMemoryLog();
  const parley = await startParley({ openLog: async () => log, token: null, defaultAgent: "scripted" });
  const during = await readdir(home);
  assert.equal(parley.token, null);
  assert.equal((await createClient({ url: parley.url }).health()).status, "ok");
  await parley.close();
  assert.deepEqual([during.length, await readdir(home)], [1, []]);
});

test("a server that cannot start leaves nothing: an unknown agent, a bad token, an address for others without a token", async (t) => {
  const home = await ownHome(t);
  const dataDirectory = join(home, "data");
  await assert.rejects(startParley({ dataDirectory, defaultAgent: "nobody" }), /no agent nobody; there are: /);
  await assert.rejects(startParley({ dataDirectory, token: "short" }), /expected at least 16 printable characters/);
  await assert.rejects(startParley({ dataDirectory, token: null, host: "0.0.0.0" }), /token/);
  await using parley = await startParley({ dataDirectory, token: "a-token-of-sixteen-and-more" });
  assert.equal(parley.token, "a-token-of-sixteen-and-more");
});
