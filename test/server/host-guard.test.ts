import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAuthority } from "../../src/server/guards/addresses.ts";
import { checkHost, hostPolicy } from "../../src/server/guards/host-guard.ts";
import { exchange, startServer, TOKEN } from "./helpers.ts";

interface Row {
  hosts: string[];
  pass: boolean;
}

const ROWS: Row[] = [
  { hosts: ["localhost"], pass: true },
  { hosts: ["localhost:4096"], pass: true },
  { hosts: ["LOCALHOST:80"], pass: true },
  { hosts: ["LocalHost."], pass: true },
  { hosts: ["localhost.:4096"], pass: true },
  { hosts: ["127.0.0.1"], pass: true },
  { hosts: ["127.0.0.1:65535"], pass: true },
  { hosts: ["[::1]:4096"], pass: true },
  { hosts: ["[0:0:0:0:0:0:0:1]"], pass: true },
  { hosts: ["[::ffff:127.0.0.1]:1"], pass: true },
  { hosts: ["box.example"], pass: true },
  { hosts: ["BOX.example.:8443"], pass: true },
  { hosts: [], pass: false },
  { hosts: [""], pass: false },
  { hosts: [" "], pass: false },
  { hosts: ["localhost", "localhost"], pass: false },
  { hosts: ["localhost", "evil.example"], pass: false },
  { hosts: ["evil.example"], pass: false },
  { hosts: ["evil.example:4096"], pass: false },
  { hosts: ["localhost.evil.example"], pass: false },
  { hosts: ["evil-localhost"], pass: false },
  { hosts: ["notlocalhost"], pass: false },
  { hosts: ["evil.localhost"], pass: false },
  { hosts: ["localhost.."], pass: false },
  { hosts: [".localhost"], pass: false },
  { hosts: ["127.0.0.1.nip.io"], pass: false },
  { hosts: ["127.0.0.1.evil.example"], pass: false },
  { hosts: ["127.0.0.2"], pass: false },
  { hosts: ["127.1"], pass: false },
  { hosts: ["0x7f000001"], pass: false },
  { hosts: ["2130706433"], pass: false },
  { hosts: ["0.0.0.0"], pass: false },
  { hosts: ["0.0.0.0:4096"], pass: false },
  { hosts: ["[::]"], pass: false },
  { hosts: ["[::2]"], pass: false },
  { hosts: ["::1"], pass: false },
  { hosts: ["[::1"], pass: false },
  { hosts: ["[localhost]"], pass: false },
  { hosts: ["[fe80::1%25eth0]"], pass: false },
  { hosts: ["localhost:"], pass: false },
  { hosts: ["localhost:0"], pass: false },
  { hosts: ["localhost:65536"], pass: false },
  { hosts: ["localhost:80:80"], pass: false },
  { hosts: ["localhost:80@evil.example"], pass: false },
  { hosts: ["evil.example@localhost"], pass: false },
  { hosts: ["localhost/"], pass: false },
  { hosts: ["localhost,evil.example"], pass: false },
  { hosts: ["localhost evil.example"], pass: false },
  { hosts: ["localh\u00f6st"], pass: false },
  { hosts: ["box.example.evil.example"], pass: false },
  { hosts: ["evilbox.example"], pass: false },
];

const policy = hostPolicy("127.0.0.1", ["box.example"]);

function misjudged(pass: (hosts: string[]) => boolean): Row[] {
  return ROWS.filter((row) => pass(row.hosts) !== row.pass);
}

test("only names on the list pass the Host guard", () => {
  assert.deepEqual(
    misjudged((hosts) => checkHost(hosts, policy, "127.0.0.1").ok),
    [],
  );
});

const WEAK: [string, (hosts: string[]) => boolean][] = [
  ["accepts all", () => true],
  ["refuses all", () => false],
  ["looks for a beginning", ([host = ""]) => /^(localhost|127\.0\.0\.1|\[::1\]|box\.example)/i.test(host)],
  ["looks for an end", ([host = ""]) => /(localhost|127\.0\.0\.1|\[::1\]|box\.example)(:\d+)?$/i.test(host)],
  [
    "trusts the URL parser",
    ([host = ""]) => URL.canParse(`http://${host}`) && policy.names.has(new URL(`http://${host}`).hostname),
  ],
];
for (const [name, guard] of WEAK) {
  test(`the table catches a guard that ${name}`, () => assert.notDeepEqual(misjudged(guard), []));
}

test("an address passes when the connection came in on it", () => {
  const everywhere = hostPolicy("0.0.0.0");
  assert.ok(checkHost(["192.168.1.5:4096"], everywhere, "192.168.1.5").ok);
  assert.ok(checkHost(["192.168.1.5:4096"], everywhere, "::ffff:192.168.1.5").ok);
  assert.ok(checkHost(["[fe80::1]"], everywhere, "fe80::1%eth0").ok);
  assert.ok(!checkHost(["192.168.1.6:4096"], everywhere, "192.168.1.5").ok);
  assert.ok(!checkHost(["0.0.0.0:4096"], everywhere, "127.0.0.1").ok);
  assert.ok(checkHost(["10.0.0.7"], hostPolicy("10.0.0.7"), undefined).ok);
});

test("a wrong --allow-host is refused by name", () => {
  assert.throws(() => hostPolicy("127.0.0.1", ["http://box.example"]), /--allow-host.*http:\/\/box\.example/);
  assert.deepEqual(parseAuthority("Box.Example:8080"), { name: "box.example", port: 8080 });
});

test("a server answers 421 to every wrong Host, and runs nothing", async () => {
  let runs = 0;
  await using server = await startServer({
    allowHosts: ["box.example"],
    mounts: [
      {
        match: () => true,
        load: async () => (_request, response) => {
          runs++;
          response.end("ran");
        },
      },
    ],
  });
  for (const row of ROWS) {
    const before = runs;
    const hosts = row.hosts.map((host) => `host: ${host}`);
    const head = ["GET /x HTTP/1.1", ...hosts, `authorization: Bearer ${TOKEN}`, "connection: close"];
    const { status } = await exchange(server.port, head);
    assert.equal(status, row.pass ? 200 : 421, `Host ${JSON.stringify(row.hosts)}`);
    assert.equal(runs - before, row.pass ? 1 : 0);
  }
});

test("a target with a host of its own is refused", async () => {
  await using server = await startServer();
  for (const target of ["http://evil.example/health", "evil", "*"]) {
    const head = [`GET ${target} HTTP/1.1`, "host: localhost", "connection: close"];
    assert.equal((await exchange(server.port, head)).status, 400, target);
  }
});

test("HTTP/1.0 without a Host is refused too", async () => {
  await using server = await startServer();
  assert.equal((await exchange(server.port, ["GET /health HTTP/1.0"])).status, 421);
});
