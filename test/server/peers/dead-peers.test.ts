import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { silentLogger } from "../../../src/core/logger.ts";
import { DeadPeers } from "../../../src/server/peers/dead-peers.ts";

test("a peer that takes nothing is cut, one that reads or has nothing to read is not", async (t) => {
  const peers = new DeadPeers({ log: silentLogger, lookMs: 20 });
  const accepted: Socket[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    peers.watch(socket);
    accepted.push(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const open = async (): Promise<[Socket, Socket]> => {
    const client = connect(port, "127.0.0.1").on("error", () => {});
    t.after(() => void client.destroy());
    await Promise.all([once(server, "connection"), once(client, "connect")]);
    const own = accepted.at(-1);
    assert.ok(own);
    return [client, own];
  };
  const [, frozen] = await open();
  const [reader, read] = await open();
  const [, idle] = await open();
  t.after(() => void server.close());
  reader.resume();
  // More than the system takes for a peer that does not read.
  frozen.write(Buffer.alloc(32 * 1024 * 1024));
  read.write(Buffer.alloc(32 * 1024 * 1024));
  await once(frozen, "close");
  assert.deepEqual([frozen.destroyed, read.destroyed, idle.destroyed], [true, false, false]);
});
