import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import type { OwnServer } from "../../../src/cli/access/own-server.ts";
import { ServerLink } from "../../../src/cli/acp/server-link.ts";
import { defaultSettings } from "../../../src/cli/config/settings.ts";
import { createClient } from "../../../src/client/index.ts";
import { eventually } from "../../support/eventually.ts";
import { staysSo } from "../../support/time.ts";
import { Home } from "../support.ts";

test("of many requests at once a server gets a few at a time, and all of them in the end", async () => {
  await using home = new Home();
  let [open, most] = [0, 0];
  const gate = Promise.withResolvers<void>();
  const server = createServer(async (_, response) => {
    most = Math.max(most, ++open);
    await gate.promise;
    open -= 1;
    response.end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const own = { url: `http://127.0.0.1:${port}`, pid: process.pid } as OwnServer;
  const link = new ServerLink({ settings: defaultSettings(home.root), start: async () => own });
  const asked = Array.from({ length: 500 }, async () => (await link.fetch("http://any/x", {})).json());
  await eventually("requests of the server", () => open >= 32);
  await staysSo("only so many", () => open === 32);
  gate.resolve();
  const answers = await Promise.all(asked);
  server.close();
  server.closeAllConnections();
  assert.equal(answers.length, 500);
  assert.ok(most <= 32, `expected 32 at most, got ${most}`);
});

test("a server that gives no answer is named, with its process", async (t) => {
  await using home = new Home();
  const server = createServer(() => {}).listen(0, "127.0.0.1");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const own = { url: `http://127.0.0.1:${port}`, pid: 4711 } as OwnServer;
  const link = new ServerLink({ settings: defaultSettings(home.root), start: async () => own });
  const parley = createClient({ url: "http://any", fetch: link.fetch, timeoutMs: 50 });
  await assert.rejects(parley.sessions.create({ directory: "/" }), {
    name: "ParleyConnectionError",
    message: `the server at ${own.url} (process 4711) gave no answer (nothing came for 0.05 s): if it hangs, end it`,
  });
});
