import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { acquireLock } from "../../src/host/data-lock.ts";
import type { Cleanup } from "../support/server.ts";
import { staysSo } from "../support/time.ts";
import { finished, Home } from "./support.ts";

/** The address of a server that says what it is told to. */
async function listening(t: Cleanup, answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.after(async () => void server.close());
  return url;
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { "content-type": "application/problem+json" }).end(JSON.stringify({ code }));
}

test("a command that finds a server that is about to leave goes on without it", async (t) => {
  await using home = new Home();
  assert.equal((await home.run(["run", "hello"])).code, 0);
  const lock = await acquireLock(home.dataDir);
  assert.ok(lock.ok);
  const url = await listening(t, (_, response) => {
    lock.release();
    refuse(response, 503, "shutting_down");
  });
  lock.publish({ url });
  const { code, stdout, stderr } = await home.run(["sessions", "--json"]);
  assert.equal(code, 0, stderr);
  assert.equal((JSON.parse(stdout) as unknown[]).length, 1);
});

test("a command that finds a server that listens no more looks until it is gone", async () => {
  await using home = new Home();
  assert.equal((await home.run(["run", "hello"])).code, 0);
  const lock = await acquireLock(home.dataDir);
  assert.ok(lock.ok);
  const gone = await listening({ after: (close) => void close() }, () => {});
  lock.publish({ url: gone });
  const command = home.start(["sessions", "--json"]);
  const result = finished(command);
  await staysSo("it goes on looking", () => command.exitCode === null, 1_000);
  lock.release();
  const { code, stdout, stderr } = await result;
  assert.equal(code, 0, stderr);
  assert.equal((JSON.parse(stdout) as unknown[]).length, 1);
});

test("a server that has answered is not looked for again", async (t) => {
  await using home = new Home();
  const lock = await acquireLock(home.dataDir);
  assert.ok(lock.ok);
  let asked = 0;
  const url = await listening(t, (_, response) => {
    asked++;
    refuse(response, 404, "not_found");
  });
  lock.publish({ url });
  assert.equal((await home.run(["sessions", "--json"])).code, 1);
  lock.release();
  assert.equal(asked, 1);
});
