import assert from "node:assert/strict";
import { test } from "node:test";
import type { ErrorCode } from "../../../src/core/errors.ts";
import { startServer } from "../../support/server.ts";

const JSON_TYPE = { "content-type": "application/json" };

test("a body that is no JSON gets 400 with what came, and changes nothing", async (t) => {
  const { api } = await startServer(t);
  const { id, last } = await api.create();
  const writes: [method: string, path: string][] = [
    ["POST", "/v1/sessions"],
    ["PATCH", `/v1/sessions/${id}`],
    ["POST", `/v1/sessions/${id}/prompts`],
    ["POST", `/v1/sessions/${id}/cancel`],
    ["POST", `/v1/sessions/${id}/asks/per_1`],
  ];
  const broken = ['{"text":', "hello", "{'text':'x'}", "\u0000", '{"text":"x"}}', "undefined"];
  for (const [method, path] of writes) {
    for (const raw of broken) {
      const problem = await api.refused("bad_request", method, path, undefined, { raw, headers: JSON_TYPE });
      assert.match(problem.detail, /expected JSON as the body, got/, `${method} ${path} ${raw}`);
    }
  }
  const empty = await api.refused("bad_request", "POST", `/v1/sessions/${id}/prompts`, undefined, {
    raw: "",
    headers: JSON_TYPE,
  });
  assert.match(empty.detail, /got nothing/);
  assert.equal((await api.session(id)).last, last);
});

test("a write with another content type gets 415, and changes nothing", async (t) => {
  const { api } = await startServer(t);
  const { id, last } = await api.create();
  const raw = JSON.stringify({ text: "hello" });
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonp",
    "text/json;x=application/json",
  ]) {
    const headers = { "content-type": type };
    const problem = await api.refused("bad_content_type", "POST", `/v1/sessions/${id}/prompts`, undefined, {
      raw,
      headers,
    });
    assert.match(problem.detail, /application\/json/);
  }
  assert.equal((await api.session(id)).last, last);
  const charset = { "content-type": "application/json; charset=utf-8" };
  await api.expect(202, "POST", `/v1/sessions/${id}/prompts`, undefined, { raw, headers: charset });
});

test("a prompt of the wrong shape gets 422 with where it is wrong, and changes nothing", async (t) => {
  const { api } = await startServer(t);
  const { id, last } = await api.create();
  const rows: [body: unknown, says: RegExp][] = [
    [{}, /either text or parts/],
    [{ text: "a", parts: [{ type: "text", text: "b" }] }, /either text or parts/],
    [{ parts: [] }, /at least one part/],
    [{ text: 5 }, /text/],
    [{ text: "a", wait: true }, /wait/],
    [{ parts: [{ type: "video" }] }, /parts/],
    [{ text: "a", delivery: "later" }, /delivery/],
    [{ text: "a", id: "1" }, /msg_/],
    [{ text: "a", id: "msg_../../etc" }, /msg_/],
    [{ text: "a", id: `msg_${"x".repeat(65)}` }, /msg_/],
    [{ text: "a", model: "gpt-0" }, /no model gpt-0/],
    [{ text: "a", mode: "wild" }, /no mode wild/],
    ["text", /expected object/],
    [null, /expected object/],
    [[], /expected object/],
  ];
  for (const [body, says] of rows) {
    const problem = await api.refused("invalid", "POST", `/v1/sessions/${id}/prompts`, body);
    assert.match(problem.detail, says, JSON.stringify(body));
  }
  const { issues } = await api.refused("invalid", "POST", `/v1/sessions/${id}/prompts`, { text: 5 });
  assert.equal((issues as { path: string }[])[0]?.path, "text");
  assert.equal((await api.session(id)).last, last);
});

test("a 404 says what is not there and where to look", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const rows: [method: string, path: string, code: ErrorCode, says: RegExp][] = [
    ["GET", "/v1", "not_found", /openapi/],
    ["GET", "/v1/", "not_found", /openapi/],
    ["GET", "/v1/nothing", "not_found", /GET \/v1\/nothing/],
    ["GET", "/v1/sessions/", "not_found", /openapi/],
    ["PUT", `/v1/sessions/${id}`, "not_found", /PUT/],
    ["DELETE", `/v1/sessions/${id}/prompts/msg_none`, "prompt_not_found", /msg_none/],
    ["POST", `/v1/sessions/${id}/asks/per_none`, "ask_not_found", /per_none.*lists the open ones/],
  ];
  for (const [method, path, code, says] of rows) {
    const body = method === "POST" ? { outcome: "once" } : undefined;
    assert.match((await api.refused(code, method, path, body)).detail, says, `${method} ${path}`);
  }
});

test("a query of the wrong shape gets 422 and names the parameter", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const rows: [path: string, names: RegExp][] = [
    [`/v1/sessions/${id}/events?limit=0`, /limit/],
    [`/v1/sessions/${id}/events?limit=2001`, /limit/],
    [`/v1/sessions/${id}/events?native=maybe`, /native/],
    ["/v1/events?limit=-1", /limit/],
    [`/v1/sessions/${id}/stream?native=maybe`, /native/],
    ["/v1/stream?native=", /native/],
  ];
  for (const [path, names] of rows) assert.match((await api.refused("invalid", "GET", path)).detail, names, path);
  const wait = await api.refused("invalid", "POST", `/v1/sessions/${id}/prompts?wait=perhaps`, { text: "hello" });
  assert.match(wait.detail, /wait/);
  assert.equal((await api.session(id)).last, 1);
});

test("without the token nothing is told and nothing is done", async (t) => {
  const token = "a-token-for-this-test-only";
  const server = await startServer(t, { token });
  const { id } = await server.api.create();
  for (const [method, path] of [
    ["GET", "/v1/sessions"],
    ["GET", "/openapi.json"],
    ["GET", `/v1/sessions/${id}/stream`],
    ["DELETE", `/v1/sessions/${id}`],
  ]) {
    const answer = await fetch(`${server.api.url}${path}`, { method });
    assert.equal(answer.status, 401, path);
    assert.equal(((await answer.json()) as { code: string }).code, "unauthorized");
  }
  assert.equal((await server.api.session(id)).last, 1);
});
