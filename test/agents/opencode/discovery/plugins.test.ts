import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { assertNoPlugins, pluginSettings } from "../../../../src/agents/opencode/discovery/plugins.ts";
import { projectSettings } from "../../../../src/agents/opencode/discovery/project-settings.ts";
import type { ProjectSetting } from "../../../../src/core/trust.ts";
import { SpawnFailed } from "../../../../src/host/contract.ts";
import { temporary } from "../../../support/server.ts";

describe("the settings of a project that bring plugins", () => {
  const cases: [setting: ProjectSetting, keys: string[] | undefined | "none"][] = [
    [{ path: ".opencode/plugin" }, undefined],
    [{ path: ".opencode/plugins" }, undefined],
    [{ path: "/above/.opencode/plugin" }, undefined],
    [
      { path: "opencode.json", keys: ["model", "plugin.evil", "plugin.file:///x"] },
      ["plugin.evil", "plugin.file:///x"],
    ],
    [{ path: ".opencode/opencode.jsonc", keys: ["plugins"] }, ["plugins"]],
    [{ path: "/above/opencode.json", keys: ["references.a", "reference"] }, ["references.a", "reference"]],
    [{ path: "opencode.json" }, undefined],
    [{ path: "opencode.json", keys: ["model", "mcp.db", "pluginless"] }, "none"],
    [{ path: ".opencode/agent" }, "none"],
    [{ path: ".opencode/tool" }, "none"],
    [{ path: "my.opencode/plugin" }, "none"],
    [{ path: "myopencode.json", keys: ["plugin.x"] }, "none"],
    [{ path: "AGENTS.md" }, "none"],
  ];
  for (const [setting, keys] of cases)
    test(JSON.stringify(setting), () => {
      const [found, ...more] = pluginSettings([setting]);
      assert.deepEqual(more, []);
      if (keys === "none") assert.equal(found, undefined);
      else assert.deepEqual(found, { path: setting.path, ...(keys ? { keys } : {}) });
    });
});

describe("a directory that is not trusted", { concurrency: true }, () => {
  const cases: [file: string, text: string, isHarmless: boolean][] = [
    [".opencode/plugin/a.js", "export const A = 1", false],
    [".opencode/plugins/a.ts", "export const A = 1", false],
    ["opencode.json", '{"plugin":["evil"]}', false],
    ["opencode.jsonc", '{ /* a */ "plugin": ["evil"], }', false],
    [".opencode/opencode.json", '{"references":{"a":"https://a"}}', false],
    ["opencode.json", '{"plugin":', false],
    ["opencode.json", '{"plugin":[]}', true],
    ["opencode.json", '{"model":"a/b","note":"plugin"}', true],
    [".opencode/agent/a.md", "An agent", true],
    ["plugin/a.js", "not of the program", true],
  ];
  for (const [file, text, isHarmless] of cases)
    test(`${file} ${text}: ${isHarmless ? "harmless" : "refused"}`, async (t) => {
      const directory = await temporary({ after: (close) => t.after(close) });
      mkdirSync(join(directory, ".git"));
      const [above, below] = [join(directory, file), join(directory, "sub")];
      for (const folder of [dirname(above), below]) mkdirSync(folder, { recursive: true });
      writeFileSync(above, text);
      for (const place of [directory, below]) {
        const settings = await projectSettings(place, "/nowhere");
        const check = (): void => assertNoPlugins(place, settings);
        if (isHarmless) check();
        else assert.throws(check, (error) => error instanceof SpawnFailed && error.message.includes("trust"));
      }
    });
});
