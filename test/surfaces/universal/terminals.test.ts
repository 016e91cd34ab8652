import assert from "node:assert/strict";
import { once } from "node:events";
import { symlink } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { createClient, type Terminal } from "../../../src/client/index.ts";
import { type ErrorCode, ParleyError } from "../../../src/core/errors.ts";
import { silentLogger } from "../../../src/core/logger.ts";
import { createMetrics } from "../../../src/core/metrics.ts";
import type { CommandHost } from "../../../src/host/contract.ts";
import { type Refusal, TerminalRefused, type Terminals } from "../../../src/host/terminals/contract.ts";
import { SseClients } from "../../../src/surfaces/stream/sse-clients.ts";
import { createUniversal } from "../../../src/surfaces/universal/app.ts";
import { Api } from "../../support/api.ts";
import { startServer, temporary } from "../../support/server.ts";
import { TerminalClient } from "./terminal-client.ts";

const TOKEN = "a-token-of-the-tests-0123456789";

const script = (line: string): object => ({ command: "/bin/sh", args: ["-c", line] });

function opened(api: Api, body: object = {}): Promise<Terminal> {
  return api.expect(201, "POST", "/v1/terminals", body);
}

function connect(api: Api, id: string, query = "", options = {}): TerminalClient {
  return new TerminalClient(`${api.url.replace("http", "ws")}/v1/terminals/${id}/socket${query}`, options);
}

test("a terminal is opened, listed, renamed and ended", async (t) => {
  const { api, directory } = await startServer(t);
  const other = await temporary(t);
  const made = await opened(api, { ...script("read line"), title: "Mine" });
  assert.deepEqual([made.directory, made.title, made.status, made.command], [directory, "Mine", "running", "/bin/sh"]);
  const elsewhere = await opened(api, { directory: other, ...script("read line") });
  const listed = async (query = ""): Promise<string[]> =>
    (await api.expect<{ terminals: Terminal[] }>(200, "GET", `/v1/terminals${query}`)).terminals.map(({ id }) => id);
  assert.deepEqual(await listed(), [made.id, elsewhere.id]);
  assert.deepEqual(await listed(`?directory=${encodeURIComponent(other)}`), [elsewhere.id]);
  const path = `/v1/terminals/${made.id}`;
  assert.equal((await api.expect<Terminal>(200, "PATCH", path, { title: "Yours" })).title, "Yours");
  assert.equal((await api.expect<Terminal>(200, "GET", path)).title, "Yours");
  await api.expect(204, "DELETE", path);
  for (const method of ["GET", "DELETE"]) await api.refused("terminal_not_found", method, path);
  await api.refused("terminal_not_found", "PATCH", path, { title: "Ours" });
  assert.deepEqual(await listed(), [elsewhere.id]);
});

test("the client does all of it, in the directory of a session", async (t) => {
  const { api } = await startServer(t, { token: TOKEN });
  const directory = await temporary(t);
  const client = createClient({ url: api.url, token: TOKEN });
  const session = await client.sessions.create({ directory });
  const made = await client.terminals.create({
    session: session.id,
    command: "/bin/sh",
    args: ["-c", "pwd; read x; stty size; read x"],
  });
  assert.equal(made.directory, directory);
  for (const ref of [made, made.id]) assert.equal((await client.terminals.get(ref)).directory, directory);
  const url = client.terminals.socketUrl(made, { after: 0 });
  assert.match(url, /^ws:.*\/v1\/terminals\/pty_\w+\/socket\?after=0&auth_token=/);
  const socket = new TerminalClient(url);
  await socket.saw(directory);
  assert.equal((await client.terminals.update(made, { size: { cols: 101, rows: 31 } })).id, made.id);
  socket.socket.send("\n");
  await socket.saw("31 101");
  assert.deepEqual(
    (await client.terminals.list({ directory })).map(({ id }) => id),
    [made.id],
  );
  await client.terminals.remove(made);
  assert.equal(await socket.closed, 1000);
  assert.deepEqual(await client.terminals.list(), []);
});

test("a socket tells its offset, the output and the exit, and takes input", async (t) => {
  const { api } = await startServer(t);
  const { id } = await opened(api, {
    ...script("stty size; stty -echo; printf 'ready é😀'; read x; echo got $x; exit 7"),
    cols: 90,
    rows: 30,
  });
  const one = connect(api, id);
  await one.saw("ready é😀");
  assert.deepEqual(one.frames, [{ type: "begin", offset: 0 }]);
  assert.match(one.text, /^30 90/);
  const [cut, ready] = [one.offset, one.text];
  one.socket.send(Buffer.from("it\n"));
  assert.equal(await one.closed, 1000);
  assert.deepEqual(one.frames.at(-1), { type: "exit", code: 7 });
  const late = connect(api, id, `?after=${cut}`);
  assert.equal(await late.closed, 1000);
  assert.equal(ready + late.text, one.text, "nothing is missing and nothing comes twice");
  assert.deepEqual(late.frames, [
    { type: "begin", offset: cut },
    { type: "exit", code: 7 },
  ]);
  const beyond = connect(api, id, "?after=999999");
  beyond.socket.on("open", () => beyond.socket.send("input after the exit\n"));
  assert.equal(await beyond.closed, 1000);
  assert.deepEqual(beyond.frames[0], { type: "begin", offset: one.offset });
  const { status, exitCode, output } = await api.expect<Terminal>(200, "GET", `/v1/terminals/${id}`);
  assert.deepEqual([status, exitCode, output], ["exited", 7, { start: 0, end: one.offset }]);
  await api.expect(200, "PATCH", `/v1/terminals/${id}`, { size: { cols: 10, rows: 10 } });
});

test("a socket needs the token, and an origin that may have it", async (t) => {
  const { api } = await startServer(t, { token: TOKEN });
  const { id } = await opened(api, script("read x"));
  const mine = { authorization: `Bearer ${TOKEN}` };
  const refused = async (status: number, query: string, options: object): Promise<void> =>
    assert.equal(await connect(api, id, query, options).closed, status);
  await refused(401, "", {});
  await refused(401, "?auth_token=wrong-wrong-wrong-wrong", {});
  await refused(403, "", { headers: mine, origin: "https://evil.example" });
  await refused(403, `?auth_token=${TOKEN}`, { origin: "null" });
  for (const [query, options] of [
    ["", { headers: mine }],
    ["", { headers: mine, origin: api.url }],
    ["", { headers: { cookie: `parley_token=${TOKEN}` } }],
    [`?auth_token=${TOKEN}`, {}],
  ] as const) {
    const client = connect(api, id, query, options);
    await client.until("it is open", () => client.frames.length > 0);
    client.socket.terminate();
  }
});

test("what is no terminal or no offset has no socket", async (t) => {
  const { api } = await startServer(t);
  const { id } = await opened(api, script("read x"));
  for (const [path, status] of [
    ["pty_none/socket", 404],
    ["%2e%2e/socket", 404],
    [`${id}/socket/more`, 404],
    [`${id}`, 404],
    [`${id}/socket?after=-1`, 400],
    [`${id}/socket?after=1e3`, 400],
  ] as const)
    assert.equal(
      await new TerminalClient(`${api.url.replace("http", "ws")}/v1/terminals/${path}`).closed,
      status,
      path,
    );
  await api.refused("upgrade_required", "GET", `/v1/terminals/${id}/socket`);
  await api.refused("terminal_not_found", "GET", "/v1/terminals/pty_none/socket");
});

test("a terminal's directory lies in the roots, links followed", async (t) => {
  const [root, outside] = [await temporary(t), await temporary(t)];
  await symlink(outside, join(root, "out"));
  const { api } = await startServer(t, { roots: [root], directory: root });
  for (const directory of [outside, join(root, "out"), join(root, "..")]) {
    await api.refused("forbidden", "POST", "/v1/terminals", { directory });
    await api.refused("forbidden", "GET", `/v1/terminals?directory=${encodeURIComponent(directory)}`);
  }
  assert.equal((await opened(api, script("read x"))).directory, root);
});

test("a terminal that makes no sense is refused", async (t) => {
  const { api, directory } = await startServer(t);
  const { id } = await api.create();
  const invalid: object[] = [
    { directory: "relative" },
    { directory: join(directory, "missing") },
    { directory, session: id },
    { command: "no-such-program-anywhere" },
    { command: "a\0b" },
    { args: ["a\0b"] },
    { env: { LD_PRELOAD: "x" } },
    ...[0, -1, 1.5, 2_001, 1e9, "80"].flatMap((side) => [{ cols: side }, { rows: side }]),
  ];
  for (const body of invalid) await api.refused("invalid", "POST", "/v1/terminals", body);
  await api.refused("session_not_found", "POST", "/v1/terminals", { session: "ses_none" });
  const made = await opened(api, script("read x"));
  const path = `/v1/terminals/${made.id}`;
  for (const body of [{}, { size: { cols: 80 } }, { size: { cols: 80, rows: 0 } }, { title: "" }, { status: "exited" }])
    await api.refused("invalid", "PATCH", path, body);
});

test("each reason for which there is no terminal has its own answer", async (t) => {
  const { parley } = await startServer(t);
  const codes: Record<Refusal, ErrorCode> = {
    unavailable: "unsupported",
    limit: "too_many_terminals",
    failed: "unavailable",
    directory: "invalid",
    program: "invalid",
  };
  for (const [refusal, code] of Object.entries(codes) as [Refusal, ErrorCode][]) {
    const create = () => Promise.reject(new TerminalRefused(refusal, `there is none: ${refusal}`));
    const handler = createUniversal({
      gateway: parley.gateway,
      clients: new SseClients(createMetrics()),
      commands: {} as CommandHost,
      terminals: { create } as unknown as Terminals,
      version: "test",
      logger: silentLogger,
      defaultDirectory: "/",
      consoleLinks: { make: () => undefined, others: () => [] },
    });
    const http = createServer((request, response) => {
      response.setHeader("x-request-id", "one");
      void handler(request, response);
    }).listen(0, "127.0.0.1");
    await once(http, "listening");
    const api = new Api(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);
    const { status } = await api.refused(code, "POST", "/v1/terminals", {});
    assert.equal(status, new ParleyError(code, "").status);
    http.closeAllConnections();
    http.close();
  }
});
