import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { temporary } from "../../../support/server.ts";
import { inDirectory, opencodeRig } from "../rig.ts";

test("devices, pipes and sockets are refused in words by every endpoint that reads files, and nobody waits for them", async (t) => {
  const { client } = await opencodeRig(t);
  const directory = await temporary(t);
  execFileSync("mkfifo", [join(directory, "pipe")]);
  await writeFile(join(directory, "sparse"), "");
  await truncate(join(directory, "sparse"), 1e12);
  const socket = createServer().listen(join(directory, "socket"));
  t.after(() => socket.close());
  const cases: [root: string, path: string, status: number, about: RegExp][] = [
    [directory, "pipe", 400, /is not a file/],
    [directory, "socket", 400, /is not a file/],
    [directory, ".", 400, /is not a file/],
    [directory, "sparse", 413, /1000000000000 bytes/],
    ["/", "proc/self/environ", 400, /belongs to the system/],
    ["/", "proc/self/mem", 400, /belongs to the system/],
    ["/", "dev/zero", 400, /belongs to the system/],
    ["/", "sys/kernel/notes", 400, /belongs to the system/],
  ];
  for (const [root, path, status, about] of cases) {
    for (const way of [`/file/content?path=${encodeURIComponent(path)}`, `/api/fs/read/${path}`]) {
      if (path === "." && way.startsWith("/api")) continue;
      const reply = await client.call<unknown>("GET", inDirectory(way, root));
      assert.equal(reply.status, status, `${way}: ${reply.text.slice(0, 200)}`);
      assert.match(reply.text, about);
    }
  }
  const listed = await client.get<{ name: string }[]>(inDirectory("/file?path=.", directory));
  assert.deepEqual(
    listed.map(({ name }) => name),
    ["sparse"],
  );
  assert.equal((await client.call("GET", inDirectory("/find?pattern=x", directory))).status, 200);
});
