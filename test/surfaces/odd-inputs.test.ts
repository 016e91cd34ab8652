import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { z } from "zod";
import { opencodeOperations } from "../../scripts/opencode-table.ts";
import { ROUTES } from "../support/contract.ts";
import { startServer, type TestServer } from "../support/server.ts";

interface Entrance {
  method: string;
  path: string;
  query?: z.ZodObject;
  body?: z.ZodType;
}

/** Texts that somebody sends by mistake or on purpose, in a query, a header or a path. */
const TEXTS = [
  "",
  "-1",
  "1e999",
  "9".repeat(40),
  "1.5",
  "NaN",
  "a".repeat(3_000),
  `/${"b".repeat(3_000)}`,
  "/tmp\0x",
  "../..",
  "[]",
  "{",
  "\u{1f600}",
  "%",
  "latest",
  "all:1",
  "ses_1:1",
  "*",
  "(",
  "/",
];
/** Directories of this machine, in which a test changes nothing: an operation may make a repository there. */
const REAL = ["/", "../.."];
const VALUES: unknown[] = [
  null,
  [],
  {},
  0,
  -1,
  1e300,
  true,
  "",
  "x".repeat(3_000),
  "/a\0b",
  "../..",
  [null],
  [[]],
  { a: { b: [] } },
];
const HEADERS = [
  "x-opencode-directory",
  "last-event-id",
  "x-request-id",
  "x-opencode-ticket",
  "accept",
  "if-none-match",
  "range",
];

/** Waits until somebody has something to say. */
const WAITS = /control\/next|\/wait$/;

function namesOf(schema: z.ZodType | undefined): string[] {
  const { shape } = (schema ?? {}) as { shape?: Record<string, unknown> };
  return Object.keys(shape ?? {});
}

/** The status of an answer; what it says is not waited for where it may never end. */
async function statusOf(url: string, init: RequestInit): Promise<{ status: number; text: string }> {
  const stop = new AbortController();
  const response = await fetch(url, { ...init, signal: stop.signal });
  const streams = response.headers.get("content-type")?.includes("event-stream") || response.status < 400;
  const text = streams ? "" : await response.text();
  stop.abort();
  return { status: response.status, text };
}

/** All of them take minutes: `npm test` tries every 24th. */
const STRIDE = process.env.PARLEY_TEST_HARD ? 1 : 24;

interface Odd {
  query?: string;
  headers?: Record<string, string>;
  body?: unknown;
  id?: string;
}

function* oddities({ method, path, query, body }: Entrance): Generator<Odd> {
  const texts = method === "get" ? TEXTS : TEXTS.filter((text) => !REAL.includes(text));
  for (const name of new Set([...namesOf(query), "directory", "location[directory]"]))
    for (const text of texts) yield { query: `?${encodeURIComponent(name)}=${encodeURIComponent(text)}` };
  if (/\{(?!session)|\*/.test(path)) for (const text of TEXTS.slice(5, 12)) yield { id: encodeURIComponent(text) };
  if (body) for (const value of VALUES) yield { body: value };
  for (const name of namesOf(body)) for (const value of VALUES) yield { body: { [name]: value } };
  if (method !== "get") return;
  for (const name of HEADERS)
    for (const text of ["a".repeat(3_000), "%2Ftmp%00", "/%", "-1", "\u00e9"]) yield { headers: { [name]: text } };
}

async function send(server: TestServer, session: string, { method, path, body }: Entrance, odd: Odd): Promise<void> {
  const id = odd.id ?? session;
  const filled = path
    .replaceAll(/\{session(?:ID)?\}/g, session)
    .replaceAll(/\{\w+\}/g, id)
    .replace("*", id);
  const headers: Record<string, string> = { ...odd.headers };
  if (body) headers["content-type"] = "application/json";
  const { status, text } = await statusOf(`${server.api.url}${filled}${odd.query ?? ""}`, {
    method: method.toUpperCase(),
    headers,
    ...(body ? { body: JSON.stringify("body" in odd ? odd.body : {}) } : {}),
  });
  const where = `${method} ${filled.slice(0, 200)} ${JSON.stringify(odd).slice(0, 300)}`;
  assert.ok(status < 500 || status === 501, `${where}: ${status} ${text.slice(0, 300)}`);
}

async function fuzzed(t: TestContext, entrances: readonly Entrance[]): Promise<void> {
  const server = await startServer(t);
  const { id } = await server.api.create();
  let at = 0;
  for (const entrance of entrances.filter(({ path, method }) => !WAITS.test(path) && method !== "delete"))
    for (const odd of oddities(entrance)) if (at++ % STRIDE === 0) await send(server, id, entrance, odd);
  t.diagnostic(`${Math.ceil(at / STRIDE)} requests`);
  assert.deepEqual(
    server.lines.filter(({ level }) => level === "error"),
    [],
  );
}

test("no odd input of the universal API is a defect", (t) => fuzzed(t, ROUTES));

test("no odd input of OpenCode's API is a defect", (t) => fuzzed(t, opencodeOperations()));

test("a query parameter that is there twice is refused on both surfaces, with its name", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const problem = await api.refused("bad_request", "GET", `/v1/sessions/${id}/events?after=1&after=2`);
  assert.match(problem.detail, /expected the query parameter after once/);
  for (const path of [`/session/${id}/message?limit=1&limit=2`, "/session?directory=/a&directory=/b"]) {
    const response = await fetch(`${api.url}${path}`);
    assert.equal(response.status, 400);
    assert.match(await response.text(), /expected the query parameter \w+ once/);
  }
});

test("a directory with a name that no file system has is refused, with words", async (t) => {
  const { api } = await startServer(t);
  const long = `/${"a".repeat(3_000)}`;
  for (const path of ["/path", "/session", "/file?path=.", "/config", "/project/current", "/agent", "/vcs"]) {
    for (const [query, headers] of [
      [`directory=${long}`, {}],
      ["", { "x-opencode-directory": long }],
    ] as const) {
      const response = await fetch(`${api.url}${path}${path.includes("?") ? "&" : "?"}${query}`, { headers });
      const text = await response.text();
      assert.equal(response.status, 400, `${path}: ${text}`);
      assert.match(text, /expected the path of a directory, got one of 3001 characters/);
    }
  }
  await api.refused("invalid", "POST", "/v1/sessions", { directory: long });
});
