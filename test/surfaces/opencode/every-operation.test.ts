import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { opencodeOperations } from "../../../scripts/opencode-table.ts";
import type { Operation } from "../../../src/surfaces/opencode/operation.ts";
import { isDescribed, type Reply } from "../../support/opencode.ts";
import { temporary } from "../../support/server.ts";
import { git, opencodeRig, repository } from "./rig.ts";

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
  "POST /experimental/worktree": { body: { name: "one" } },
  "POST /experimental/worktree/reset": { body: { directory: "{linked}" } },
  "DELETE /experimental/worktree": { body: { directory: "{linked}" } },
  "POST /experimental/project/{projectID}/copy": { body: { strategy: "git_worktree", directory: "{copies}" } },
  "DELETE /experimental/project/{projectID}/copy": { body: { directory: "{copied}", force: true } },
  "POST /mcp": { body: { name: "off", config: { type: "local", command: ["true"], enabled: false } } },
  "POST /mcp/{name}/auth/callback": { body: { code: "x" } },
  "POST /log": { body: { service: "test", level: "info", message: "hello" } },
  "PATCH /session/{sessionID}": { body: { title: "A title" } },
  "POST /session/{sessionID}/message": { body: { parts: [{ type: "text", text: "hello" }] } },
  "POST /session/{sessionID}/prompt_async": { body: { parts: [{ type: "text", text: "hello" }] } },
  "POST /session/{sessionID}/command": { body: { command: "init", arguments: "" } },
  "POST /session/{sessionID}/init": { body: { modelID: "default", providerID: "house", messageID: "msg_init" } },
  "POST /session/{sessionID}/shell": { body: { agent: "build", command: "echo shell" } },
  "POST /session/{sessionID}/revert": { body: { messageID: "{messageID}" } },
  "POST /session/{sessionID}/summarize": { body: { modelID: "default", providerID: "house" } },
  "POST /tui/append-prompt": { body: { text: "hello" } },
  "POST /tui/execute-command": { body: { command: "agent_cycle" } },
  "POST /tui/show-toast": { body: { message: "hello", variant: "info" } },
  "POST /tui/select-session": { body: { sessionID: "{sessionID}" } },
  "POST /tui/publish": { body: { type: "tui.prompt.append", properties: { text: "hello" } } },
  "POST /api/session": { body: {} },
  "POST /api/session/{sessionID}/agent": { body: { agent: "plan" } },
  "POST /api/session/{sessionID}/model": { body: { model: { providerID: "house", id: "default" } } },
  "POST /api/session/{sessionID}/prompt": { body: { prompt: { text: "hello" } } },
  "POST /api/session/{sessionID}/revert/stage": { body: { messageID: "{messageID}" } },
};

/** There is no ask in a session that does nothing, no WebSocket and no MCP server here, and a stream has no end: these have tests of their own. */
const ELSEWHERE = /\{requestID\}|\{permissionID\}|\/connect$|\/event$|^\/mcp\/\{name\}/;

/** Operations that change things come after those that read them. */
function rank({ method, path }: Operation): number {
  if (method === "delete") return 4 - path.length / 100;
  return /\/(abort|revert|unrevert|control\/next|stage|clear|commit)$/.test(path) ? 2 : method === "get" ? 0 : 1;
}

test("B3, B12: every answer to a minimal request is one that OpenCode's own description allows", async (t) => {
  const { client } = await opencodeRig(t);
  const directory = await repository(t, { "a.txt": "one\ntwo\n" });
  const query = `?directory=${encodeURIComponent(directory)}`;
  const { id: projectID } = await client.get<{ id: string }>(`/project/current${query}`);
  const { id: sessionID } = await client.expect<{ id: string }>(200, "POST", `/session${query}`, { body: {} });
  const pty = { body: { command: "cat" } };
  const { id: ptyID } = await client.expect<{ id: string }>(200, "POST", `/pty${query}`, pty);
  const { id: otherPty } = await client.expect<{ id: string }>(200, "POST", `/pty${query}`, pty);
  const said = await client.expect<{ info: { id: string }; parts: { id: string }[] }>(
    200,
    "POST",
    `/session/${sessionID}/message${query}`,
    { body: { parts: [{ type: "text", text: "hello" }] }, operation: "POST /session/{sessionID}/message" },
  );
  const copies = await temporary(t);
  const [linked, copied] = [join(copies, "linked"), join(copies, "copied")];
  for (const path of [linked, copied]) await git(directory, "worktree", "add", "--quiet", path);
  const known: Record<string, string> = {
    copies,
    linked,
    copied,
    projectID,
    sessionID,
    ptyID,
    messageID: said.info.id,
    partID: said.parts[0]?.id ?? "",
    providerID: "house",
    integrationID: "house",
    credentialID: "house",
  };
  let checked = 0;
  for (const one of opencodeOperations().toSorted((a, b) => rank(a) - rank(b))) {
    const { method, path, support, status = 200 } = one;
    const operation = `${method.toUpperCase()} ${path}`;
    if (!isDescribed(operation) || ELSEWHERE.test(path)) continue;
    const { query: more = "", body = one.body ? {} : undefined, params = {} } = MINIMAL[operation] ?? {};
    const ids: Record<string, string> = path.startsWith("/api/pty") ? { ...known, ptyID: otherPty } : known;
    const fill = (text: string): string => text.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? "unknown");
    const filled = fill(path).replace("*", params["*"] ?? "");
    // One may have begun a turn that the next would have to wait for.
    if (method === "post") await client.expect(204, "POST", `/api/session/${sessionID}/wait`);
    const reply = await client.call<Record<string, unknown>>(
      method.toUpperCase(),
      `${filled}${query}${more === "" ? "" : `&${more}`}`,
      {
        operation,
        headers: { "x-opencode-ticket": "1" },
        ...(body === undefined ? {} : { body: JSON.parse(fill(JSON.stringify(body))) }),
      },
    );
    checked += 1;
    if (support === "refused") assertRefused(operation, reply);
    else if (operation in SAID_ALREADY)
      assert.equal(reply.status, SAID_ALREADY[operation], `${operation}: ${reply.text}`);
    else assert.equal(reply.status, status, `${operation}: ${reply.text.slice(0, 300)}`);
  }
  assert.ok(checked > 150, `only ${checked} operations were looked at`);
  t.diagnostic(`${checked} operations answered as described`);
  assert.match(await git(directory, "status", "--porcelain"), /\?\? new\.txt/, "the patch was applied");
});

/** Real, but not for what these requests ask: only a prompt that waits can be taken back. */
const SAID_ALREADY: Readonly<Record<string, number>> = { "DELETE /session/{sessionID}/message/{messageID}": 501 };

function assertRefused(operation: string, { status, text, body }: Reply<Record<string, unknown>>): void {
  assert.ok([404, 501].includes(status), `${operation}: ${status} ${text}`);
  const { _tag, name, message, data } = body as Record<string, string> & { data?: { message: string } };
  assert.ok(_tag ?? name, `${operation} is refused without a name: ${text}`);
  assert.ok((message ?? data?.message ?? "").length > 15, `${operation} does not say why: ${text}`);
  assert.equal(_tag !== undefined, / \/(api\/|mcp\/\{name\})/.test(operation), operation);
}
