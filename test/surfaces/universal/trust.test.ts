import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createClient } from "../../../src/client/index.ts";
import type { TrustInfo } from "../../../src/core/trust.ts";
import { startServer, type TestServer, temporary } from "../../support/server.ts";

const TOKEN = "the-token-of-this-test";

async function scene(
  t: TestContext,
  configured: string[] = [],
): Promise<{ server: TestServer; work: string; file: string }> {
  const root = await temporary(t);
  const work = join(root, "work");
  mkdirSync(join(work, ".claude", "commands"), { recursive: true });
  writeFileSync(join(work, ".claude", "settings.json"), '{ "hooks": { "Stop": [] } }');
  const mcp = {
    build: { type: "local", command: ["make", "mcp"] },
    far: { type: "remote", url: "https://far.example" },
  };
  writeFileSync(join(work, "opencode.json"), JSON.stringify({ mcp: { ...mcp, odd: 1 } }));
  writeFileSync(join(work, ".claude", "commands", "go.md"), "Go !`touch ran`");
  const file = join(root, "config", "trusted");
  const server = await startServer(t, { token: TOKEN, trust: { file, configured } });
  return { server, work, file };
}

const look = ({ api }: TestServer, directory: string): Promise<TrustInfo> =>
  api.expect(200, "GET", `/v1/trust?directory=${encodeURIComponent(directory)}`);

test("a directory's trust, what it brings, and a change of it", async (t) => {
  const { server, work, file } = await scene(t);
  const { api } = server;
  const settings = [
    { agent: "claude", path: ".claude/settings.json", keys: ["hooks.Stop"] },
    { agent: "claude", path: ".claude/commands", keys: ["go"] },
    { agent: "opencode", path: "opencode.json", keys: ["mcp.build", "mcp.far", "mcp.odd"] },
    { agent: "parley", path: ".claude/commands/go.md", keys: ["touch ran"] },
    { agent: "parley", path: "opencode.json", keys: ["mcp.build: make mcp", "mcp.far: https://far.example"] },
  ];
  assert.deepEqual(await look(server, work), { directory: work, trusted: false, settings });
  const link = join(work, "..", "link");
  symlinkSync(work, link);
  const set = await api.expect<TrustInfo>(200, "PUT", "/v1/trust", { directory: link, trusted: true });
  assert.deepEqual(set, { directory: work, trusted: true, by: work, settings });
  assert.equal(readFileSync(file, "utf8"), `${work}\n`);
  assert.equal((await look(server, join(work, ".claude"))).by, work);
  const listed = await api.expect(200, "GET", "/v1/trusted");
  assert.deepEqual(listed, { trusted: [{ directory: work, source: "command" }] });
  const problem = await api.refused("still_trusted", "PUT", "/v1/trust", {
    directory: join(work, ".claude"),
    trusted: false,
  });
  assert.equal(problem.by, work);
  rmSync(work, { recursive: true });
  assert.deepEqual(await api.expect(200, "PUT", "/v1/trust", { directory: work, trusted: false }), {
    directory: work,
    trusted: false,
    settings: [],
  });
  await api.refused("not_found", "PUT", "/v1/trust", { directory: work, trusted: false });
});

test("trust of the configuration is not taken back here; paths that mean nothing are refused", async (t) => {
  const { server, work } = await scene(t, ["/"]);
  const { api } = server;
  const view = await look(server, work);
  assert.deepEqual([view.trusted, view.by], [true, "/"]);
  assert.match((await look(server, "/")).warning ?? "", /root of this machine/);
  await api.refused("still_trusted", "PUT", "/v1/trust", { directory: work, trusted: false });
  await api.refused("invalid", "PUT", "/v1/trust", { directory: "relative", trusted: true });
  await api.refused("invalid", "PUT", "/v1/trust", { directory: join(work, "nowhere"), trusted: true });
  await api.refused("invalid", "PUT", "/v1/trust", { directory: work });
});

test("without the token nothing is told and nothing changes", async (t) => {
  const { server, work } = await scene(t);
  for (const authorization of [undefined, "Bearer wrong"]) {
    const headers = { "content-type": "application/json", ...(authorization === undefined ? {} : { authorization }) };
    const body = JSON.stringify({ directory: work, trusted: true });
    assert.equal((await fetch(`${server.api.url}/v1/trust`, { method: "PUT", headers, body })).status, 401);
    assert.equal((await fetch(`${server.api.url}/v1/trust?directory=${work}`, { headers })).status, 401);
  }
  assert.equal((await look(server, work)).trusted, false);
});

test("the client does the same", async (t) => {
  const { server, work } = await scene(t);
  const client = createClient({ url: server.api.url, token: TOKEN });
  assert.equal((await client.trust.get(work)).trusted, false);
  assert.equal((await client.trust.set(work, true)).trusted, true);
  assert.deepEqual(await client.trust.list(), [{ directory: work, source: "command" }]);
  assert.equal((await client.trust.set(work, false)).trusted, false);
});

test("a server without a list trusts nothing and says that it cannot", async (t) => {
  const server = await startServer(t);
  const { directory } = server;
  assert.equal((await look(server, directory)).trusted, false);
  await server.api.refused("unsupported", "PUT", "/v1/trust", { directory, trusted: true });
});

test("with roots, the trust in directories elsewhere is neither told nor taken back", async (t) => {
  const root = await temporary(t);
  const [inside, outside] = [join(root, "inside"), join(root, "outside")];
  for (const path of [inside, outside]) mkdirSync(path);
  const file = join(root, "trusted");
  const written = `${outside}\n${inside}\n`;
  writeFileSync(file, written, { mode: 0o600 });
  const { api } = await startServer(t, { token: TOKEN, roots: [inside], trust: { file, configured: [] } });
  const listed = await api.expect(200, "GET", "/v1/trusted");
  assert.deepEqual(listed, { trusted: [{ directory: inside, source: "command" }] });
  await api.refused("forbidden", "PUT", "/v1/trust", { directory: outside, trusted: false });
  await api.refused("forbidden", "PUT", "/v1/trust", { directory: join(outside, "not-there"), trusted: false });
  await api.refused("invalid", "PUT", "/v1/trust", { directory: "../outside", trusted: false });
  assert.equal(readFileSync(file, "utf8"), written);
  await api.expect(200, "PUT", "/v1/trust", { directory: inside, trusted: false });
  assert.equal(readFileSync(file, "utf8"), `${outside}\n`);
});
