import assert from "node:assert/strict";
import { test } from "node:test";
import { opencodeOperations } from "../../../scripts/opencode-table.ts";
import type { Operation } from "../../../src/surfaces/opencode/operation.ts";
import { opencodeRig } from "./rig.ts";

const JSON_TYPE = { "content-type": "application/json" };

/** A path with something in place of each parameter. */
const filled = ({ path }: Operation, value: string): string => path.replaceAll(/\{\w+\}/g, value).replace("*", "a.txt");

function assertSaid(text: string, where: string): void {
  const body = JSON.parse(text) as Record<string, unknown> & { data?: { message?: string } };
  const message = body.message ?? body.data?.message ?? body.detail;
  assert.ok(typeof message === "string" && message.length > 10, `${where} does not say what is wrong: ${text}`);
}

test("malformed JSON gets 400 everywhere, and says what came", async (t) => {
  const { client } = await opencodeRig(t);
  for (const one of opencodeOperations().filter(({ body }) => body)) {
    const where = `${one.method} ${one.path}`;
    for (const raw of ['{"a":', "hello", "{'a':1}", "\u0000"]) {
      const path = filled(one, "unknown");
      const reply = await client.call(one.method.toUpperCase(), path, { raw, headers: JSON_TYPE });
      assert.equal(reply.status, 400, `${where} ${raw}: ${reply.status} ${reply.text}`);
      assert.match(reply.text, /expected JSON as the body/, where);
    }
  }
});

test("a body that is not said to be JSON gets 415, in JSON", async (t) => {
  const { client } = await opencodeRig(t);
  for (const one of opencodeOperations().filter(({ method }) => method !== "get")) {
    const where = `${one.method} ${one.path}`;
    for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
      const headers = { "content-type": type };
      const reply = await client.call(one.method.toUpperCase(), filled(one, "x"), { raw: "{}", headers });
      assert.equal(reply.status, 415, `${where} ${type}: ${reply.text}`);
      assertSaid(reply.text, where);
    }
  }
});

test("an unknown path gets 404 in JSON with every method", async (t) => {
  const { client } = await opencodeRig(t);
  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
    for (const path of ["/nothing", "/api/nothing", "/session-of-no-kind", "/config/x", "/opencode/nothing", "/vcs/"]) {
      const reply = await client.call(method, path);
      assert.equal(reply.status, 404, `${method} ${path}: ${reply.text}`);
      assertSaid(reply.text, `${method} ${path}`);
    }
  }
});

/** Ids that name nothing, most of which cannot even be one. */
const STRANGE = ["abc", "ses_0", "msg_0", "%00", "%2e%2e%2f", "a".repeat(300), "%F0%9F%98%80", "%E0%A4%A", "'--"];

test("a wrong id gets 404 and never 500", async (t) => {
  const { client, server } = await opencodeRig(t);
  for (const one of opencodeOperations().filter(({ path }) => path.includes("{"))) {
    for (const id of STRANGE) {
      const method = one.method.toUpperCase();
      const sent = { headers: TICKET, ...(one.body ? { body: BODIES[one.path] ?? {} } : {}) };
      const reply = await client.call(method, filled(one, id), sent);
      assert.ok([404, 400].includes(reply.status), `${method} ${one.path} ${id}: ${reply.status} ${reply.text}`);
      if (/^\w+$/.test(id)) assert.equal(reply.status, 404, `${method} ${one.path} ${id}: ${reply.text}`);
      assertSaid(reply.text, `${method} ${one.path}`);
    }
  }
  assert.deepEqual(
    server.lines.filter(({ level }) => level === "error"),
    [],
  );
});

/** Without it a terminal's ticket is refused, whatever the terminal. */
const TICKET = { "x-opencode-ticket": "1" };

/** Bodies that are right, so that the id is what is wrong. */
const BODIES: Readonly<Record<string, unknown>> = {
  "/mcp/{name}/auth/callback": { code: "x" },
  "/experimental/project/{projectID}/copy": { strategy: "git_worktree", directory: "/nowhere", force: false },
  "/session/{sessionID}/message": { parts: [{ type: "text", text: "hello" }] },
  "/session/{sessionID}/prompt_async": { parts: [{ type: "text", text: "hello" }] },
  "/session/{sessionID}/command": { command: "init", arguments: "" },
  "/session/{sessionID}/shell": { agent: "build", command: "true" },
  "/session/{sessionID}/init": { modelID: "x", providerID: "house", messageID: "msg_1" },
  "/session/{sessionID}/summarize": { modelID: "x", providerID: "house" },
  "/session/{sessionID}/revert": { messageID: "msg_1" },
  "/session/{sessionID}/permissions/{permissionID}": { response: "once" },
  "/permission/{requestID}/reply": { reply: "once" },
  "/question/{requestID}/reply": { answers: [["x"]] },
  "/api/session/{sessionID}/agent": { agent: "plan" },
  "/api/session/{sessionID}/model": { model: { providerID: "house", id: "x" } },
  "/api/session/{sessionID}/prompt": { prompt: { text: "hello" } },
  "/api/session/{sessionID}/revert/stage": { messageID: "msg_1" },
  "/api/session/{sessionID}/permission/{requestID}/reply": { reply: "once" },
  "/api/session/{sessionID}/question/{requestID}/reply": { answers: [["x"]] },
};

test("an id whose percent signs encode nothing is one that is not there", async (t) => {
  const { client } = await opencodeRig(t);
  await client.expect(404, "GET", "/session/%zz");
  const { sessionID } = await client.expect<{ sessionID: string }>(404, "GET", "/api/session/%zz");
  assert.equal(sessionID, "%zz");
  await client.expect(404, "POST", "/api/session/%E0%A4%A/interrupt");
});

test("deleting a thing that is not there gets 404", async (t) => {
  const { client } = await opencodeRig(t);
  const paths = [
    "/auth/nobody",
    "/mcp/nothing/auth",
    "/experimental/workspace/wrk_nothing",
    "/api/credential/nothing",
    "/api/permission/saved/nothing",
    "/api/integration/attempt/nothing",
  ];
  for (const path of paths) assertSaid((await client.call("DELETE", path)).text, path);
  for (const path of paths) await client.expect(404, "DELETE", path);
});

test("a query of the wrong shape gets 400 with the field that is wrong", async (t) => {
  const { client } = await opencodeRig(t);
  const wrong: [path: string, says: RegExp][] = [
    ["/find", /pattern/],
    ["/find/file", /query/],
    ["/find/symbol", /query/],
    ["/file", /path/],
    ["/file/content", /path/],
    ["/vcs/diff?mode=x", /mode/],
    ["/api/fs/find", /query/],
    ["/api/session?limit=0", /limit/],
    ["/api/session?limit=x", /limit/],
    ["/experimental/session?limit=-1", /limit/],
    ["/experimental/tool", /provider.*model/s],
    ["/experimental/tool?provider=house", /model/],
    ["/api/session/x/message?limit=0", /limit/],
    ["/api/session/x/message?limit=201", /limit/],
    ["/api/session/x/message?limit=1.5", /limit/],
    ["/api/session/x/message?order=up", /order/],
    ["/api/session/x/history?limit=101", /limit/],
    ["/api/session/x/history?after=-1", /after/],
    ["/api/session/x/history?after=", /after/],
    ["/api/session/x/event?after=x", /after/],
  ];
  for (const [path, says] of wrong) {
    const { status, text } = await client.call("GET", path);
    assert.equal(status, 400, `${path}: ${text}`);
    assert.match(text, says);
    const { _tag, name } = JSON.parse(text) as Record<string, string>;
    assert.equal(
      path.startsWith("/api/") ? _tag : name,
      path.startsWith("/api/") ? "InvalidRequestError" : "BadRequest",
    );
  }
});

test("the same API is there under /opencode, for a proxy that cannot give it the root", async (t) => {
  const { client } = await opencodeRig(t);
  assert.deepEqual(await client.get("/opencode/api/health"), { healthy: true });
  assert.deepEqual(await client.get("/opencode/lsp?directory=/tmp"), []);
});

test("parts of one message have ids of their own: a client would show only one of two", async (t) => {
  const { client } = await opencodeRig(t);
  const { id } = await client.expect<{ id: string }>(200, "POST", "/session", { body: {} });
  const part = (text: string): object => ({ id: "prt_twice", type: "text", text });
  const body = { noReply: true, parts: [part("one"), part("two")] };
  const reply = await client.call("POST", `/session/${id}/message`, { body });
  assert.equal(reply.status, 400, reply.text);
  assert.match(reply.text, /an id of its own/);
  assert.deepEqual(await client.get(`/session/${id}/message`), []);
});
