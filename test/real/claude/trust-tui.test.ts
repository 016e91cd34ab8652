import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { HostileProject, hostileScript } from "../../agents/claude/hostile-project.ts";
import { Stage } from "../../agents/claude/stage.ts";
import { startTui } from "../../support/opencode/clients.ts";
import { Surroundings } from "../../support/opencode/surroundings.ts";
import { realAgent } from "../../support/real-agent.ts";
import { temporary } from "../../support/server.ts";
import { GROUP_MS, long, PATIENCE_MS } from "../../support/time.ts";

const claude = await realAgent("claude");
const opencode = await realAgent("opencode");

describe("a hostile project in OpenCode's real interface, with the real Claude Code", { timeout: GROUP_MS }, () => {
  test("is asked about before anything of it runs", { skip: claude.skip || opencode.skip || long.skip }, async (t) => {
    const root = await temporary(t, "parley-hostile-");
    const file = join(root, "config", "trusted");
    const markers = join(root, "markers");
    const stage = await Stage.open(t, claude.program ?? "", {
      script: hostileScript(markers),
      env: { IS_SANDBOX: "1" },
      server: { trust: { file, configured: [] } },
    });
    const project = new HostileProject(join(stage.directory, "cloned"), markers);
    const surroundings = new Surroundings();
    t.after(() => surroundings[Symbol.dispose]());
    const { directory } = project;
    const tui = startTui({
      program: opencode.program ?? "",
      surroundings,
      url: stage.api.url,
      password: "x",
      directory,
    });
    t.after(() => tui.close());
    await tui.waitFor("Ask anything", PATIENCE_MS);
    tui.type("hello there");
    await tui.waitFor("hello there");
    tui.press("enter");
    await tui.waitFor("Trust this project", PATIENCE_MS);
    assert.match(tui.screen(), /brings settings that can run/);
    assert.deepEqual(project.ran(), []);
    tui.press("down");
    tui.press("enter");
    await tui.waitFor("Yes.", PATIENCE_MS);
    assert.equal(readFileSync(file, "utf8"), `${directory}\n`);
    assert.ok(project.ran().includes("hook-SessionStart"));
  });
});
