import assert from "node:assert/strict";
import { test } from "node:test";
import {
  defaultDataDir,
  expandPath,
  projectDirectories,
  projectOf,
  userConfigFile,
} from "../../../src/cli/config/paths.ts";

test("the XDG directories are used where they are absolute", () => {
  const env = { XDG_CONFIG_HOME: "/x/config", XDG_DATA_HOME: "/x/data" };
  assert.equal(userConfigFile(env, "/home/me"), "/x/config/parley/config.jsonc");
  assert.equal(defaultDataDir(env, "/home/me"), "/x/data/parley");
});

test("a relative or missing XDG directory falls back to the home", () => {
  assert.equal(userConfigFile({ XDG_CONFIG_HOME: "config" }, "/home/me"), "/home/me/.config/parley/config.jsonc");
  assert.equal(defaultDataDir({}, "/home/me"), "/home/me/.local/share/parley");
});

const searches: [what: string, start: string, git: string[], found: string[]][] = [
  ["up to the git root", "/home/me/repo/src", ["/home/me/repo"], ["/home/me/repo/src", "/home/me/repo"]],
  ["the git root itself", "/home/me/repo", ["/home/me/repo"], ["/home/me/repo"]],
  [
    "not above a repository, even one that is trusted",
    "/srv/repo/a",
    ["/srv/repo", "/srv"],
    ["/srv/repo/a", "/srv/repo"],
  ],
  ["up to the home", "/home/me/a/b", [], ["/home/me/a/b", "/home/me/a", "/home/me"]],
  ["nowhere else than here outside of both", "/tmp/x/y", [], ["/tmp/x/y"]],
  ["the root of the disk", "/", [], ["/"]],
];

for (const [what, start, git, found] of searches) {
  test(`the project is looked for: ${what}`, () => {
    const directories = projectDirectories(start, "/home/me", (directory) => git.includes(directory));
    assert.deepEqual(directories, found);
  });
}

test("both files speak for the directory of the project", () => {
  assert.equal(projectOf("/repo/parley.jsonc"), "/repo");
  assert.equal(projectOf("/repo/.parley/config.jsonc"), "/repo");
});

test("paths are meant as people write them", () => {
  assert.equal(expandPath("~/x", "/home/me", "/etc"), "/home/me/x");
  assert.equal(expandPath("~", "/home/me", "/etc"), "/home/me");
  assert.equal(expandPath("./x", "/home/me", "/etc"), "/etc/x");
  assert.equal(expandPath("/x", "/home/me", "/etc"), "/x");
  assert.equal(expandPath("~other/x", "/home/me", "/etc"), "/etc/~other/x");
});
