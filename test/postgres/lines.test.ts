import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { test } from "node:test";
import type { ParleyError } from "../../src/core/errors.ts";
import { readAddress } from "../../src/postgres/address.ts";
import { createLines } from "../../src/postgres/lines.ts";

/** A caller that asks again at once. It must stop by itself where no timer ever comes. */
const MOST_ASKED = 200_000;

test("a caller that asks again and again does not keep timers from coming while a connection hangs", async (t) => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on("error", () => {})));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const lines = createLines({ address: readAddress(`postgres://user:secret@127.0.0.1:${port}/test`), size: 1 });
  t.after(() => lines.close());
  let over = false;
  const timer = setTimeout(() => {
    over = true;
  }, 1_500);
  t.after(() => clearTimeout(timer));
  const refused = new Set<unknown>();
  let asked = 0;
  for (; !over && asked < MOST_ASKED; asked++) {
    await lines.run("read", "SELECT 1").catch((error: ParleyError) => refused.add(error.code));
  }
  assert.deepEqual([...refused], ["unavailable"]);
  assert.ok(over, `no timer came while ${asked} statements were refused`);
});
