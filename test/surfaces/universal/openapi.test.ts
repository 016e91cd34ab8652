import assert from "node:assert/strict";
import { test } from "node:test";
import { ROUTES } from "../../support/contract.ts";
import { startServer } from "../../support/server.ts";

type Json = Record<string, unknown>;

interface Operation {
  operationId: string;
  tags: string[];
  security?: Json[];
  summary: string;
  parameters: { name: string; in: string; required: boolean; schema: Json }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Json }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: Json }> }>;
}

interface Document {
  openapi: string;
  info: { title: string; version: string; license: Json };
  security: Json[];
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json>; securitySchemes: Record<string, Json> };
}

const PROBES = ["/health", "/ready", "/metrics"];
const METHODS = new Set(["get", "put", "post", "delete", "options", "head", "patch", "trace"]);
const SCHEMA_TYPES = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

/** Visits every object in a document, with the way to it. */
function visit(value: unknown, look: (node: Json, way: string) => void, way = "#"): void {
  if (value === null || typeof value !== "object") return;
  if (!Array.isArray(value)) look(value as Json, way);
  for (const [key, inner] of Object.entries(value)) visit(inner, look, `${way}/${key}`);
}

function resolve(document: Document, reference: string): unknown {
  assert.ok(reference.startsWith("#/"), reference);
  return reference
    .slice(2)
    .split("/")
    .reduce<unknown>((node, key) => (node as Json | undefined)?.[key], document);
}

test("the document is OpenAPI 3.1: every reference resolves, every schema is one", async (t) => {
  const { api } = await startServer(t);
  const document = await api.expect<Document>(200, "GET", "/openapi.json");
  assert.match(document.openapi, /^3\.1\.\d+$/);
  assert.equal(document.info.title, "Parley");
  assert.ok(document.info.version && document.info.license.identifier);
  let references = 0;
  visit(document, (node, way) => {
    if (typeof node.$ref === "string") {
      references++;
      assert.ok(resolve(document, node.$ref), `${way}: ${node.$ref} is not there`);
    }
    assert.equal(node.$defs, undefined, `${way}: definitions live under components`);
    assert.equal(node.$schema, undefined, way);
    assert.equal(node.nullable, undefined, `${way}: nullable is of OpenAPI 3.0`);
    if (way.includes("/schema") && typeof node.type === "string") {
      assert.ok(SCHEMA_TYPES.has(node.type), `${way}: type ${node.type}`);
    }
  });
  assert.ok(references > 20);
  for (const scheme of document.security.flatMap((need) => Object.keys(need))) {
    assert.ok(document.components.securitySchemes[scheme], scheme);
  }
});

test("every operation says all that OpenAPI wants of it, under an id of its own", async (t) => {
  const { api } = await startServer(t);
  const { paths } = await api.expect<Document>(200, "GET", "/openapi.json");
  const ids = new Set<string>();
  for (const [path, operations] of Object.entries(paths)) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const [method, operation] of Object.entries(operations)) {
      const where = `${method} ${path}`;
      assert.ok(METHODS.has(method), where);
      assert.ok(!ids.has(operation.operationId), `${where}: ${operation.operationId} is taken`);
      ids.add(operation.operationId);
      assert.ok(operation.summary, where);
      const declared = operation.parameters.filter((parameter) => parameter.in === "path");
      assert.deepEqual(declared.map((parameter) => parameter.name).sort(), inPath.sort(), where);
      assert.ok(
        declared.every((parameter) => parameter.required),
        where,
      );
      assert.equal(
        new Set(operation.parameters.map(({ name, in: place }) => `${place} ${name}`)).size,
        operation.parameters.length,
      );
      for (const [status, answer] of Object.entries(operation.responses)) {
        assert.match(status, /^[1-5]\d\d$/, where);
        assert.ok(answer.description, `${where} ${status}`);
        const types = Object.keys(answer.content ?? {});
        if (Number(status) >= 400) assert.deepEqual(types, ["application/problem+json"], `${where} ${status}`);
        else if (!["101", "204"].includes(status)) assert.equal(types.length, 1, `${where} ${status}`);
      }
      if (method === "get" || method === "delete") assert.equal(operation.requestBody, undefined, where);
    }
  }
});

test("every route that is served is in the document, and nothing else is", async (t) => {
  const { api } = await startServer(t);
  const { paths } = await api.expect<Document>(200, "GET", "/openapi.json");
  const documented = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method} ${path}`),
  );
  const served = [...ROUTES.map(({ method, path }) => `${method} ${path}`), ...PROBES.map((path) => `get ${path}`)];
  assert.deepEqual(documented.sort(), served.sort());
  const { id } = await api.create();
  for (const [path, operations] of Object.entries(paths)) {
    const real = path
      .replace("{session}", id)
      .replace("{agent}", "scripted")
      .replace(/\{\w+\}/, "none");
    for (const method of Object.keys(operations)) {
      if (method !== "get" || path.endsWith("/stream") || PROBES.includes(path)) continue;
      const answer = await api.call<{ code?: string }>("GET", real);
      assert.notEqual(answer.body.code, "not_found", `${method} ${real} is served`);
    }
  }
});

test("the document names the address by which it was asked, or the advertised one", async (t) => {
  const { api, parley } = await startServer(t);
  const asked = await api.expect<Document>(200, "GET", "/openapi.json");
  assert.deepEqual(asked.servers, [{ url: parley.url }]);
  const byName = await fetch(`${parley.url.replace("127.0.0.1", "localhost")}/openapi.json`);
  const named = (await byName.json()) as Document;
  assert.deepEqual(named.servers, [{ url: parley.url.replace("127.0.0.1", "localhost") }]);
});

test("every operation is in one listed group", async (t) => {
  const { api } = await startServer(t);
  const { paths, tags } = await api.expect<Document>(200, "GET", "/openapi.json");
  const operations = Object.values(paths).flatMap((one) => Object.values(one));
  assert.deepEqual(new Set(operations.flatMap((operation) => operation.tags)), new Set(tags.map(({ name }) => name)));
  assert.ok(operations.every((operation) => operation.tags.length === 1));
});

test("the probes answer as the document says, and those without security need no token", async (t) => {
  const { parley } = await startServer(t, { token: "a-token-of-the-tests-0123456789" });
  const headers = { authorization: "Bearer a-token-of-the-tests-0123456789" };
  const { paths } = (await (await fetch(`${parley.url}/openapi.json`, { headers })).json()) as Document;
  for (const path of PROBES) {
    const operation = paths[path]?.get ?? assert.fail(path);
    const response = await fetch(`${parley.url}${path}`, operation.security ? {} : { headers });
    assert.equal(response.status, 200, path);
    const [[type, { schema }] = assert.fail(path)] = Object.entries(operation.responses[200]?.content ?? {});
    assert.equal(response.headers.get("content-type"), type);
    if (type !== "application/json") continue;
    const body = (await response.json()) as Json;
    assert.deepEqual(Object.keys(body).sort(), (schema.required as string[]).toSorted());
  }
});

test("streams say the schema of their events, with each type's data", async (t) => {
  const { api } = await startServer(t);
  const document = await api.expect<Document>(200, "GET", "/openapi.json");
  const schemaOf = (path: string): Json =>
    document.paths[path]?.get?.responses[200]?.content?.["text/event-stream"]?.schema ?? assert.fail(path);
  assert.deepEqual(schemaOf("/v1/stream"), { $ref: "#/components/schemas/Event" });
  assert.deepEqual(schemaOf("/v1/sessions/{session}/stream"), { $ref: "#/components/schemas/StreamMessage" });
  const text = JSON.stringify(document.components.schemas.Event);
  for (const type of ["turn.started", "item.delta", "permission.requested"]) assert.ok(text.includes(type), type);
  assert.match(JSON.stringify(document.components.schemas.StreamMessage), /schemas\/Event"/);
});
