import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient, type SearchHit, type SearchResult } from "../../../src/client/index.ts";
import type { Api } from "../../support/api.ts";
import { startServer } from "../../support/server.ts";

const search = (api: Api, query: Record<string, string>): Promise<SearchResult> =>
  api.expect(200, "GET", `/v1/search?${new URLSearchParams(query)}`);

const shown = ({ snippet }: SearchHit): string => snippet.map(({ text, hit }) => (hit ? `[${text}]` : text)).join("");

async function prompted(api: Api, text: string, request: object = {}): Promise<string> {
  const { id } = await api.expect<{ id: string }>(201, "POST", "/v1/sessions", request);
  await api.expect(200, "POST", `/v1/sessions/${id}/prompts?wait=true`, { text });
  return id;
}

test("what was said is found by API and client, newest first and page by page", async (t) => {
  const server = await startServer(t, {});
  const { api } = server;
  const first = await prompted(api, "Where is the zebraCrossing of src/log/contract.ts?", { title: "Old zebra" });
  const second = await prompted(api, "another zebra");
  const { hits, next, indexing } = await search(api, { q: "zebra", kind: "message", limit: "50" });
  assert.deepEqual([next, indexing], [null, undefined]);
  const users = hits.filter(({ role }) => role === "user");
  assert.deepEqual(
    users.map(({ session }) => session),
    [second, first],
  );
  assert.equal(users.map(shown)[1], "Where is the [zebraCrossing] of src/log/contract.ts?");
  assert.equal(users[1]?.title, "Old zebra");
  const titles = await search(api, { q: "zebra", kind: "title" });
  assert.deepEqual(
    titles.hits.map(({ session }) => session).filter((id) => id === first),
    [first],
  );
  const client = createClient({ url: server.parley.url, token: null });
  const pages: SearchHit[] = [];
  for (let after: string | undefined; ; ) {
    const page = await client.search("zebra", { limit: 1, kind: "message", ...(after !== undefined && { after }) });
    pages.push(...page.hits);
    if (page.next === null) break;
    after = page.next;
  }
  assert.deepEqual(pages, hits);
  const path = await client.search('"src/log/contract.ts" zebracross', { session: first });
  assert.ok(path.hits.length > 0 && path.hits.every(({ session }) => session === first));
  await api.expect(204, "DELETE", `/v1/sessions/${first}`);
  assert.deepEqual((await client.search("zebracrossing")).hits, []);
});

test("any text is a query, and a wrong cursor or kind is refused", async (t) => {
  const { api } = await startServer(t, {});
  await prompted(api, "hello");
  for (const q of [
    "",
    '"',
    "*",
    "NEAR(",
    "AND OR",
    "a:b",
    "\0",
    "🎉",
    "漢",
    "-",
    "'; DROP",
    "x".repeat(10_000),
    "y ".repeat(5_000),
  ])
    assert.ok(Array.isArray((await search(api, { q })).hits), JSON.stringify(q.slice(0, 20)));
  for (const query of [{ q: "a", after: "x" }, { q: "a", kind: "nothing" }, { q: "a", limit: "0" }, {}])
    await api.refused("bad_request", "GET", `/v1/search?${new URLSearchParams(query as Record<string, string>)}`);
});
