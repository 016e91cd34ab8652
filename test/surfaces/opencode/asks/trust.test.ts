import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { MessageWithParts } from "../../../../src/surfaces/opencode/shapes/message.ts";
import type { Session } from "../../../../src/surfaces/opencode/shapes/session.ts";
import { OpencodeClient } from "../../../support/opencode.ts";
import { startServer, temporary } from "../../../support/server.ts";
import { Listener } from "../listener.ts";
import { files } from "../rig.ts";

const CLAUDE_LIKE = fileURLToPath(new URL("../../../fixtures/agents/claude-like.mjs", import.meta.url));
const TUI = "opencode/1.18.33";

interface Seat {
  client: OpencodeClient;
  listener: Listener;
  session: string;
  /** Sends a prompt as this program and gives what the agent said: the arguments that it was started with. */
  ask(userAgent: string): Promise<string>;
}

/** A project with a hook for Claude Code, and a client that listens. */
async function seat(t: TestContext, body: object = {}): Promise<Seat> {
  const before = process.env.PARLEY_CLAUDE_BIN;
  process.env.PARLEY_CLAUDE_BIN = CLAUDE_LIKE;
  t.after(() => {
    if (before === undefined) delete process.env.PARLEY_CLAUDE_BIN;
    else process.env.PARLEY_CLAUDE_BIN = before;
  });
  const work = await temporary(t);
  await files(work, { behaviour: "argv", ".claude/settings.json": '{ "hooks": { "Stop": [] } }' });
  const file = join(await temporary(t), "trusted");
  const server = await startServer(t, { defaultAgent: "claude", directory: work, trust: { file, configured: [] } });
  const client = new OpencodeClient(server.parley.url);
  const { id: session } = await client.expect<Session>(200, "POST", "/session", { body });
  const listener = new Listener(`${server.parley.url}/event`);
  await listener.connect();
  t.after(() => listener.leave());
  const ask = async (userAgent: string): Promise<string> => {
    const response = await fetch(`${server.parley.url}/session/${session}/message`, {
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": userAgent },
      body: JSON.stringify({ parts: [{ type: "text", text: "hello" }] }),
    });
    const { parts } = (await response.json()) as MessageWithParts;
    return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  };
  return { client, listener, session, ask };
}

test("OpenCode's interface gets a question before the agent starts, and its yes is trust", async (t) => {
  const { client, listener, ask } = await seat(t);
  const answer = ask(TUI);
  const asked = await listener.until(({ type }) => type === "question.asked", "a question");
  const { id, questions } = asked.properties as { id: string; questions: { question: string; options: object[] }[] };
  assert.match(questions[0]?.question ?? "", /brings settings .*\.claude\/settings\.json \(hooks\.Stop\)/);
  const body = { answers: [["Trust this project"]] };
  await client.expect(200, "POST", `/question/${id}/reply`, { body });
  assert.match(await answer, /^started with (?!.*--setting-sources)/);
});

test("a program that uses the SDK is not asked: what is left out is a toast", async (t) => {
  const { listener, ask } = await seat(t);
  assert.match(await ask("node"), /--setting-sources user/);
  const toast = await listener.until(({ type }) => type === "tui.toast.show", "a toast");
  assert.match(JSON.stringify(toast.properties), /not trusted: \.claude\/settings\.json \(hooks\.Stop\)/);
  assert.ok(!listener.heard.some(({ type }) => type === "question.asked"));
});

test("OpenCode's run, whose sessions forbid questions, does not hang", async (t) => {
  const { ask } = await seat(t, { permission: [{ permission: "question", pattern: "*", action: "deny" }] });
  assert.match(await ask(TUI), /--setting-sources user/);
});

test("a project's command that runs something is refused with a reason", async (t) => {
  const { client, session } = await seat(t);
  const { directory } = await client.get<Session>(`/session/${session}`);
  await files(directory, { ".opencode/command/go.md": "Go !`touch ran`" });
  const body = { command: "go", arguments: "" };
  const answer = await client.expect<unknown>(403, "POST", `/session/${session}/command`, { body });
  assert.match(JSON.stringify(answer), /runs shell commands of the project.*parley trust/);
});
