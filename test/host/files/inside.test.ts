import assert from "node:assert/strict";
import { once } from "node:events";
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Worker } from "node:worker_threads";
import { FileRefused } from "../../../src/host/files/file-refused.ts";
import { isInside, realInside } from "../../../src/host/files/inside.ts";
import { createInside, openInside } from "../../../src/host/files/open-inside.ts";
import { eventually } from "../../support/eventually.ts";
import { temporary } from "../../support/server.ts";

const SECRET = "the secret outside";

/** A directory with links of all kinds, and a secret beside it. */
async function place(t: TestContext): Promise<{ inside: string; outside: string }> {
  const root = await temporary(t);
  const inside = join(root, "in");
  const outside = join(root, "out");
  await mkdir(join(inside, "sub"), { recursive: true });
  await mkdir(outside);
  await writeFile(join(outside, "secret.txt"), SECRET);
  await writeFile(join(inside, "plain.txt"), "plain");
  await symlink(join(outside, "secret.txt"), join(inside, "link.txt"));
  await symlink(outside, join(inside, "linkdir"));
  await symlink(join(outside, "new.txt"), join(inside, "dangling.txt"));
  await symlink("plain.txt", join(inside, "good.txt"));
  return { inside, outside };
}

const lexical: [directory: string, path: string, inside: boolean][] = [
  ["/a", "/a", true],
  ["/a", "/a/b", true],
  ["/a", "/a/..b", true],
  ["/a", "/ab", false],
  ["/a", "/", false],
  ["/a", "/a/../b", false],
];

for (const [directory, path, inside] of lexical) {
  test(`${path} is ${inside ? "" : "not "}inside ${directory}`, () => assert.equal(isInside(directory, path), inside));
}

const escapes = [
  "../out/secret.txt",
  "sub/../../out/secret.txt",
  "link.txt",
  "linkdir/secret.txt",
  "linkdir/new.txt",
  "linkdir/deep/er/new.txt",
  "/etc/passwd",
];
const outside = (error: unknown): boolean => error instanceof FileRefused && error.code === "outside";

test("no path leads out, to read, to write or to make", async (t) => {
  const { inside, outside: beside } = await place(t);
  for (const path of [...escapes, join(beside, "secret.txt")]) {
    await assert.rejects(openInside(inside, path, "read"), outside, path);
    await assert.rejects(openInside(inside, path, "write"), outside, path);
    await assert.rejects(createInside(inside, path), outside, path);
  }
  await assert.rejects(createInside(inside, "dangling.txt"), outside);
  assert.deepEqual(await readdir(beside), ["secret.txt"]);
});

test("paths with a NUL, directories and what is no file are refused", async (t) => {
  const { inside } = await place(t);
  await assert.rejects(openInside(inside, "plain.txt\0.md", "read"), /without a NUL/);
  await assert.rejects(openInside(inside, "sub", "read"), /is a directory|is not a file/);
  await assert.rejects(openInside(inside, "/dev/null", "read"), outside);
});

test("links that stay inside are followed, also where the directory itself is one", async (t) => {
  const { inside } = await place(t);
  const alias = `${inside}-alias`;
  await symlink(inside, alias);
  for (const directory of [inside, alias]) {
    const handle = await openInside(directory, "good.txt", "read");
    assert.equal(await handle?.readFile("utf8"), "plain");
    await handle?.close();
  }
  assert.equal(await realInside(alias, join(inside, "plain.txt")), join(inside, "plain.txt"));
});

/** Swaps a directory for a link and back, as fast as it can, until it is told to stop. */
const SWAPPER = `
  const { renameSync } = require("node:fs");
  const { workerData } = require("node:worker_threads");
  const { sub, aside, link, stop } = workerData;
  while (Atomics.load(stop, 0) === 0) {
    renameSync(sub, aside);
    renameSync(link, sub);
    renameSync(sub, link);
    renameSync(aside, sub);
  }
`;

/** The look that a tool takes at a path, without a second one. */
async function openTrusting(directory: string, path: string): Promise<FileHandle | undefined> {
  const real = await realInside(directory, path);
  return real === undefined ? undefined : open(real, constants.O_RDONLY | constants.O_NOFOLLOW);
}

async function leaks(opening: typeof openTrusting, directory: string): Promise<boolean> {
  const handle = await opening(directory, "sub/secret.txt").catch(() => undefined);
  const text = await handle?.readFile("utf8");
  await handle?.close();
  return text === SECRET;
}

test("a directory that is swapped for a link while a file in it is opened gives nothing away", async (t) => {
  const { inside } = await place(t);
  await writeFile(join(inside, "sub", "secret.txt"), "harmless");
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const [sub, aside, link] = ["sub", "aside", "linkdir"].map((name) => join(inside, name));
  const worker = new Worker(SWAPPER, { eval: true, workerData: { sub, aside, link, stop } });
  try {
    let tries = 0;
    await eventually("the race is a real one", async () => {
      tries += 1;
      return leaks(openTrusting, inside);
    });
    t.diagnostic(`without the second look the secret was out after ${tries} tries`);
    const guarded: typeof openTrusting = (directory, path) => openInside(directory, path, "read");
    for (let at = 0; at < Math.max(500, 5 * tries); at++) assert.equal(await leaks(guarded, inside), false);
  } finally {
    Atomics.store(stop, 0, 1);
    await once(worker, "exit");
  }
});
