import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { needsPostgres } from "../../support/postgres.ts";
import { agent, temporary } from "../../support/server.ts";
import { PtyClient } from "../../surfaces/opencode/pty/client.ts";
import { git, repository } from "../../surfaces/opencode/rig.ts";
import { follow, heard, heardBy, heldSession, inDirectory, knows, type Node, openNodes, twoNodes } from "./rig.ts";

interface Terminal {
  id: string;
  title: string;
}

const opened = { body: { command: "/bin/sh", args: ["-c", "read word; echo got $word; read word"] } };

function socketOf({ url }: Node, id: string, query = ""): PtyClient {
  return new PtyClient(`${url.replace("http", "ws")}/pty/${id}/connect${query}`);
}

test("terminals of a place are the same on all its nodes", needsPostgres, async (t) => {
  const [a, b] = await twoNodes(t, { token: null });
  const directory = await temporary(t);
  const streams = await Promise.all([a, b].map(({ url }) => follow(t, inDirectory(`${url}/event`, directory))));
  const made = await b.client.expect<Terminal>(200, "POST", inDirectory("/pty", directory), opened);
  const ids = async ({ client }: Node): Promise<string[]> =>
    (await client.get<Terminal[]>(inDirectory("/pty", directory))).map(({ id }) => id);
  assert.deepEqual([await ids(a), await ids(b)], [[made.id], [made.id]]);
  const created = await Promise.all(
    streams.map((one) => heard(one, ({ type }) => type === "pty.created", "pty.created")),
  );
  assert.equal(created[0]?.event.id, created[1]?.event.id);

  const at = socketOf(b, made.id);
  await at.until("it is open", () => at.cursor !== undefined);
  at.send("one\n");
  await at.saw("got one");
  const ticketed = { headers: { "x-opencode-ticket": "1" }, operation: "any" };
  const { ticket } = await b.client.expect<{ ticket: string }>(200, "POST", `/pty/${made.id}/connect-token`, ticketed);
  const byTicket = socketOf(b, made.id, `?ticket=${ticket}`);
  await byTicket.saw("got one");
  assert.equal(await socketOf(b, made.id, `?ticket=${ticket}`).closed, 403);
  assert.equal(await socketOf(b, "pty_none").closed, 404);

  const renamed = { body: { title: "Mine" }, operation: "any" };
  await b.client.expect(200, "PUT", `/pty/${made.id}`, renamed);
  assert.equal((await a.client.get<Terminal>(`/pty/${made.id}`, { operation: "any" })).title, "Mine");
  await b.client.expect(200, "DELETE", `/pty/${made.id}`, { operation: "any" });
  await at.closed;
  assert.deepEqual(await ids(a), []);
  for (const one of streams) await heard(one, ({ type }) => type === "pty.deleted", "pty.deleted");
});

test("the default directory of a request is that of the node that was asked", needsPostgres, async (t) => {
  const [a, b] = await twoNodes(t);
  await b.client.expect(200, "POST", "/pty", opened);
  assert.equal((await a.client.get<unknown[]>("/pty")).length, 0);
  assert.equal((await b.client.get<unknown[]>("/pty")).length, 1);
  assert.equal((await a.client.get<unknown[]>(inDirectory("/pty", b.server.directory))).length, 1);
});

test("a remote control and its user interface may be at different nodes", needsPostgres, async (t) => {
  const [a, b] = await twoNodes(t);
  const directory = await temporary(t);
  const stream = await follow(t, inDirectory(`${b.url}/event`, directory));
  const next = b.client.get<unknown>(inDirectory("/tui/control/next", directory));
  await a.client.expect(200, "POST", inDirectory("/tui/append-prompt", directory), {
    body: { text: "x".repeat(20_000) },
  });
  assert.deepEqual(await next, { path: "/tui/append-prompt", body: { text: "x".repeat(20_000) } });
  const { event } = await heard(stream, ({ type }) => type === "tui.prompt.append", "a long event of another node");
  assert.equal(String(event.properties.text).length, 20_000);
});

test(
  "a refusal is shown in the terminal interface, whose stream is at another node than its session",
  needsPostgres,
  async (t) => {
    const [a, b] = await twoNodes(t);
    const directory = await temporary(t);
    const id = await heldSession(a, directory);
    const headers = { "user-agent": "opencode/1.18", "x-opencode-directory": directory };
    const mine = await follow(t, `${b.url}/global/event`, headers);
    const others = await follow(t, inDirectory(`${b.url}/event`, directory));
    const answer = await b.client.call("POST", `/session/${id}/revert`, {
      body: { messageID: "msg_1" },
      headers,
      operation: "any",
    });
    assert.equal(answer.status, 501);
    await heard(mine, ({ type }) => type === "tui.toast.show", "the toast");
    assert.equal(
      heardBy(others).some(({ event }) => event.type === "tui.toast.show"),
      false,
    );
  },
);

test(
  "servers of tools, default models and projects that one node is told are known to all of its place",
  needsPostgres,
  async (t) => {
    const told = agent("does-as-told");
    const [a, b] = await twoNodes(t, { agents: { told, mine: told } });
    const directory = await repository(t, { "a.txt": "a" });
    const config = { type: "local", command: ["/bin/false"], enabled: false };
    await b.client.expect(200, "POST", inDirectory("/mcp", directory), { body: { name: "mine", config } });
    assert.deepEqual(await a.client.get(inDirectory("/mcp", directory)), { mine: { status: "disabled" } });
    await a.client.expect(200, "POST", inDirectory("/mcp/mine/connect", directory), { operation: "any" });
    const { mine } = await b.client.get<{ mine: { status: string } }>(inDirectory("/mcp", directory));
    assert.equal(mine.status, "failed");

    await b.client.expect(200, "PATCH", "/config", { body: { model: "mine/default" } });
    assert.equal((await a.client.get<{ model: string }>("/config")).model, "mine/default");

    const { id } = await b.client.get<{ id: string }>(inDirectory("/project/current", directory));
    await b.client.expect(200, "PATCH", inDirectory(`/project/${id}`, directory), {
      body: { name: "Ours" },
      operation: "any",
    });
    const listed = await a.client.get<{ id: string; name?: string }[]>(inDirectory("/project", directory));
    assert.equal(listed.find((one) => one.id === id)?.name, "Ours");
  },
);

async function worktreesOfBoth(t: TestContext, rooted: boolean): Promise<void> {
  const main = await repository(t, { "a.txt": "a" });
  const [a, b] = await twoNodes(t, rooted ? { roots: [main] } : {});
  const stream = await follow(t, `${b.url}/global/event`);
  const made = await b.client.expect<{ directory: string }>(200, "POST", inDirectory("/experimental/worktree", main), {
    body: {},
  });
  await heard(stream, ({ type }) => type === "worktree.ready", "worktree.ready");
  assert.equal(made.directory.startsWith(a.server.dataDirectory), true);
  assert.deepEqual(await a.client.get(inDirectory("/experimental/worktree", main)), [made.directory]);
  await heldSession(b, made.directory);
  assert.equal(await git(made.directory, "status", "--porcelain"), "");
  const gone = { body: { directory: made.directory } };
  assert.equal(await b.client.expect(200, "DELETE", inDirectory("/experimental/worktree", main), gone), true);
}

test("worktrees are made by one node and worked in by all", needsPostgres, (t) => worktreesOfBoth(t, false));

test("worktrees of one node are worked in by all that have its repository among their roots", needsPostgres, (t) =>
  worktreesOfBoth(t, true),
);

test(
  "what a stopped node kept is gone with it, and the next node of the place takes its part",
  needsPostgres,
  async (t) => {
    const [a, b] = await openNodes(t, [{}, {}]);
    assert.ok(a && b);
    const directory = await temporary(t);
    const config = { type: "local", command: ["/bin/false"], enabled: false };
    await a.client.expect(200, "POST", inDirectory("/mcp", directory), { body: { name: "mine", config } });
    await a.client.expect(200, "POST", inDirectory("/pty", directory), opened);
    assert.equal((await b.client.get<unknown[]>(inDirectory("/pty", directory))).length, 1);
    await a.server.stop();
    await knows(b, 1);
    assert.deepEqual(await b.client.get(inDirectory("/pty", directory)), []);
    assert.deepEqual(await b.client.get(inDirectory("/mcp", directory)), {});
    await b.client.expect(200, "POST", inDirectory("/pty", directory), opened);
  },
);
