import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { assertNoPlugins } from "../../../../src/agents/opencode/discovery/plugins.ts";
import { reachablePlugins, reachableSettings } from "../../../../src/agents/opencode/discovery/project-settings.ts";
import type { ProjectSetting } from "../../../../src/core/trust.ts";

/** A directory of files and folders; the name of a folder ends with a slash. */
function laid(t: TestContext, files: Readonly<Record<string, string>>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "parley-harmless-")));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(path.endsWith("/") ? join(root, path) : dirname(join(root, path)), { recursive: true });
    if (!path.endsWith("/")) writeFileSync(join(root, path), text);
  }
  return root;
}

const refusalOf = (directory: string, settings: readonly ProjectSetting[]): string => {
  try {
    assertNoPlugins(directory, settings);
    return "";
  } catch (error) {
    return String(error);
  }
};

/** The refusal of a prompt, which a look at all settings would give, too. */
const refusal = async (directory: string, home?: string): Promise<string> => {
  const refused = refusalOf(directory, await reachablePlugins(directory, home));
  assert.equal(refused, refusalOf(directory, await reachableSettings(directory, home)));
  return refused;
};

const DEEP = Array.from({ length: 45 }, () => "a").join("/");

for (const [name, place, files] of [
  ["an empty .git", "sub", { "sub/.git/": "" }],
  ["a .git that leads nowhere", "sub", { "sub/.git": "gitdir: /nonexistent\n" }],
  [
    "a repository of another directory",
    "sub",
    { "sub/.git/HEAD": "ref: refs/heads/main\n", "sub/.git/config": "[core]\nworktree = ../..\n" },
  ],
  ["very many directories", DEEP, { [`${DEEP}/`]: "" }],
] as const) {
  test(`plugins above ${name} are found`, async (t) => {
    for (const [path, text] of [
      [".opencode/plugin/evil.js", ""],
      ["opencode.json", '{"plugin":["./evil.js"]}'],
    ] as const) {
      const root = laid(t, { ...files, [path]: text });
      assert.match(await refusal(join(root, place)), /would run plugins of a directory that is not trusted/);
    }
  });
}

test("plugins of the user's home are the user's, by any name of it; those of a repository within are not", async (t) => {
  const root = laid(t, { "home/.opencode/plugin/own.js": "", "home/work/.git/": "", "home/work/README.md": "" });
  symlinkSync(join(root, "home"), join(root, "link"));
  assert.equal(await refusal(join(root, "home", "work"), join(root, "home")), "");
  assert.equal(await refusal(join(root, "home", "work"), join(root, "link")), "");
  assert.equal(await refusal(join(root, "home"), join(root, "home")), "");
  writeFileSync(join(root, "home", "work", "opencode.jsonc"), '{ /* x */ "plugin": ["./evil.js",], }');
  assert.match(await refusal(join(root, "home", "work"), join(root, "home")), /opencode\.jsonc/);
});
