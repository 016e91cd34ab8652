import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { trustConfig } from "../../../src/agents/codex/trust.ts";

function place(t: TestContext): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "parley-codex-trust-")));
  t.after(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "repository", "inner", "deep"), { recursive: true });
  mkdirSync(join(root, "repository", ".git"));
  mkdirSync(join(root, ".git"));
  writeFileSync(join(root, "repository", ".git", "HEAD"), "ref: refs/heads/main\n");
  return root;
}

const levels = (config: ReturnType<typeof trustConfig>) =>
  Object.entries(config.projects as Record<string, { trust_level: string }>).map(([path, { trust_level: level }]) => [
    path,
    level,
  ]);

test("a directory that is not trusted is named with all above it: the program takes settings from there, too", (t) => {
  const root = place(t);
  const directory = join(root, "repository", "inner");
  const named = levels(trustConfig(directory, false));
  assert.deepEqual(named.slice(0, 3), [
    [directory, "untrusted"],
    [dirname(directory), "untrusted"],
    [root, "untrusted"],
  ]);
  assert.deepEqual(named.at(-1), ["/", "untrusted"]);
});

test("a trusted directory is named up to its repository, and alone where there is none", (t) => {
  const root = place(t);
  const deep = join(root, "repository", "inner", "deep");
  assert.deepEqual(levels(trustConfig(deep, true)), [
    [deep, "trusted"],
    [dirname(deep), "trusted"],
    [join(root, "repository"), "trusted"],
  ]);
  assert.deepEqual(levels(trustConfig(root, true)), [[root, "trusted"]]);
});

test("a link is named by its real path", (t) => {
  const root = place(t);
  symlinkSync(join(root, "repository"), join(root, "link"));
  assert.deepEqual(levels(trustConfig(join(root, "link"), true)), [[join(root, "repository"), "trusted"]]);
});
