import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { ParleyError } from "../../src/core/errors.ts";
import { readAddress } from "../../src/postgres/address.ts";
import { createLines, type Lines } from "../../src/postgres/lines.ts";

/** A caller that asks again at once. It must stop by itself where no timer ever comes. */
const MOST_ASKED = 200_000;

/** Connections to a database that takes them and says nothing. */
async function hangingLines(t: TestContext): Promise<{ lines: Lines; server: Server }> {
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
  return { lines, server };
}

test("a call waits as long as a connection may take, and a second where the last one could not be made", async (t) => {
  const { lines, server } = await hangingLines(t);
  let now = 1_000;
  t.mock.method(performance, "now", () => now);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const pass = async (ms: number): Promise<void> => {
    now += ms;
    t.mock.timers.tick(ms);
    await setImmediate();
    await setImmediate();
  };
  const ask = async (): Promise<{ refused?: unknown }> => {
    const call: { refused?: unknown } = {};
    void lines.run("read", "SELECT 1").catch((error: ParleyError) => {
      call.refused = error.code;
    });
    await once(server, "connection");
    return call;
  };
  const first = await ask();
  await pass(2_900);
  assert.equal(first.refused, undefined);
  await pass(200);
  assert.equal(first.refused, "unavailable");
  await pass(100);
  const second = await ask();
  await pass(900);
  assert.equal(second.refused, undefined);
  await pass(200);
  assert.equal(second.refused, "unavailable");
});

test("a caller that asks again and again does not keep timers from coming while a connection hangs", async (t) => {
  const { lines } = await hangingLines(t);
  let over = false;
  const timer = setTimeout(() => {
    over = true;
  }, 4_500);
  t.after(() => clearTimeout(timer));
  const refused = new Set<unknown>();
  let asked = 0;
  for (; !over && asked < MOST_ASKED; asked++) {
    await lines.run("read", "SELECT 1").catch((error: ParleyError) => refused.add(error.code));
  }
  assert.deepEqual([...refused], ["unavailable"]);
  assert.ok(over, `no timer came while ${asked} statements were refused`);
});
