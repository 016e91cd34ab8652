import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { test } from "node:test";
import { refuseBind } from "../../src/server/guards/bind-guard.ts";
import { runFixture } from "./fixture.ts";

const LOOPBACK = ["127.0.0.1", "127.0.0.5", "localhost", "LOCALHOST", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1"];
const lan = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find((address) => !address.internal && address.family === "IPv4")?.address;
const REACHABLE = [
  "0.0.0.0",
  "::",
  "",
  "[::]",
  "::ffff:0.0.0.0",
  "192.168.1.5",
  "fe80::1",
  "example.org",
  "0",
  "0x7f000001",
  "127.1",
];

test("without a token only loopback may be bound", () => {
  for (const host of LOOPBACK) assert.equal(refuseBind(host, false), undefined, host);
  for (const host of REACHABLE) assert.match(refuseBind(host, false) ?? "", /--insecure-no-auth/, host);
});

test("with a token anything may be bound", () => {
  for (const host of [...LOOPBACK, ...REACHABLE]) assert.equal(refuseBind(host, true), undefined, host);
});

for (const host of ["0.0.0.0", "::", lan ?? "192.168.1.5"]) {
  test(`a start on ${host} without a token ends with 2 and names the flag`, async () => {
    const run = await runFixture({ HOST: host, TOKEN: "" });
    assert.equal(run.code, 2);
    assert.match(run.stderr, /--insecure-no-auth/);
    assert.doesNotMatch(run.stdout, /listening/);
  });
}
