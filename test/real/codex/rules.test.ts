import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { PermissionRule } from "../../../src/core/events/values.ts";
import type { Script } from "../../../src/testing/model/script.ts";
import { completed, of, Stage } from "../../agents/codex/stage.ts";
import { run, write } from "../../agents/codex/tools.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, long } from "../../support/time.ts";

const { program = "", skip } = await realAgent("codex");

const said = [{ text: "It said: {{last_tool_result}}" }];
const PATCH = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: .env\n+x\n*** End Patch\nEOF";
/** A header behind blanks, in a directory that the line goes to first. */
const ELSEWHERE = PATCH.replace("apply_patch", "cd sub && apply_patch").replace("*** Add", "  *** Add");
const SCRIPT: Script = {
  prompts: {
    cat: [{ tools: [run("cat .secret")] }, ...said],
    both: [{ tools: [run("true; cat .secret")] }, ...said],
    patch: [{ tools: [write(".env", "x")] }, ...said],
    heredoc: [{ tools: [run(PATCH)] }, ...said],
    elsewhere: [{ tools: [run(ELSEWHERE)] }, ...said],
    made: [{ tools: [run("touch made")] }, ...said],
    picture: [{ tools: [{ name: "view_image", input: { path: "dot.png" } }] }, ...said],
    code: [{ tools: [{ name: "exec", input: `text(await tools.exec_command({cmd: "cat .secret"}))` }] }, ...said],
  },
};
const SECRET = "SECRET=yes";
const DENY: PermissionRule[] = [
  { action: "bash", pattern: "cat .secret*", verdict: "deny" },
  { action: "edit", pattern: ".env", verdict: "deny" },
  { action: "edit", pattern: "sub/.env", verdict: "deny" },
  { action: "read", pattern: "*.png", verdict: "deny" },
];
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

type Asked = Parameters<typeof Stage.open>[0];

async function open(t: Asked, more: Partial<Parameters<typeof Stage.open>[2]> = {}): Promise<Stage> {
  const stage = await Stage.open(t, program, { script: SCRIPT, ...more });
  writeFileSync(join(stage.directory, ".secret"), `${SECRET}\n`);
  writeFileSync(join(stage.directory, "dot.png"), Buffer.from(PNG, "base64"));
  return stage;
}

describe("rules of a session and what the real Codex does not ask about", { skip, timeout: GROUP_MS }, () => {
  test("in full-access denied commands, files and pictures are refused, in code and in patches too, and the log has it", async (t) => {
    const stage = await open(t);
    const id = await stage.session({ mode: "full-access", permissions: DENY });
    const denied = ["cat", "both", "patch", "heredoc", "elsewhere", "picture"];
    for (const name of denied) {
      const { text, reason } = await stage.api.ask(id, `[[${name}]]`);
      assert.equal(reason, "end_turn");
      assert.match(text, /a rule of this session denies it/, name);
    }
    const code = await stage.session({ mode: "full-access", model: "gpt-6.1-sol", permissions: DENY });
    assert.match((await stage.api.ask(code, "[[code]]")).text, /a rule of this session denies it/);
    assert.ok(!JSON.stringify([stage.stream.events, stage.calls()]).includes(SECRET));
    assert.equal(existsSync(join(stage.directory, ".env")), false);
    const events = await stage.api.events(id);
    const resolved = of(events, "permission.resolved").map(({ data }) => [data.outcome, data.by]);
    assert.deepEqual(
      resolved,
      denied.map(() => ["reject", "rule"]),
    );
    const calls = completed(events, "tool_call").map((item) => [
      item.status,
      (item.error as { code: string } | undefined)?.code,
    ]);
    assert.deepEqual(
      calls,
      denied.map(() => ["failed", "rejected"]),
    );
    const offered = stage.calls().flatMap(({ tools = [] }) => tools.map(({ name, type }) => name ?? type));
    assert.ok(!offered.includes("web_search"), "nobody is told of searches of the model's service");
    await stage.close(denied.length + 1);
  });

  test("rules that come during a turn hold for its next call, and go with the next prompt", async (t) => {
    const stage = await open(t, {
      script: {
        prompts: {
          ...SCRIPT.prompts,
          slow: [{ text: ["one ", { text: "two", hold: "gate" }], tools: [run("cat .secret")] }, ...said],
        },
      },
    });
    const id = await stage.session({ mode: "full-access" });
    assert.match((await stage.api.ask(id, "[[cat]]")).text, /SECRET/);
    const running = stage.api.ask(id, "[[slow]]");
    await stage.model.until(() => stage.model.held.has("gate"));
    await stage.api.expect(200, "PATCH", `/v1/sessions/${id}`, { permissions: DENY });
    stage.model.release("gate");
    assert.match((await running).text, /a rule of this session denies it/);
    await stage.api.expect(200, "PATCH", `/v1/sessions/${id}`, { permissions: [] });
    assert.match((await stage.api.ask(id, "[[cat]]")).text, /SECRET/);
    await stage.close(3);
  });

  test("a rule that has a call asked has it asked once, where the mode asks nothing and where it asks, too", async (t) => {
    const stage = await open(t);
    const permissions: PermissionRule[] = [{ action: "*", pattern: "*", verdict: "ask" }];
    const id = await stage.session({ mode: "full-access", permissions });
    const refused = stage.api.ask(id, "[[made]]");
    const [first] = await stage.asks(id);
    assert.ok(first?.kind === "permission");
    assert.deepEqual([first.request.action, first.request.title], ["bash", "touch made"]);
    await stage.answer(id, first.id, { outcome: "reject", feedback: "not that one" });
    assert.match((await refused).text, /not that one/);
    assert.equal(existsSync(join(stage.directory, "made")), false);
    for (const mode of ["full-access", "ask"]) {
      const running = stage.api.ask(id, { text: "[[made]]", mode });
      const [ask] = await stage.asks(id);
      await stage.answer(id, ask?.id ?? "", { outcome: "once" });
      assert.equal((await running).reason, "end_turn");
    }
    assert.ok(existsSync(join(stage.directory, "made")));
    assert.equal(of(await stage.api.events(id), "permission.requested").length, 3);
    const stopped = stage.api.ask(id, "[[made]]");
    const [last] = await stage.asks(id);
    await stage.answer(id, last?.id ?? "", { outcome: "reject", stop: true });
    assert.equal((await stopped).reason, "end_turn");
    await stage.close(4);
  });

  test("a user's settings that switch hooks off do not switch ours off", long, async (t) => {
    const stage = await open(t, { config: { "features.hooks": false } });
    const id = await stage.session({ mode: "full-access", permissions: DENY });
    assert.match((await stage.api.ask(id, "[[cat]]")).text, /a rule of this session denies it/);
    const settings = readFileSync(join(stage.home, ".codex", "config.toml"), "utf8");
    assert.ok(!settings.includes("projects"), "nothing is written to the user's settings");
    await stage.close(1);
  });

  test("an allowed command allows nothing that stands in the same line", long, async (t) => {
    const lines = ["mkdir -p sub; touch made", "mkdir -p $(touch made)", "mkdir -p sub > made", "mkdir -p sub"];
    const prompts = Object.fromEntries(lines.map((line, at) => [`line${at}`, [{ tools: [run(line)] }, ...said]]));
    const stage = await open(t, { script: { prompts } });
    const id = await stage.session({
      mode: "ask",
      permissions: [
        { action: "*", pattern: "*", verdict: "deny" },
        { action: "bash", pattern: "mkdir *", verdict: "allow" },
      ],
    });
    for (const at of lines.keys()) await stage.api.ask(id, `[[line${at}]]`);
    assert.deepEqual(
      ["made", "sub"].map((name) => existsSync(join(stage.directory, name))),
      [false, true],
    );
    await stage.close(lines.length);
  });
});
