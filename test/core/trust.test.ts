import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { coveredBy, shownSettings, tooWide, trustCommand } from "../../src/core/trust.ts";

const paths: [directory: string, trusted: string[], by: string | undefined][] = [
  ["/repo", ["/repo"], "/repo"],
  ["/repo/sub", ["/other", "/repo"], "/repo"],
  ["/repo-evil", ["/repo"], undefined],
  ["/", ["/repo"], undefined],
  ["/repo", [], undefined],
  ["/anything", ["/"], "/"],
];

for (const [directory, trusted, by] of paths) {
  test(`${directory} with trust in [${trusted}]`, () => assert.equal(coveredBy(directory, trusted), by));
}

test("settings are shown with their names, and only so many", () => {
  const settings = [{ path: ".claude/settings.json", keys: ["hooks.Stop", "env.PATH"] }, { path: "CLAUDE.md" }];
  assert.equal(shownSettings(settings), ".claude/settings.json (hooks.Stop, env.PATH), CLAUDE.md");
  const many = Array.from({ length: 15 }, (_, at) => ({ path: `f${at}`, keys: Array.from({ length: 9 }, () => "k") }));
  assert.match(shownSettings(many), /^f0 \(k, k, k, k, k, k, k, k, and 1 more\), f1 .*, and 3 more$/);
});

test("names out of a project's files neither fill a screen nor move a terminal's cursor", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 500 }),
      fc.array(fc.string({ unit: "binary" })),
      (path, keys) => {
        const shown = shownSettings([{ path, keys }]);
        assert.doesNotMatch(shown, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        assert.ok(shown.length < 1_000);
      },
    ),
  );
});

test("the command to type names any directory as one word", () => {
  assert.equal(trustCommand("/home/me/site"), "parley trust /home/me/site");
  assert.equal(trustCommand("/it's; rm -rf"), "parley trust '/it'\\''s; rm -rf'");
});

test("trust in the machine's root, in a home directory or above it is warned of", () => {
  assert.match(tooWide("/", "/home/me") ?? "", /root/);
  assert.match(tooWide("/home/me", "/home/me") ?? "", /home/);
  assert.match(tooWide("/home", "/home/me") ?? "", /home/);
  assert.equal(tooWide("/home/me/site", "/home/me"), undefined);
  assert.equal(tooWide("/home/melissa", "/home/me"), undefined);
});
