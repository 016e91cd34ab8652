import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { TerminalInfo } from "../../../../src/host/terminals/contract.ts";
import { PtyTickets } from "../../../../src/surfaces/opencode/pty/tickets.ts";
import { TOKEN } from "../../../server/helpers.ts";
import { startServer } from "../../../support/server.ts";
import { PtyClient } from "./client.ts";
import { callJson, type Reply } from "./rig.ts";

test("B10: a ticket is good once, for its terminal, for a minute", () => {
  let now = 0;
  const tickets = new PtyTickets(() => now);
  const { ticket, expires_in } = tickets.issue("pty_1");
  assert.equal(expires_in, 60);
  assert.equal(tickets.take("nonsense", "pty_1"), false);
  assert.equal(tickets.take(ticket, "pty_1"), true);
  assert.equal(tickets.take(ticket, "pty_1"), false);
  const other = tickets.issue("pty_1").ticket;
  assert.equal(tickets.take(other, "pty_2"), false);
  assert.equal(tickets.take(other, "pty_1"), false, "and a wrong use is its use");
  const late = tickets.issue("pty_1").ticket;
  now += 59_999;
  const fresh = tickets.issue("pty_1").ticket;
  now += 1;
  assert.equal(tickets.take(late, "pty_1"), false);
  assert.equal(tickets.take(fresh, "pty_1"), true);
});

test("B10: tickets that nobody uses do not pile up", () => {
  const tickets = new PtyTickets(() => 0);
  const first = tickets.issue("pty_1").ticket;
  let last = "";
  for (let i = 0; i < 1_000; i++) last = tickets.issue("pty_1").ticket;
  assert.equal(tickets.take(first, "pty_1"), false);
  assert.equal(tickets.take(last, "pty_1"), true);
});

describe("B10: a ticket at the door of a server with a token", { concurrency: 2 }, () => {
  const withToken = { authorization: `Bearer ${TOKEN}` };
  const asking = { ...withToken, "x-opencode-ticket": "1" };

  async function start(t: TestContext) {
    const server = await startServer(t, { token: TOKEN });
    const { url } = server.parley;
    const call = <T>(method: string, path: string, headers: Record<string, string>, body?: unknown) =>
      callJson<T>(`${url}${path}`, method, body, headers);
    const terminal = async (): Promise<string> => {
      const body = { command: "/bin/sh", args: ["-c", "read x"] };
      return (await call<TerminalInfo>("POST", "/pty", withToken, body)).body.id;
    };
    const issue = async (id: string): Promise<string> =>
      (await call<{ ticket: string }>("POST", `/pty/${id}/connect-token`, asking)).body.ticket;
    const connect = (path: string, headers: Record<string, string> = {}): PtyClient =>
      new PtyClient(`${url.replace("http", "ws")}${path}`, { headers });
    const gotIn = async (client: PtyClient): Promise<void> => {
      await client.until("it is connected", () => client.cursor !== undefined);
      client.leave();
    };
    return { server, call, terminal, issue, connect, gotIn };
  }

  test("it is enough to come in, once", async (t) => {
    const { terminal, issue, connect, gotIn, server } = await start(t);
    const id = await terminal();
    for (const path of [`/pty/${id}/connect`, `/api/pty/${id}/connect`, `/opencode/pty/${id}/connect`]) {
      const ticket = await issue(id);
      await gotIn(connect(`${path}?ticket=${ticket}`));
      assert.equal(await connect(`${path}?ticket=${ticket}`).closed, 403);
      const logged = JSON.stringify(server.lines.filter(({ message }) => message === "upgraded"));
      assert.ok(logged.includes(path));
    }
    await gotIn(connect(`/pty/${id}/connect`, withToken));
  });

  test("without one, or with another's, nobody comes in", async (t) => {
    const { terminal, issue, connect, gotIn } = await start(t);
    const [mine, other] = [await terminal(), await terminal()];
    assert.equal(await connect(`/pty/${mine}/connect`).closed, 401);
    assert.equal(await connect(`/pty/${mine}/connect?ticket=`).closed, 401);
    assert.equal(await connect(`/pty/${mine}/connect?ticket=made-up`).closed, 403);
    assert.equal(await connect(`/pty/${mine}/connect?ticket=${await issue(other)}`).closed, 403);
    assert.equal(
      await connect(`/pty/${mine}/connect?ticket=made-up`, withToken).closed,
      403,
      "a token does not heal it",
    );
    await gotIn(connect(`/pty/${mine}/connect?ticket=${await issue(mine)}`));
  });

  test("it opens nothing but that WebSocket", async (t) => {
    const { terminal, issue, connect, call } = await start(t);
    const id = await terminal();
    const ticket = await issue(id);
    assert.equal((await call("GET", `/pty/${id}?ticket=${ticket}`, {})).status, 401);
    assert.equal((await call("GET", `/pty/${id}/connect?ticket=${ticket}`, {})).status, 401);
    assert.equal(await connect(`/pty/${id}?ticket=${ticket}`).closed, 401);
    assert.equal(await connect(`/v1/stream?ticket=${ticket}`).closed, 401);
    assert.equal(await connect(`/pty/pty_none/connect?ticket=${await issue(id)}`).closed, 403);
  });

  test("a page of another origin, or another name of the server, is refused with it", async (t) => {
    const { terminal, issue, connect, gotIn } = await start(t);
    const id = await terminal();
    const ticket = await issue(id);
    const path = `/pty/${id}/connect?ticket=${ticket}`;
    assert.equal(await connect(path, { origin: "https://evil.example" }).closed, 403);
    assert.equal(await connect(path, { host: "evil.example" }).closed, 421);
    await gotIn(connect(path));
  });

  test("only a client with the token and the header gets a ticket", async (t) => {
    const { terminal, call } = await start(t);
    const id = await terminal();
    const ask = (headers: Record<string, string>, base = "/pty"): Promise<Reply<{ _tag?: string }>> =>
      call("POST", `${base}/${id}/connect-token`, headers);
    assert.equal((await ask({ "x-opencode-ticket": "1" })).status, 401);
    const bare = await ask(withToken);
    assert.deepEqual([bare.status, bare.body._tag], [403, "PtyForbiddenError"]);
    const newer = await ask(withToken, "/api/pty");
    assert.deepEqual([newer.status, newer.body._tag], [403, "ForbiddenError"]);
    assert.equal((await call("POST", "/pty/pty_none/connect-token", asking)).status, 404);
    const given = await call<{ data: { expires_in: number } }>("POST", `/api/pty/${id}/connect-token`, asking);
    assert.equal(given.body.data.expires_in, 60);
  });
});
