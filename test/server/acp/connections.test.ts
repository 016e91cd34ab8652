import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import type { Stream } from "@agentclientprotocol/sdk";
import { ParleyError } from "../../../src/core/errors.ts";
import { AbandonedConnections } from "../../../src/server/acp/abandoned.ts";
import { Connections } from "../../../src/server/acp/connections.ts";
import { eventually } from "../../support/eventually.ts";
import { startProcess } from "../../support/process.ts";
import { temporary } from "../../support/server.ts";
import { staysSo } from "../../support/time.ts";

const nothing = (): Stream => ({ readable: new ReadableStream(), writable: new WritableStream() });

test("connections are counted until they close, and one too many is refused", async () => {
  const ends: (() => void)[] = [];
  const connections = new Connections(2);
  const agent = connections.counted({
    connect: () => ({ closed: new Promise<void>((resolve) => ends.push(resolve)) }),
  });
  for (let one = 0; one < 2; one++) {
    connections.assertRoom();
    agent.connect(nothing());
  }
  assert.throws(() => connections.assertRoom(), ParleyError);
  ends[0]?.();
  await eventually("one is closed", () => connections.open === 1);
  connections.assertRoom();
});

test("a connection over HTTP without an open request is ended, and no other", async (t) => {
  const ended: string[] = [];
  const watch = new AbandonedConnections((id) => ended.push(id), 1_500);
  const server = createServer((request, response) => {
    const named = request.headers["acp-connection-id"];
    watch.watch(typeof named === "string" ? named : undefined, response);
    if (request.method === "POST") response.setHeader("acp-connection-id", request.headers["x-made"] ?? "");
    response.flushHeaders();
    if (request.method === "POST") response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    watch.close();
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const leave = new AbortController();
  for (const made of ["stays", "goes"]) {
    await fetch(url, { method: "POST", headers: { "x-made": made } });
    if (made === "stays") await fetch(url, { headers: { "acp-connection-id": made }, signal: leave.signal });
  }
  await fetch(url, { headers: { "acp-connection-id": "unknown" }, signal: leave.signal });
  await eventually("the one without a stream is ended", () => ended.length > 0);
  await staysSo("the one with a stream is left alone", () => !ended.includes("stays"), 1_800);
  await fetch(url, { method: "POST", headers: { "x-made": "leaves" } });
  await fetch(url, { headers: { "acp-connection-id": "leaves" }, signal: leave.signal });
  watch.forget("leaves");
  leave.abort();
  await eventually("it is ended after its stream", () => ended.includes("stays"));
  await staysSo("one whose client said so is not ended again", () => !ended.includes("leaves"));
  assert.deepEqual(ended, ["goes", "stays"]);
});

test("a server loads nothing of the protocol before its first request to /acp", async (t) => {
  const home = await temporary(t);
  const code = `import { registerHooks } from "node:module";
    registerHooks({ resolve(name, context, next) {
      if (name.includes("agentclientprotocol")) process.stderr.write("LOADED " + name + "\\n");
      return next(name, context);
    } });`;
  const imports = `data:text/javascript,${encodeURIComponent(code)}`;
  const server = await startProcess({ home, imports });
  t.after(async () => void (await server.end("SIGTERM")));
  const { id } = await server.api.create();
  await server.api.prompt(id, "hello");
  assert.doesNotMatch(server.stderr(), /LOADED/);
  const url = server.api.url;
  await fetch(`${url}/acp`);
  await eventually("it is loaded", () => server.stderr().includes("LOADED"));
});
