import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { directoriesIn, TrustStore } from "../../../src/server/trust/trust-store.ts";
import { temporary } from "../../support/server.ts";

const run = promisify(execFile);

test("a list holds absolute paths, one a line", () => {
  const text = "# mine\n/a\r\n\nrelative\n/b c\n/a\n";
  assert.deepEqual(directoriesIn(text), ["/a", "/b c"]);
});

test("a directory is trusted with all below it, in the next look of every reader, until it is removed", async (t) => {
  const root = await temporary(t);
  const file = join(root, "config", "trusted");
  const project = join(root, "project");
  mkdirSync(join(project, "sub"), { recursive: true });
  const [writer, reader] = [new TrustStore({ file, configured: [] }), new TrustStore({ file, configured: [] })];
  assert.equal(reader.covering(project), undefined);
  writer.add(project);
  writer.add(project);
  assert.equal(reader.covering(join(project, "sub")), project);
  assert.equal(readFileSync(file, "utf8"), `${project}\n`);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  writeFileSync(file, `# a note of the user's\n${project}\n/other`);
  assert.equal(writer.remove(project), true);
  assert.equal(readFileSync(file, "utf8"), "# a note of the user's\n/other");
  assert.equal(reader.covering(project), undefined);
  assert.equal(writer.remove(project), false);
  writer.add(project);
  assert.deepEqual(
    reader.list().map(({ directory }) => directory),
    ["/other", project],
  );
});

test("a link is trusted as what it leads to, and a trusted path that becomes a link leads to nothing trusted", async (t) => {
  const root = await temporary(t);
  const store = new TrustStore({ file: join(root, "trusted"), configured: [] });
  const [mine, theirs, link] = [join(root, "mine"), join(root, "theirs"), join(root, "link")];
  mkdirSync(mine);
  mkdirSync(theirs);
  symlinkSync(mine, link);
  store.add(link);
  assert.equal(store.covering(mine), mine);
  renameSync(mine, join(root, "moved"));
  symlinkSync(theirs, mine);
  assert.equal(store.covering(mine), undefined);
});

test("a list that others can write to, or that is none, trusts nothing and says so once", async (t) => {
  const root = await temporary(t);
  const file = join(root, "trusted");
  const warnings: string[] = [];
  const store = new TrustStore({ file, configured: ["/mine"], warn: (message) => void warnings.push(message) });
  writeFileSync(file, `${root}\n`);
  chmodSync(file, 0o666);
  assert.equal(store.covering(root), undefined);
  assert.equal(store.covering(root), undefined);
  assert.equal(store.covering("/mine/sub"), "/mine");
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? "", /others can write to it: chmod 600/);
  assert.throws(() => store.add(root), /others can write/);
  assert.equal(readFileSync(file, "utf8"), `${root}\n`);
  chmodSync(file, 0o600);
  assert.equal(store.covering(root), root);
});

test("a path with a line break cannot bring another one along", async (t) => {
  const root = await temporary(t);
  const store = new TrustStore({ file: join(root, "trusted"), configured: [] });
  const odd = join(root, "a\n", "etc");
  mkdirSync(odd, { recursive: true });
  assert.throws(() => store.add(odd), /line breaks/);
  assert.deepEqual(store.list(), []);
});

test("commands at once lose no line of each other's", async (t) => {
  const root = await temporary(t);
  const file = join(root, "trusted");
  const module = new URL("../../../src/server/trust/trust-store.ts", import.meta.url).href;
  const names = Array.from({ length: 6 }, (_, at) => join(root, `p${at}`));
  for (const name of names) mkdirSync(name);
  const code = `const { TrustStore } = await import(${JSON.stringify(module)});
    new TrustStore({ file: ${JSON.stringify(file)}, configured: [] }).add(process.argv[1]);`;
  await Promise.all(names.map((name) => run(process.execPath, ["--input-type=module", "-e", code, name])));
  const store = new TrustStore({ file, configured: [] });
  assert.deepEqual(
    store
      .list()
      .map(({ directory }) => directory)
      .sort(),
    names,
  );
});
