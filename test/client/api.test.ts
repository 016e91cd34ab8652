import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient, ParleyApiError, ParleyConnectionError, ParleyProtocolError } from "../../src/client/index.ts";
import { problem, startFake } from "./fake-server.ts";
import { quick, startServer } from "./support.ts";

const TOKEN = "a-token-of-the-tests-0123456789";

test("health, agents and sessions", async () => {
  await using server = await startServer();
  const client = createClient({ url: `${server.url}/` });
  assert.deepEqual(await client.health(), { status: "ok", name: "parley", version: "test" });
  const agent = (await client.agents()).find(({ name }) => name === "scripted");
  assert.deepEqual([agent?.name, agent?.default, agent?.installed], ["scripted", true, true]);

  const created = await client.sessions.create({ title: "one", directory: server.directory });
  assert.deepEqual([created.title, created.status, created.last], ["one", "idle", 1]);
  assert.deepEqual(await client.sessions.get(created.id), created);
  assert.equal((await client.sessions.update(created.id, { title: "two" })).title, "two");
  const { id } = await client.sessions.create();
  const page = await client.sessions.list({ limit: 1 });
  assert.deepEqual([page.sessions.map((session) => session.id), page.next], [[id], id]);
  const rest = await client.sessions.list({ after: page.next ?? "", limit: 2 });
  assert.deepEqual([rest.sessions.map((session) => session.title), rest.next], [["two"], null]);
  await client.sessions.delete(created.id);
  await client.session({ id }).delete();
  assert.deepEqual((await client.sessions.list()).sessions, []);
});

test("pages of a session's events, with the agent's own lines on request", async () => {
  await using server = await startServer({ keepNative: true });
  const client = createClient({ url: server.url });
  const session = client.session(await client.sessions.create());
  await session.prompt("hello", { wait: true });
  const page = await session.page({ after: 1, limit: 3 });
  assert.deepEqual([page.events.map((event) => event.seq), page.next, page.more], [[2, 3, 4], 4, true]);
  for (const follow of [true, false]) {
    let native = 0;
    for await (const event of session.events({ native: true, follow })) {
      if ("native" in event) native++;
      if (event.type === "turn.ended") break;
    }
    assert.ok(native > 0);
  }
});

test("an agent's name may be a command line with a path", async () => {
  await using server = await startServer();
  const client = createClient({ url: server.url });
  const name = `acp:${process.execPath} --version`;
  assert.equal((await client.agent(name)).name, name);
});

test("without the token, or with a wrong one, the error says what to do and never says the token", async () => {
  await using server = await startServer({ token: TOKEN });
  const wrong = `wrong-${TOKEN}`;
  for (const [token, advice] of [
    [undefined, "no token was sent: give it as createClient({ url, token })"],
    [wrong, "the token that was sent is not the server's: give it as createClient({ url, token })"],
  ] as const) {
    const client = createClient({ url: server.url, token });
    for (const call of [() => client.agents(), () => client.allEvents().next()]) {
      await assert.rejects(call, (error) => {
        assert.ok(error instanceof ParleyApiError);
        assert.deepEqual([error.status, error.code], [401, "unauthorized"]);
        assert.ok(error.message.endsWith(advice), error.message);
        assert.match(
          error.message,
          /^GET http:\/\/127\.0\.0\.1:\d+\/v1\/\w+\S* answered 401 unauthorized: expected the token/,
        );
        assert.ok(!JSON.stringify([error.message, error.problem]).includes(wrong));
        return true;
      });
    }
  }
  const agents = await createClient({ url: server.url, token: TOKEN }).agents();
  assert.ok(agents.some(({ name }) => name === "scripted"));
});

test("a refusal has its status, its code and all that was said about it", async () => {
  await using server = await startServer();
  const client = createClient({ url: server.url });
  const cases = [
    [() => client.sessions.get("ses_none"), 404, "session_not_found"],
    [() => client.sessions.get("../agents"), 404, "session_not_found"],
    [() => client.sessions.create({ agent: "nobody" }), 404, "agent_not_found"],
    [() => client.sessions.create({ directory: "/does/not/exist" }), 422, "invalid"],
  ] as const;
  for (const [call, status, code] of cases) {
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof ParleyApiError);
      assert.deepEqual([error.status, error.code, error.problem.code], [status, code, code]);
      assert.ok(error.detail.length > 0 && error.message.includes(error.detail));
      return true;
    });
  }
});

test("a server that cannot be reached, and one that is none of ours, are told apart", async () => {
  const gone = await startFake(() => {});
  await gone[Symbol.asyncDispose]();
  await assert.rejects(
    createClient({ url: gone.url, backoff: quick }).health(),
    (error) =>
      error instanceof ParleyConnectionError &&
      error.cause instanceof TypeError &&
      /^GET http.*\/health got no answer \(.*ECONNREFUSED.*\): is the server running\?$/.test(error.message),
  );

  await using html = await startFake((response, request) => {
    response.writeHead(request.url === "/health" ? 200 : 404, { "content-type": "text/html" }).end("<html>hello");
  });
  const client = createClient({ url: html.url });
  await assert.rejects(
    client.health(),
    (error) => error instanceof ParleyProtocolError && /answered "<html>hello", expected JSON/.test(error.message),
  );
  await assert.rejects(
    client.agents(),
    (error) =>
      error instanceof ParleyApiError &&
      error.code === "unknown" &&
      /answered 404: expected application\/problem\+json, got text\/html: check/.test(error.message),
  );
});

test("an answer that does not come in time is a lost connection", async () => {
  await using server = await startFake(() => {});
  await assert.rejects(
    createClient({ url: server.url, timeoutMs: 30, retries: 1, backoff: quick }).health(),
    (error) => error instanceof ParleyConnectionError && /nothing came for 0.03 s/.test(error.message),
  );
  assert.equal(server.requests.length, 2);
});

test("reads are tried again, and a path before /v1 is kept", async () => {
  await using server = await startFake((response, _, index) => {
    if (index === 0) return response.destroy();
    if (index === 1) return problem(response, 503, "unavailable");
    response.writeHead(200, { "content-type": "application/json" }).end('{"agents":[]}');
  });
  const client = createClient({ url: `${server.url}/parley/`, backoff: quick, token: "secret", name: "me" });
  assert.deepEqual(await client.agents(), []);
  const [, , last] = server.requests;
  assert.equal(last?.url, "/parley/v1/agents");
  assert.deepEqual([last?.headers.authorization, last?.headers["x-parley-client"]], ["Bearer secret", "me"]);
});

test("an id that is none is refused before anything is sent", async () => {
  await using server = await startFake((response) => response.end());
  const client = createClient({ url: server.url });
  for (const id of ["", ".", ".."]) {
    await assert.rejects(client.sessions.delete(id), { name: "TypeError", message: `expected an id, got "${id}"` });
    await assert.rejects(client.session(id).events().next(), TypeError);
    const noAgent = { name: "TypeError", message: `expected an agent's name, got "${id}"` };
    await assert.rejects(client.agent(id), noAgent);
    await assert.rejects(client.agentSessions(id), noAgent);
  }
  assert.equal(server.requests.length, 0);
});

test("an address or a token that cannot be used is refused at once", () => {
  for (const url of ["", "localhost:7420", "ftp://x", "http://u:p@x", "http://x?auth_token=y"]) {
    assert.throws(() => createClient({ url }), { name: "TypeError", message: /^expected/ });
  }
  assert.throws(() => createClient({ url: "http://x", token: "two\nlines" }), TypeError);
});
