import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Problem } from "../../src/core/problem.ts";
import { OpencodeClient } from "../support/opencode.ts";
import { startServer, type TestServer, temporary } from "../support/server.ts";
import { inDirectory } from "./opencode/rig.ts";

interface Limited {
  server: TestServer;
  client: OpencodeClient;
  inside: string;
  outside: string;
  /** Ways to name what lies outside. */
  ways: string[];
}

async function limited(t: TestContext): Promise<Limited> {
  const base = await temporary(t);
  const [inside, outside, beside] = ["root", "outside", "root-2"].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [inside, outside, beside]) await mkdir(path);
  await writeFile(join(outside, "secret.txt"), "secret\n");
  await symlink(outside, join(inside, "link"));
  const server = await startServer(t, { roots: [inside], directory: inside });
  const ways = [outside, beside, base, "/", join(inside, "link"), `${inside}/../outside`];
  ways.push(join(inside, "link", "not-there"), join(outside, "not-there"));
  return { server, client: new OpencodeClient(server.parley.url), inside, outside, ways };
}

const READS = [
  "/session",
  "/session/status",
  "/file?path=.",
  "/file/content?path=secret.txt",
  "/file/status",
  "/find?pattern=secret",
  "/find/file?query=secret",
  "/vcs",
  "/vcs/diff?mode=git",
  "/path",
  "/project/current",
  "/experimental/session",
  "/experimental/worktree",
  "/command",
  "/pty",
  "/event",
  "/api/fs/read/secret.txt",
  "/api/fs/list",
  "/api/fs/find?query=secret",
  "/api/location",
  "/api/session",
  "/api/pty",
];

const WRITES: [path: string, body: object][] = [
  ["/session", {}],
  ["/api/session", {}],
  ["/pty", { command: "true" }],
  ["/api/pty", { command: "true" }],
  ["/project/git/init", {}],
  ["/vcs/apply", { patch: "x" }],
  ["/experimental/worktree", {}],
];

test("with a root, OpenCode's API serves no directory outside of it, however it is named", async (t) => {
  const { client, inside, outside, ways } = await limited(t);
  for (const way of ways) {
    for (const path of READS) {
      const { status, text } = await client.call("GET", inDirectory(path, way));
      assert.equal(status, 403, `${path} in ${way}: ${text}`);
      assert.match(text, /outside of the directories that this server works in.*--root/);
    }
    for (const [path, body] of WRITES) {
      const headers = { "x-opencode-directory": encodeURIComponent(way) };
      const { status, text } = await client.call("POST", path, { body, headers });
      assert.equal(status, 403, `${path} in ${way}: ${text}`);
    }
    const location = await client.call("POST", "/api/session", { body: { location: { directory: way } } });
    assert.equal(location.status, 403, way);
    for (const path of ["/pty", "/api/pty"]) {
      const { status } = await client.call("POST", path, { body: { command: "true", cwd: way } });
      assert.equal(status, 403, `${path} with cwd ${way}`);
    }
  }
  assert.ok(!existsSync(join(outside, ".git")));
  await mkdir(join(inside, "deep"));
  for (const way of [inside, join(inside, "deep"), `${inside}/deep/../.`]) {
    assert.equal((await client.call("POST", inDirectory("/session", way), { body: {} })).status, 200, way);
    assert.equal((await client.call("GET", inDirectory("/find/file?query=a", way))).status, 200, way);
  }
});

test("with a root, the universal API makes no session outside of it", async (t) => {
  const { server, inside, ways } = await limited(t);
  // The system follows the link before it goes up.
  for (const directory of [...ways, `${inside}/link/../outside`]) {
    const { status, body } = await server.api.call<Problem>("POST", "/v1/sessions", { directory });
    assert.equal(status, 403, directory);
    assert.match(body.detail ?? "", /outside of the directories that this server works in/);
  }
  assert.equal((await server.api.create({})).directory, inside);
});

test("with a root, nothing outside of it is looked at for trust, trusted, or taken back", async (t) => {
  const { server, ways } = await limited(t);
  for (const way of ways) {
    const looked = await server.api.call<Problem>("GET", `/v1/trust?directory=${encodeURIComponent(way)}`);
    const set = (trusted: boolean) => server.api.call<Problem>("PUT", "/v1/trust", { directory: way, trusted });
    for (const { status, body } of [looked, await set(true), await set(false)])
      assert.deepEqual([status, body.code], [403, "forbidden"], way);
  }
});

test("a server whose own directory lies outside of its roots works in the first of them", async (t) => {
  const root = await temporary(t);
  const server = await startServer(t, { roots: [root], directory: "/" });
  assert.equal((await server.api.create({})).directory, root);
});

test("a session from before the limit can be read and deleted, and no agent is started for it", async (t) => {
  const base = await temporary(t);
  const [old, root] = [join(base, "old"), join(base, "root")];
  await mkdir(old);
  await mkdir(root);
  const server = await startServer(t, { directory: root });
  const { id } = await server.api.create({ directory: old });
  await server.api.expect(200, "POST", `/v1/sessions/${id}/prompts?wait=true`, { text: "hello" });
  await server.restart({ roots: [root] });
  const { api } = server;
  const client = new OpencodeClient(server.parley.url);
  const page = await api.expect<{ events: unknown[] }>(200, "GET", `/v1/sessions/${id}/events`);
  assert.ok(page.events.length > 3);
  assert.equal((await client.get<unknown[]>(`/session/${id}/message`)).length, 2);
  const file = join(base, "ran");
  const refused: [path: string, body: object][] = [
    [`/v1/sessions/${id}/prompts`, { text: "again" }],
    [`/v1/sessions/${id}/shell`, { command: `touch ${file}` }],
    [`/v1/sessions/${id}/fork`, {}],
    [`/session/${id}/message`, { parts: [{ type: "text", text: "again" }] }],
    [`/session/${id}/shell`, { command: `touch ${file}` }],
    [`/session/${id}/command`, { command: "init" }],
    [`/session/${id}/fork`, {}],
    [`/api/session/${id}/prompt`, { prompt: { text: "again" } }],
  ];
  for (const [path, body] of refused) assert.equal((await client.call("POST", path, { body })).status, 403, path);
  assert.ok(!existsSync(file));
  assert.equal((await api.call("DELETE", `/v1/sessions/${id}`)).status, 204);
});

test("a prompt that waited since before the limit ends with an error, and so does one whose directory leads out by then", async (t) => {
  const base = await temporary(t);
  const [root, work] = [join(base, "root"), join(base, "root", "work")];
  await mkdir(work, { recursive: true });
  const server = await startServer(t, { roots: [root], directory: root });
  const { id } = await server.api.create({ directory: work });
  const hold = await server.parley.gateway.log.open(id);
  await hold.append(1, [
    {
      draft: {
        type: "prompt.queued",
        time: Date.now(),
        source: "parley",
        data: { prompt: { id: "msg_waits", parts: [{ type: "text", text: "hello" }] }, position: 1 },
      },
    },
  ]);
  await rename(work, join(base, "elsewhere"));
  await symlink(join(base, "elsewhere"), work);
  await server.restart();
  const { gateway } = server.parley;
  const { whenStored } = await import("../support/when-stored.ts");
  const ended = await whenStored(gateway.log, id, ({ type }) => type === "turn.ended");
  assert.deepEqual([ended.type === "turn.ended" && ended.data.reason], ["error"]);
  const events = await server.api.expect<{ events: { type: string; data: { code?: string } }[] }>(
    200,
    "GET",
    `/v1/sessions/${id}/events`,
  );
  assert.ok(events.events.some(({ type, data }) => type === "error" && data.code === "forbidden"));
});

test("a prompt names no file outside of its session's directory, on any surface", async (t) => {
  const { server, client, inside, outside } = await limited(t);
  const { id } = await server.api.create({ directory: inside });
  const secret = join(outside, "secret.txt");
  for (const path of [secret, "../outside/secret.txt", "link/secret.txt", "/etc/passwd", "a\0b"]) {
    const parts = [{ type: "file", path }];
    const { status } = await server.api.call("POST", `/v1/sessions/${id}/prompts`, { parts });
    assert.equal(status, 422, path);
  }
  for (const path of [secret, join(inside, "link", "secret.txt"), "/etc/passwd"]) {
    const url = pathToFileURL(path).href;
    const older = { parts: [{ type: "file", mime: "text/plain", url }] };
    const newer = { prompt: { text: "look", files: [{ uri: url }] } };
    for (const [way, body] of [
      [`/session/${id}/message`, older],
      [`/session/${id}/prompt_async`, older],
      [`/session/${id}/command`, { command: "init", ...older }],
      [`/api/session/${id}/prompt`, newer],
    ] as const) {
      const { status, text } = await client.call("POST", way, { body });
      assert.equal(status, 400, `${way} ${path}`);
      assert.match(text, /expected a file inside/);
    }
  }
  assert.equal((await server.api.expect<{ turns: number }>(200, "GET", `/v1/sessions/${id}`)).turns, 0);
});

test("sessions and terminals are refused in the system's own directories, with or without roots", async (t) => {
  const server = await startServer(t);
  const client = new OpencodeClient(server.parley.url);
  for (const directory of ["/proc", "/proc/self", "/sys", "/dev"]) {
    assert.equal((await server.api.call("POST", "/v1/sessions", { directory })).status, 403, directory);
    const { status, text } = await client.call("GET", inDirectory("/file/content?path=environ", directory));
    assert.equal(status, 403, directory);
    assert.match(text, /belongs to the system/);
  }
});
