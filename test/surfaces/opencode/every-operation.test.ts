import assert from "node:assert/strict";
import { test } from "node:test";
import { isDescribed } from "../../support/opencode.ts";
import { git, opencodeOperations, opencodeRig, repository } from "./rig.ts";

interface Minimal {
  query?: string;
  body?: unknown;
  params?: Record<string, string>;
}

/** The least that each operation needs; most need nothing. */
const MINIMAL: Readonly<Record<string, Minimal>> = {
  "GET /file": { query: "path=." },
  "GET /file/content": { query: "path=a.txt" },
  "GET /find": { query: "pattern=one" },
  "GET /find/file": { query: "query=a" },
  "GET /find/symbol": { query: "query=a" },
  "GET /vcs/diff": { query: "mode=git" },
  "POST /vcs/apply": {
    body: {
      patch:
        "diff --git a/new.txt b/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n",
    },
  },
  "GET /experimental/tool": { query: "provider=house&model=x" },
  "GET /api/fs/find": { query: "query=a" },
  "GET /api/fs/read/*": { params: { "*": "a.txt" } },
  "PATCH /config": { body: { share: "disabled" } },
  "PATCH /global/config": { body: {} },
  "PATCH /project/{projectID}": { body: { name: "A name", icon: { color: "blue" } } },
  "POST /api/session": { body: {} },
  "POST /api/session/{sessionID}/agent": { body: { agent: "plan" } },
  "POST /api/session/{sessionID}/model": { body: { model: { providerID: "house", id: "scripted/demo" } } },
  "POST /api/session/{sessionID}/prompt": { body: { prompt: { text: "hello" } } },
};

/** There is no ask in a session that does nothing: these have tests of their own. */
const NEED_AN_ASK = /\/api\/session\/\{sessionID\}\/(permission|question)\/\{requestID\}/;

test("B3, B12: every answer to a minimal request is one that OpenCode's own description allows", async (t) => {
  const { client } = await opencodeRig(t);
  const directory = await repository(t, { "a.txt": "one\ntwo\n" });
  const { id: projectID } = await client.get<{ id: string }>(`/project/current?directory=${directory}`);
  const made = await client.expect<{ data: { id: string } }>(200, "POST", "/api/session", {
    body: { location: { directory } },
  });
  const known: Record<string, string> = {
    projectID,
    sessionID: made.data.id,
    providerID: "house",
    integrationID: "house",
    credentialID: "house",
  };
  let checked = 0;
  for (const { method, path, support, status = 200 } of opencodeOperations()) {
    const operation = `${method.toUpperCase()} ${path}`;
    if (!isDescribed(operation) || NEED_AN_ASK.test(path)) continue;
    const { query = "", body, params = {} } = MINIMAL[operation] ?? {};
    const filled = path
      .replaceAll(/\{(\w+)\}/g, (_, name: string) => known[name] ?? "unknown")
      .replace("*", params["*"] ?? "");
    const reply = await client.call<Record<string, unknown>>(
      method.toUpperCase(),
      `${filled}?directory=${encodeURIComponent(directory)}${query === "" ? "" : `&${query}`}`,
      { operation, ...(body === undefined ? {} : { body }) },
    );
    checked += 1;
    if (support !== "refused") assert.equal(reply.status, status, `${operation}: ${reply.text.slice(0, 300)}`);
    else {
      assert.ok([404, 501].includes(reply.status), `${operation}: ${reply.status} ${reply.text}`);
      const { _tag, name, message, data } = reply.body as Record<string, string> & { data?: { message: string } };
      assert.ok(_tag ?? name, `${operation} is refused without a name: ${reply.text}`);
      assert.ok((message ?? data?.message ?? "").length > 15, `${operation} does not say why: ${reply.text}`);
      assert.equal(_tag !== undefined, path.startsWith("/api/") || isTagged(operation), operation);
    }
  }
  assert.ok(checked > 100, `only ${checked} operations were looked at`);
  assert.match(await git(directory, "status", "--porcelain"), /\?\? new\.txt/, "the patch was applied");
});

/** Some of the older half have the newer form of errors. */
function isTagged(operation: string): boolean {
  return / \/mcp\/\{name\}/.test(operation);
}
