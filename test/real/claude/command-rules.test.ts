import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { of, Stage } from "../../agents/claude/stage.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, long } from "../../support/time.ts";

const { program = "", skip } = await realAgent("claude");

const bash = (command: string) => ({ name: "Bash", input: { command, description: "a command" } });
const script = (lines: readonly string[]) => ({
  prompts: Object.fromEntries(lines.map((line, at) => [`line${at}`, [{ tools: [bash(line)] }, { text: "Done." }]])),
});

describe("rules for the real Claude Code", { skip, timeout: GROUP_MS }, () => {
  test("an allowed command allows nothing that stands in the same line", async (t) => {
    const lines = [
      "mkdir -p sub; touch made",
      "mkdir -p sub && touch made",
      "mkdir -p sub | touch made",
      "mkdir -p $(touch made)",
      "mkdir -p sub\ntouch made",
      "mkdir -p sub > made",
      "A=1 touch made",
      "mkdir -p sub",
    ];
    const stage = await Stage.open(t, program, { script: script(lines) });
    const id = await stage.session({
      permissions: [
        { action: "*", pattern: "*", verdict: "deny" },
        { action: "bash", pattern: "mkdir *", verdict: "allow" },
      ],
    });
    for (const at of lines.keys()) await stage.api.ask(id, `[[line${at}]]`);
    assert.equal(existsSync(join(stage.directory, "made")), false);
    assert.equal(existsSync(join(stage.directory, "sub")), true);
    const resolved = of(await stage.api.events(id), "permission.resolved").map(({ data }) => [data.outcome, data.by]);
    assert.deepEqual(resolved.at(-1), ["once", "rule"]);
    assert.ok(resolved.slice(0, -1).every(([outcome, by]) => outcome === "reject" && by === "rule"));
    await stage.close(lines.length);
  });

  test("a denial of arguments binds, and so does one of a file, however it is written", async (t) => {
    const lines = ["npm run deploy prod", "npm  run deploy 'prod' -- --now", "npm run deploy staging"];
    const write = (path: string) => ({ name: "Write", input: { file_path: path, content: "x\n" } });
    const prompts = script(lines).prompts;
    const stage = await Stage.open(t, program, {
      script: { prompts: { ...prompts, file: [{ tools: [write("./sub/../.env")] }, { text: "Done." }] } },
    });
    const deployed = `node -e "require('node:fs').writeFileSync(process.argv[1], '')"`;
    writeFileSync(join(stage.directory, "package.json"), JSON.stringify({ scripts: { deploy: deployed } }));
    const id = await stage.session({
      permissions: [
        { action: "*", pattern: "*", verdict: "allow" },
        { action: "bash", pattern: "npm run deploy prod*", verdict: "deny" },
        { action: "edit", pattern: ".env", verdict: "deny" },
      ],
    });
    for (const name of ["line0", "line1", "file", "line2"]) await stage.api.ask(id, `[[${name}]]`);
    const resolved = of(await stage.api.events(id), "permission.resolved").map(({ data }) => [data.outcome, data.by]);
    assert.deepEqual(resolved, [
      ["reject", "rule"],
      ["reject", "rule"],
      ["reject", "rule"],
      ["once", "rule"],
    ]);
    assert.deepEqual(
      ["prod", "staging", ".env"].map((name) => existsSync(join(stage.directory, name))),
      [false, true, false],
    );
    await stage.close(4);
  });

  test("a command that changed the directory does not move the files of the next one", long, async (t) => {
    const steps = ["mkdir -p sub && cd sub", "mkdir -p a > .env", "mkdir -p a > ../.env"].map((line) => ({
      tools: [bash(line)],
    }));
    const stage = await Stage.open(t, program, { script: { prompts: { go: [...steps, { text: "Done." }] } } });
    const id = await stage.session({
      permissions: [
        { action: "*", pattern: "*", verdict: "allow" },
        { action: "edit", pattern: ".env", verdict: "deny" },
      ],
    });
    assert.equal((await stage.api.ask(id, "[[go]]")).text, "Done.");
    assert.equal(existsSync(join(stage.directory, ".env")), false);
    assert.equal(existsSync(join(stage.directory, "sub", ".env")), false);
    await stage.close(1);
  });
});
