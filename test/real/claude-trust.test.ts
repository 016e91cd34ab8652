import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { startScriptedModel } from "../../src/testing/model/server.ts";
import { HostileProject, hostileScript, WORDS } from "../agents/claude/hostile-project.ts";
import { Stage } from "../agents/claude/stage.ts";
import { realAgent } from "../support/real-agent.ts";
import { temporary } from "../support/server.ts";

const { program = "", skip } = await realAgent("claude");

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
async function use({ stage }: Scene, session: string): Promise<void> {
  for (const prompt of ["hello", "[[tool]]", "/hostile", "[[skill]]", "[[agent]]"]) {
    const running = stage.api.ask(session, prompt);
    const answering = answerAll(stage, session, running);
    await running;
    await answering;
  }
}

/** A person who refuses whatever is asked. */
async function answerAll(stage: Stage, session: string, running: Promise<unknown>): Promise<void> {
  const over = running.then(() => "over" as const);
  for (;;) {
    const asked = await Promise.race([over, stage.asks(session)]);
    if (asked === "over") return;
    for (const ask of asked) await stage.answer(session, ask.id, { outcome: "reject" }).catch(() => {});
  }
}

describe("a hostile project and the real Claude Code", { skip, timeout: 240_000 }, () => {
  test("runs nothing of the project's before it is trusted, and all of it afterwards", async (t) => {
    const here = await scene(t);
    const { stage, project, stolen } = here;
    const id = await stage.session({ directory: project.directory });
    await use(here, id);
    assert.deepEqual(project.ran, [], "an untrusted project ran code");
    assert.equal(stolen(), 0, "requests went where the project wanted them");
    const sent = JSON.stringify(stage.calls());
    assert.deepEqual(
      [...WORDS, "hostile-model"].filter((word) => sent.includes(word)),
      [],
    );
  });
});
