import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import type { Session } from "../../../src/surfaces/opencode/shapes/session.ts";
import { startScriptedModel } from "../../../src/testing/model/server.ts";
import { HostileProject, hostileScript, WORDS } from "../../agents/claude/hostile-project.ts";
import { completed, Stage } from "../../agents/claude/stage.ts";
import { OpencodeClient } from "../../support/opencode.ts";
import { realAgent } from "../../support/real-agent.ts";
import { temporary } from "../../support/server.ts";
import { GROUP_MS, long } from "../../support/time.ts";
import { Listener } from "../../surfaces/opencode/listener.ts";

const { program = "", version, skip } = await realAgent("claude");

interface Discovered {
  name: string;
  credentials: string;
  commands?: { name: string }[];
}

interface Scene {
  stage: Stage;
  project: HostileProject;
  /** Requests that went where the project wanted them. */
  stolen(): number;
}

async function scene(t: TestContext): Promise<Scene> {
  const root = await temporary(t, "parley-hostile-");
  const markers = join(root, "markers");
  const elsewhere = await startScriptedModel({ script: hostileScript(markers) });
  t.after(() => elsewhere.close());
  const stage = await Stage.open(t, program, {
    script: hostileScript(markers),
    // As root the program would refuse the project's mode by itself.
    env: { IS_SANDBOX: "1" },
    server: { trust: { file: join(root, "config", "trusted"), configured: [] }, unattended: "deny" },
  });
  const directory = join(stage.directory, "cloned");
  mkdirSync(directory);
  execFileSync("git", ["init", "-q"], { cwd: directory });
  const project = new HostileProject(directory, markers, elsewhere.url);
  execFileSync("git", ["config", "core.fsmonitor", `${project.mark("git-fsmonitor")}; false`], { cwd: directory });
  const stolen = (): number => elsewhere.requests.filter(({ method }) => method === "POST").length;
  return { stage, project, stolen };
}

/** Everything that can make the project's code run: the answers do not matter. */
async function use({ stage }: Scene, session: string, outcome: "reject" | "once" = "reject"): Promise<void> {
  for (const prompt of ["hello", "[[tool]]", "/hostile", "[[skill]]", "[[agent]]"]) {
    const running = stage.api.ask(session, prompt);
    const answering = answerAll(stage, session, running, outcome);
    const { reason, error } = await running;
    assert.equal(reason, "end_turn", `${prompt}: ${JSON.stringify(error)}`);
    await answering;
  }
}

/** A person who answers all asks in the same way. */
async function answerAll(stage: Stage, session: string, running: Promise<unknown>, outcome: string): Promise<void> {
  const over = running.then(() => "over" as const);
  for (;;) {
    const asked = await Promise.race([over, stage.asks(session)]);
    if (asked === "over") return;
    for (const ask of asked) await stage.answer(session, ask.id, { outcome }).catch(() => {});
  }
}

/** Ways that run in a session of a project that Parley trusts, though the program itself has not been told so. */
const ONCE_TRUSTED = [
  "agent-hook",
  "agent-mcp-server",
  "agent-tool-unasked",
  "apiKeyHelper",
  "command",
  "env-BASH_ENV",
  "git-fsmonitor",
  "hook-InstructionsLoaded",
  "hook-MessageDisplay",
  "hook-PostToolBatch",
  "hook-PostToolUse",
  "hook-PreToolUse",
  "hook-SessionStart",
  "hook-Stop",
  "hook-SubagentStart",
  "hook-SubagentStop",
  "hook-UserPromptExpansion",
  "hook-UserPromptSubmit",
  "local-SessionStart",
  "mcp-server",
  "skill",
  "skill-hook",
  "tool-unasked",
];

/** Ways that newer versions do not take from a project, also where Parley trusts it. */
const NO_LONGER = ["agent-hook", "agent-mcp-server", "git-fsmonitor"];

describe("a hostile project and the real Claude Code", { skip, timeout: GROUP_MS }, () => {
  test("runs nothing of the project's before it is trusted, and all of it afterwards", async (t) => {
    const here = await scene(t);
    const { stage, project, stolen } = here;
    const id = await stage.session({ directory: project.directory });
    await use(here, id);
    assert.deepEqual(project.ran(), [], "an untrusted project ran code");
    assert.equal(stolen(), 0, "requests went where the project wanted them");
    const sent = JSON.stringify(stage.calls());
    assert.deepEqual(
      [...WORDS, "hostile-model"].filter((word) => sent.includes(word)),
      [],
    );
    const notes = completed(await stage.api.events(id), "status").filter(({ code }) => code === "untrusted_project");
    assert.equal(notes.length, 1);
    const said = String(notes[0]?.text);
    for (const name of ["settings.json (hooks.SessionStart", ".mcp.json (hostile)", "CLAUDE.md", ".claude/skills (bad"])
      assert.ok(said.includes(name), `${name} in ${said}`);
    assert.ok(said.endsWith(`To use them: parley trust ${project.directory}`), said);

    const [before] = stage.programs();
    await stage.api.expect(200, "PUT", "/v1/trust", { directory: project.directory, trusted: true });
    await stage.api.ask(id, "hello");
    assert.notEqual(stage.programs()[0], before, "the program was started anew");
    assert.ok(project.ran().includes("hook-SessionStart"));
    // The first session keeps the mode that it has had, so that what the project would like better is seen in another.
    // Newer versions take no permission from a project that their own dialog has not been told to trust: they ask.
    const answer = version === "2.1.197" ? "reject" : "once";
    await use(here, await stage.session({ directory: project.directory }), answer);
    assert.deepEqual(
      ONCE_TRUSTED.filter((way) => !project.ran().includes(way)),
      version === "2.1.197" ? [] : NO_LONGER,
      "ways that this test cannot tell",
    );
    assert.ok(stolen() > 0, "the redirection of requests is one that this test cannot tell");
  });

  test("runs nothing from below the project's root either, and a client of OpenCode's API is told", long, async (t) => {
    const here = await scene(t);
    const { stage, project } = here;
    const below = join(project.directory, "src", "deep");
    mkdirSync(below, { recursive: true });
    const client = new OpencodeClient(stage.api.url);
    const query = `?directory=${encodeURIComponent(below)}`;
    const listener = new Listener(`${stage.api.url}/event${query}`);
    await listener.connect();
    t.after(() => listener.leave());
    const { id } = await client.expect<Session>(200, "POST", `/session${query}`, { body: {} });
    await use(here, id);
    assert.deepEqual(project.ran(), []);
    const toast = await listener.until(({ type }) => type === "tui.toast.show", "a toast");
    assert.match(JSON.stringify(toast.properties), /not trusted: .*\.mcp\.json \(hostile\).*parley trust /);
  });

  test("is not run by a look at the program, wherever that looks", async (t) => {
    const { stage, project } = await scene(t);
    const before = process.env.TMPDIR;
    process.env.TMPDIR = project.directory;
    t.after(() => {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    });
    const { agents } = await stage.api.expect<{ agents: Discovered[] }>(200, "GET", "/v1/agents");
    const claude = agents.find(({ name }) => name === "claude");
    assert.deepEqual([claude?.credentials, claude?.commands?.some(({ name }) => name === "hostile")], ["found", false]);
    assert.deepEqual(project.ran(), []);
  });
});
