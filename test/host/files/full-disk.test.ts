import assert from "node:assert/strict";
import { existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { swapAll } from "../../../src/host/files/swap.ts";
import { mountSmallDisk } from "../../support/small-disk.ts";

test("a file that a full disk cannot hold stays as it was, and a new one is not made", async (t) => {
  const disk = mountSmallDisk(1);
  if (!disk) return t.skip("no disk can be mounted here");
  t.after(() => disk.unmount());
  const file = join(disk.path, "a.txt");
  writeFileSync(file, "before\n");
  disk.fill();
  truncateSync(join(disk.path, "filler"), 512 * 1024);
  const to = "after\n".repeat(150_000);
  await assert.rejects(swapAll(disk.path, [{ path: "a.txt", from: "before\n", to }]), { code: "ENOSPC" });
  assert.equal(readFileSync(file, "utf8"), "before\n");
  await assert.rejects(swapAll(disk.path, [{ path: "b.txt", from: undefined, to }]), { code: "ENOSPC" });
  assert.ok(!existsSync(join(disk.path, "b.txt")));
});
