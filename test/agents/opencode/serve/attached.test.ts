import assert from "node:assert/strict";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import { addressOf, attachTo } from "../../../../src/agents/opencode/serve/attached.ts";
import { SpawnFailed } from "../../../../src/host/contract.ts";
import { needOf } from "./stage.ts";

const NEED = needOf({ directory: "/work/project" });
const none = async () => [];

const addresses: [url: string, env: Record<string, string>, plain: string, user: string | undefined][] = [
  ["http://127.0.0.1:4096", {}, "http://127.0.0.1:4096", undefined],
  ["http://127.0.0.1:4096/", { OPENCODE_SERVER_PASSWORD: "p" }, "http://127.0.0.1:4096", "opencode:p"],
  ["https://me:s%40e@host.example/code/", { OPENCODE_SERVER_PASSWORD: "p" }, "https://host.example/code", "me:s@e"],
  ["http://host", { OPENCODE_SERVER_PASSWORD: "p", OPENCODE_SERVER_USERNAME: "me" }, "http://host", "me:p"],
];
for (const [url, env, plain, user] of addresses) {
  test(`the address ${url} with ${JSON.stringify(env)}`, () => {
    const headers = user ? { authorization: `Basic ${Buffer.from(user).toString("base64")}` } : {};
    assert.deepEqual(addressOf({ url, env }), { url: plain, headers });
  });
}

/** A server of the user's that wants a password. */
async function usersServer(t: TestContext): Promise<string> {
  const wanted = `Basic ${Buffer.from("opencode:right").toString("base64")}`;
  const server = createServer((request, response) => {
    const right = request.headers.authorization === wanted;
    response.writeHead(right ? 200 : 401, { "content-type": "application/json" });
    response.end(JSON.stringify(right ? { healthy: true, version: "1.2.3" } : {}));
  });
  t.after(() => server.close());
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return `127.0.0.1:${(server.address() as { port: number }).port}`;
}

async function refused(lease: Promise<unknown>, words: RegExp): Promise<void> {
  await assert.rejects(lease, (thrown: unknown) => {
    assert.ok(thrown instanceof SpawnFailed);
    assert.match(thrown.message, words);
    assert.doesNotMatch(thrown.message, /right|wrong/);
    return true;
  });
}

test("a server of the user's is used as it is, the same for all, and never ended", async (t) => {
  const servers = attachTo({ url: `http://opencode:right@${await usersServer(t)}`, env: {}, projectSettings: none });
  const [one, two] = [await servers.lease(NEED), await servers.lease({ ...NEED, trusted: false })];
  assert.ok(one.server === two.server);
  assert.deepEqual([one.server.own, one.server.version], [false, "1.2.3"]);
  await one.server.kill(0);
  one.release();
  await servers.close();
  assert.equal((await servers.lease(NEED)).server, one.server);
});

test("a server of the user's that wants another password, or is not there, is said to", async (t) => {
  const there = await usersServer(t);
  const at = (url: string) => attachTo({ url, env: {}, projectSettings: none });
  await refused(at(`http://opencode:wrong@${there}`).lease(NEED), /wants another password.*OPENCODE_SERVER_PASSWORD/);
  await refused(
    at("http://x:right@127.0.0.1:9").lease(NEED),
    /no OpenCode server answers at http:\/\/127\.0\.0\.1:9: start it with/,
  );
});

test("a server of the user's cannot be told to leave out a project's settings, nor be given servers of tools", async (t) => {
  const url = `http://opencode:right@${await usersServer(t)}`;
  const servers = attachTo({
    url,
    env: {},
    projectSettings: async () => [{ path: "opencode.json", keys: ["mcp.db"] }],
  });
  await refused(servers.lease({ ...NEED, trusted: false }), /opencode\.json \(mcp\.db\).*parley trust \/work\/project/);
  assert.ok(await servers.lease(NEED));
  const mcpServers = [{ name: "db", type: "stdio", command: "x" } as const];
  await refused(servers.lease({ ...NEED, mcpServers }), /cannot be given MCP servers/);
});
