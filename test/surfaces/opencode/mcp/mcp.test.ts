import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { sampleAgent } from "../../../../src/agents/line-protocol/launch.ts";
import { OpencodeClient } from "../../../support/opencode.ts";
import { startServer, type TestServer, temporary } from "../../../support/server.ts";
import { Listener } from "../listener.ts";
import { inDirectory } from "../rig.ts";

const STAND_IN = fileURLToPath(new URL("../../../fixtures/agents/acp-as-told.mjs", import.meta.url));
const GREETER = fileURLToPath(new URL("../../../fixtures/agents/mcp-greeter.mjs", import.meta.url));

type Status = Record<string, { status: string; error?: string }>;

interface Room {
  server: TestServer;
  client: OpencodeClient;
  directory: string;
  /** The greeter writes a line here for each start. */
  notes: string;
  greeter: { type: "local"; command: string[] };
  post(path: string, body?: object): Promise<{ status: number; body: Status }>;
  status(): Promise<Status>;
}

async function room(t: TestContext, defaultAgent = "able"): Promise<Room> {
  const directory = await temporary(t);
  const trust = { file: join(await temporary(t), "trusted"), configured: [] };
  const { argv, options, modes } = sampleAgent();
  const able = { command: argv, options, modes, can: ["mcp"] as const };
  const agents = { able, told: { acp: [process.execPath, STAND_IN] as [string, string] } };
  const server = await startServer(t, { agents, defaultAgent, directory, trust });
  const client = new OpencodeClient(server.parley.url);
  const notes = join(await temporary(t), "notes");
  return {
    ...{ server, client, directory, notes },
    greeter: { type: "local", command: [process.execPath, GREETER, notes] },
    async post(path, body) {
      const { status, text } = await client.call("POST", inDirectory(path, directory), body ? { body } : {});
      return { status, body: JSON.parse(text) as Status };
    },
    status: () => client.get(inDirectory("/mcp", directory)),
  };
}

/** A prompt to a new session, whose agent says which servers it has. */
async function serversTold({ server, post }: Room): Promise<string> {
  const { body } = await post("/session", {});
  return (await server.api.ask(String(body.id), "[[mcp]]")).text;
}

test("a server that a client adds is begun once to see that it answers, and is there for sessions that begin afterwards", async (t) => {
  const made = await room(t);
  const { post, greeter, notes, status } = made;
  assert.deepEqual(await status(), {});
  assert.equal(await serversTold(made), "I have no servers.");
  const config = { ...greeter, environment: { GREETER_TOKEN: "secret" } };
  const added = await post("/mcp", { name: "greeter", config });
  assert.deepEqual(added, { status: 200, body: { greeter: { status: "connected" } } });
  assert.equal(readFileSync(notes, "utf8"), "started with secret\n");
  const told = `greeter by stdio at ${process.execPath} with GREETER_TOKEN of 6`;
  assert.equal(await serversTold(made), `My servers: ${told}.`);
  const v2 = await post("/api/session", {});
  const { id } = (v2.body as unknown as { data: { id: string } }).data;
  assert.equal((await made.server.api.ask(id, "[[mcp]]")).text, `My servers: ${told}.`);

  assert.deepEqual(await post("/mcp/greeter/disconnect"), { status: 200, body: true });
  assert.deepEqual(await status(), { greeter: { status: "disabled" } });
  assert.equal(await serversTold(made), "I have no servers.");
  const listener = new Listener(`${made.server.parley.url}${inDirectory("/event", made.directory)}`);
  await listener.connect();
  assert.deepEqual(await post("/mcp/greeter/connect"), { status: 200, body: true });
  const event = await listener.until(({ type }) => type === "mcp.tools.changed", "mcp.tools.changed");
  assert.deepEqual(event.properties, { server: "greeter" });
  await listener.leave();
  assert.deepEqual(await status(), { greeter: { status: "connected" } });
  assert.deepEqual(await made.client.get(inDirectory("/mcp", await temporary(t))), {}, "of another directory");
});

test("a server that cannot be begun, or does not answer, is failed with the reason, and no session gets it", async (t) => {
  const made = await room(t);
  const add = async (name: string, config: object): Promise<string> => {
    const { body } = await made.post("/mcp", { name, config });
    return `${body[name]?.status} ${body[name]?.error ?? ""}`;
  };
  assert.match(
    await add("none", { type: "local", command: ["/nonexistent"] }),
    /^failed it ended with 127: sh: .*\/nonexistent.*not found$/,
  );
  const elsewhere = { type: "local", command: ["sh", "-c", "pwd; exit 3"], cwd: "/tmp" };
  assert.equal(await add("elsewhere", elsewhere), "failed it ended with 3: /tmp");
  assert.match(await add("empty", { type: "local", command: [] }), /^failed its command is empty/);
  assert.match(
    await add("ends", { type: "local", command: ["sh", "-c", "echo oh; exit 3"] }),
    /^failed it ended with 3: oh/,
  );
  assert.match(
    await add("hangs", { type: "local", command: ["sleep", "60"], timeout: 200 }),
    /^failed it did not answer within 200 ms/,
  );
  const refuses = `read line; echo '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"not today"}}'; sleep 60`;
  assert.match(await add("refuses", { type: "local", command: ["sh", "-c", refuses] }), /^failed not today/);
  assert.match(await add("far", { type: "remote", url: "http://127.0.0.1:1/mcp" }), /^failed .*/);
  assert.match(await add("off", { type: "local", command: ["/nonexistent"], enabled: false }), /^disabled/);
  assert.equal(await serversTold(made), "I have no servers.");
});

test("a server at an address: one that answers, one that wants a login", async (t) => {
  const made = await room(t);
  const seen: (string | undefined)[] = [];
  const http = createServer((request, response) => {
    seen.push(request.headers["x-key"] as string | undefined);
    response.writeHead(request.url === "/open" ? 200 : 401, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} }));
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  t.after(() => void http.close());
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  await made.post("/mcp", { name: "open", config: { type: "remote", url: `${url}/open`, headers: { "x-key": "k" } } });
  await made.post("/mcp", { name: "shut", config: { type: "remote", url: `${url}/shut` } });
  assert.deepEqual(await made.status(), { open: { status: "connected" }, shut: { status: "needs_auth" } });
  assert.deepEqual(seen, ["k", undefined]);
  assert.equal(await serversTold(made), `My servers: open by http at ${url}/open with x-key of 1.`);
  const auth = await made.post("/mcp/shut/auth");
  assert.match(
    JSON.stringify(auth),
    /^{"status":400,"body":{"error":"MCP server shut does not support OAuth here: give/,
  );
});

test("no secret in the address or the headers of a server is told when it fails", async (t) => {
  const made = await room(t);
  const http = createServer((_, response) => response.writeHead(404).end()).listen(0, "127.0.0.1");
  await once(http, "listening");
  t.after(() => void http.close());
  const host = `127.0.0.1:${(http.address() as AddressInfo).port}`;
  const gone = createServer().listen(0, "127.0.0.1");
  await once(gone, "listening");
  const { port: closed } = gone.address() as AddressInfo;
  await new Promise((resolve) => gone.close(resolve));
  const urls = [
    `http://${host}/secret?key=secret`,
    `http://u:secret@${host}/`,
    "secret",
    "ftp://secret/",
    `http://127.0.0.1:${closed}/secret`,
  ];
  for (const [at, url] of urls.entries())
    await made.post("/mcp", { name: `s${at}`, config: { type: "remote", url, headers: { "x-key": "secret" } } });
  const header = { type: "remote", url: `http://${host}/`, headers: { "x-key": "sec\nsecret" } };
  await made.post("/mcp", { name: "header", config: header });
  const told = await made.status();
  assert.equal(Object.values(told).filter(({ status }) => status === "failed").length, urls.length + 1);
  assert.doesNotMatch(JSON.stringify([told, made.server.lines]), /secret/);
  assert.match(told.s0?.error ?? "", /it answered with 404/);
  assert.match(told.s4?.error ?? "", /it cannot be reached: ECONNREFUSED/);
});

test("an unknown name, and a login of a server that has none, are refused as OpenCode refuses them", async (t) => {
  const { client, directory, post, greeter } = await room(t);
  const missing = { _tag: "McpServerNotFoundError", name: "none", message: "MCP server not found: none" };
  for (const path of ["connect", "disconnect", "auth", "auth/authenticate", "auth/callback"])
    assert.deepEqual(await post(`/mcp/none/${path}`, { code: "x" }), { status: 404, body: missing }, path);
  assert.equal((await client.call("DELETE", inDirectory("/mcp/none/auth", directory))).status, 404);
  await post("/mcp", { name: "greeter", config: greeter });
  for (const path of ["auth", "auth/authenticate"])
    assert.deepEqual(await post(`/mcp/greeter/${path}`), {
      status: 400,
      body: { error: "MCP server greeter does not support OAuth" },
    });
  assert.equal((await post("/mcp/greeter/auth/callback", { code: "x" })).status, 400);
  const removed = await client.call("DELETE", inDirectory("/mcp/greeter/auth", directory));
  assert.deepEqual([removed.status, removed.text], [200, '{"success":true}']);
  for (const body of [{ name: "x" }, { name: "../x", config: greeter }, { name: "x", config: { type: "odd" } }])
    assert.equal((await post("/mcp", body)).status, 400, JSON.stringify(body));
});

test("servers of a project's own configuration are begun only where the user trusts the project", async (t) => {
  const made = await room(t);
  const { directory, notes, greeter, status, server } = made;
  const file = `{ "mcp": { "greeter": ${JSON.stringify(greeter)}, // a remark\n "broken": 5 } }`;
  writeFileSync(join(directory, "opencode.jsonc"), file);
  const before = await status();
  assert.deepEqual([Object.keys(before), before.greeter?.status], [["greeter"], "failed"]);
  assert.match(before.greeter?.error ?? "", /^the project is not trusted, so it is not started: parley trust /);
  await made.post("/mcp/greeter/connect");
  assert.equal(await serversTold(made), "I have no servers.");
  assert.equal(existsSync(notes), false, "nothing of the project was run");
  await server.parley.gateway.trust.add(directory);
  assert.deepEqual(await status(), { greeter: { status: "connected" } });
  const { body } = await made.post("/session", {});
  const told = async (): Promise<string> => (await server.api.ask(String(body.id), "[[mcp]]")).text;
  assert.match(await told(), /^My servers: greeter by stdio/);
  await server.parley.gateway.trust.remove(directory);
  assert.equal(await told(), "I have no servers.", "a session that began before is without them, too");
  assert.equal((await status()).greeter?.status, "failed");
  assert.equal(await serversTold(made), "I have no servers.");
});

test("with a root, a server of a client begins in it or nowhere", async (t) => {
  const [root, outside] = [await temporary(t), await temporary(t)];
  const server = await startServer(t, { roots: [root], directory: root });
  const client = new OpencodeClient(server.parley.url);
  const command = ["/bin/sh", "-c", "touch here"];
  for (const cwd of [outside, "..", join(root, "..")]) {
    const body = { name: "one", config: { type: "local", command, cwd } };
    assert.equal((await client.call("POST", inDirectory("/mcp", root), { body })).status, 403, cwd);
  }
  assert.equal(existsSync(join(outside, "here")), false);
});

/** The address of a server that answers. */
async function answering(t: TestContext): Promise<string> {
  const http = createServer((_, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} }));
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  t.after(() => void http.close());
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/`;
}

test("an agent that takes some kinds of servers is asked which, and works without the others", async (t) => {
  const made = await room(t, "told");
  await made.post("/mcp", { name: "greeter", config: made.greeter });
  await made.post("/mcp", { name: "far", config: { type: "remote", url: await answering(t) } });
  assert.deepEqual(await made.status(), { greeter: { status: "connected" }, far: { status: "connected" } });
  const listener = new Listener(`${made.server.parley.url}${inDirectory("/event", made.directory)}`);
  await listener.connect();
  const { status, body } = await made.post("/session", {});
  assert.equal(status, 200, JSON.stringify(body));
  const toast = await listener.until(({ type }) => type === "tui.toast.show", "a toast");
  assert.match(JSON.stringify(toast.properties), /The agent told does not take these MCP servers: far"/);
  await listener.leave();
  assert.deepEqual((await made.server.api.session(String(body.id))).mcpServers, [{ name: "greeter", type: "stdio" }]);
  assert.equal((await made.server.api.ask(String(body.id), "hello")).reason, "end_turn");
});

test("an agent that takes no servers works without them, and the client is told", async (t) => {
  const made = await room(t, "house");
  await made.post("/mcp", { name: "greeter", config: made.greeter });
  const listener = new Listener(`${made.server.parley.url}${inDirectory("/event", made.directory)}`);
  await listener.connect();
  assert.equal((await made.post("/session", {})).status, 200);
  const toast = await listener.until(({ type }) => type === "tui.toast.show", "a toast");
  assert.match(JSON.stringify(toast.properties), /The agent house does not take these MCP servers: greeter/);
  await listener.leave();
});
