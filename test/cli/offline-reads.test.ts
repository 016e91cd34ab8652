import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cpSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { WITHOUT_RECENT } from "../log/older-schema.ts";
import { Home } from "./support.ts";

/** Every file of a data directory but its cache, with its bytes, its time and its mode. */
function contentOf(directory: string): Record<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    // Compiled code is kept there, of the commands that look, too.
    .filter(({ parentPath }) => !parentPath.startsWith(join(directory, "cache")));
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const file = join(parentPath, name);
      const { mtimeMs, mode } = statSync(file);
      const hash = createHash("sha256").update(readFileSync(file)).digest("hex");
      return [file, `${hash} ${mtimeMs} ${mode}`];
    }),
  );
}

/** Makes a session, and returns its id. */
async function session(home: Home, prompt: string): Promise<string> {
  const { stdout } = await home.run(["run", "--format", "json", prompt]);
  return (JSON.parse(stdout) as { session: string }).session;
}

/** A data directory as a server leaves it that is killed: its last events are in the write-ahead log alone. */
async function crashed(home: Home): Promise<string> {
  const { child } = await home.serve();
  const id = await session(home, "before the crash");
  const kept = join(home.root, "kept");
  cpSync(home.dataDir, kept, { recursive: true });
  child.kill("SIGTERM");
  await new Promise((resolve) => child.once("exit", resolve));
  rmSync(home.dataDir, { recursive: true });
  cpSync(kept, home.dataDir, { recursive: true });
  rmSync(join(home.dataDir, "owner.json"));
  assert.ok(statSync(join(home.dataDir, "parley.db-wal")).size > 0, "the write-ahead log holds something");
  return id;
}

/** Looks at the sessions and at the events of one in every way that needs no server. Returns what was shown. */
async function look(home: Home, id: string): Promise<string> {
  const shown = [];
  for (const args of [
    ["sessions", "--json"],
    ["sessions", "--all"],
    ["events", id, "--json"],
    ["doctor", "--json"],
  ]) {
    const { code, stdout, stderr } = await home.run(args);
    assert.equal(code, 0, `${args.join(" ")}: ${stderr}`);
    shown.push(stdout);
  }
  return shown.join("");
}

describe("commands that look at a log without a server", () => {
  test("change no byte of a directory that a server closed", async () => {
    await using home = new Home();
    const id = await session(home, "hello");
    const before = contentOf(home.dataDir);
    assert.match(await look(home, id), /turn\.ended/);
    assert.deepEqual(contentOf(home.dataDir), before);
  });

  test("change no byte of a directory that a crash left, and show what its write-ahead log holds", async () => {
    await using home = new Home();
    const id = await crashed(home);
    const before = contentOf(home.dataDir);
    assert.match(await look(home, id), /before the crash/);
    assert.deepEqual(contentOf(home.dataDir), before);
  });

  test("migrate nothing: an older log is left as it is, and the way to bring it up to date is named", async () => {
    await using home = new Home();
    const id = await session(home, "hello");
    const database = new DatabaseSync(join(home.dataDir, "parley.db"));
    database.exec(`${WITHOUT_RECENT}; DROP TABLE spent; DELETE FROM meta WHERE name = 'uncounted'`);
    database.exec("ALTER TABLE events DROP COLUMN sum; ALTER TABLE sessions DROP COLUMN sum; PRAGMA user_version = 1");
    database.close();
    const before = contentOf(home.dataDir);
    for (const args of [["sessions"], ["events", id]]) {
      const { code, stderr } = await home.run(args);
      assert.deepEqual([code, stderr.split("\n").length], [1, 2], stderr);
      assert.match(stderr, /older Parley \(schema 1, this one reads \d+\).*start `parley serve` once/);
    }
    assert.deepEqual(contentOf(home.dataDir), before);
    const { child } = await home.serve();
    child.kill("SIGTERM");
    await new Promise((resolve) => child.once("exit", resolve));
    assert.match((await home.run(["sessions"])).stdout, new RegExp(id));
  });

  test("sweep nothing: rows that a crash left for the next server stay", async () => {
    await using home = new Home();
    await session(home, "hello");
    const file = join(home.dataDir, "parley.db");
    const database = new DatabaseSync(file);
    database.exec("UPDATE sessions SET sweep = 1, first = 3");
    database.close();
    const before = contentOf(home.dataDir);
    assert.equal((await home.run(["sessions"])).code, 0);
    assert.deepEqual(contentOf(home.dataDir), before);
  });
});
