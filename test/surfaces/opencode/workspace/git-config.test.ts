import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import type { GitSetting } from "../../../../src/core/git-settings.ts";
import { formatText, harmless, settingsIn } from "../../../../src/host/git/config.ts";
import { temporary } from "../../../support/server.ts";

const rows: [name: string, text: string, settings: GitSetting[]][] = [
  ["sections and keys in any case", "[Core]\n\tAutoCRLF = input\n", [["core.autocrlf", "input"]]],
  ["a key beside its section", "[core] eol = lf\n", [["core.eol", "lf"]]],
  ["a key without a value", "[core]\nfilemode\n", [["core.filemode", "true"]]],
  ["comments", "; a\n[core] # b\neol = lf ; c\n# eol = crlf\n", [["core.eol", "lf"]]],
  ["quotes keep spaces and comment signs", '[core]\neol = " a # b "  # c\n', [["core.eol", " a # b "]]],
  ["escapes", '[core]\neol = a\\"b\\\\c\\td\n', [["core.eol", 'a"b\\c\td']]],
  ["a line that goes on", "[core]\neol = one \\\n two\n", [["core.eol", "one  two"]]],
  ["windows line ends", "[core]\r\n\teol = lf\r\n", [["core.eol", "lf"]]],
  [
    "the last of two is last",
    "[core]\neol = lf\neol = crlf\n",
    [
      ["core.eol", "lf"],
      ["core.eol", "crlf"],
    ],
  ],
  ["a section with a name", '[filter "a \\"b"]\nclean = x\n', [['filter.a "b.clean', "x"]]],
];

test("a configuration is read as git reads it", async (t) => {
  const file = join(await temporary(t), "config");
  for (const [name, text, expected] of rows) {
    assert.deepEqual(settingsIn(text), expected, name);
    writeFileSync(file, text);
    const listed = execFileSync("git", ["config", "--file", file, "--list", "-z"], { encoding: "utf8" });
    const byGit = listed.split("\0").flatMap((one) => (one === "" ? [] : [one.includes("\n") ? one : `${one}\ntrue`]));
    assert.deepEqual(
      byGit,
      expected.map(([key, value]) => `${key}\n${value}`),
      `${name}, by git`,
    );
  }
});

test("only known settings and a plain format come out of any configuration", () => {
  const dangerous =
    /fsmonitor|hooks|filter|diff|ssh|pager|editor|include|remote|credential|gpg|alias|protocol|worktree|partial/i;
  const word = fc.constantFrom(
    "core",
    "fsmonitor",
    "filter",
    "clean",
    "[",
    "]",
    '"',
    "=",
    "\\",
    "\n",
    " ",
    "#",
    "include",
    "path",
    "extensions",
    "objectformat",
    "sha256",
    "worktree",
    "eol",
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 60 }), (words) => {
      const settings = settingsIn(words.join(""));
      for (const [name] of harmless(settings)) assert.doesNotMatch(name, dangerous);
      assert.match(
        formatText(settings),
        /^\[core\]\n\trepositoryformatversion = [01]\n(\[extensions\]\n(\t(objectformat|refstorage) = [\w-]+\n)+)?$/,
      );
    }),
  );
});
