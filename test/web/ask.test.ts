import assert from "node:assert/strict";
import { test } from "node:test";
import type { Ask } from "../../src/client/index.ts";
import { answersOf, noChoice, permissionView, pick, resolutionWords, withUnseen, write } from "../../web/model/ask.ts";

type Permission = Ask & { kind: "permission" };

function permission(request: Partial<Permission["request"]>): Permission {
  const whole = { ask: "ask_1", action: "bash", patterns: [], options: [], ...request };
  return { id: "ask_1", session: "ses_1", kind: "permission", time: 1, request: whole } as unknown as Permission;
}

test("a permission shows the whole of what would be done", () => {
  const cases: [Partial<Permission["request"]>, Partial<ReturnType<typeof permissionView>>][] = [
    [
      { command: "rm -r build", patterns: ["rm *"] },
      { headline: "run a command: rm *", command: "rm -r build" },
    ],
    [
      { command: "make", title: "make" },
      { headline: "run a command", command: "make" },
    ],
    [
      { action: "edit", input: { file_path: "a.ts", old_string: "x\ny", new_string: "z" } },
      { headline: "change a file", diffs: [{ path: "a.ts", diff: "-x\n-y\n+z" }] },
    ],
    [
      { action: "edit", patterns: ["b.ts"], metadata: { diff: "@@ -1 +1 @@" } },
      { headline: "change a file: b.ts", diffs: [{ path: "b.ts", diff: "@@ -1 +1 @@" }] },
    ],
    [
      {
        action: "edit",
        metadata: {
          files: [
            { filePath: "c.ts", patch: "+c" },
            { path: "d.ts", diff: "+d" },
          ],
        },
      },
      {
        diffs: [
          { path: "c.ts", diff: "+c" },
          { path: "d.ts", diff: "+d" },
        ],
      },
    ],
    [
      { action: "mcp__x__y", input: { n: 1 } },
      { headline: "use mcp__x__y", input: '{\n  "n": 1\n}' },
    ],
    [{ command: "ls \u202e#\u202c\r" }, { command: "ls ⟨U+202E⟩#⟨U+202C⟩⟨U+000D⟩" }],
  ];
  for (const [request, expected] of cases) {
    const view = permissionView(permission(request));
    assert.deepEqual({ ...view, ...expected }, view);
  }
});

test("an always says once what it covers, and is there only where it is offered", () => {
  const option = (label?: string) => [{ id: "a", kind: "always" as const, ...(label ? { label } : {}) }];
  const always = (request: Partial<Permission["request"]>) => permissionView(permission(request)).always;
  assert.equal(always({ patterns: ["ls *"] }), undefined);
  assert.deepEqual(always({ options: option(), patterns: ["ls *", "cat *"] }), {
    label: "Always allow",
    covers: "ls *  cat *",
  });
  assert.deepEqual(always({ options: option("Allow ls *"), patterns: ["ls *"] }), { label: "Allow ls *" });
  assert.deepEqual(always({ options: option() }), { label: "Always allow", covers: "all of this kind" });
});

test("characters that nobody sees are named, lines and blanks stay", () => {
  assert.equal(withUnseen("a\n\tb c\u200bd\u0007é😀"), "a\n\tb c⟨U+200B⟩d⟨U+0007⟩é😀");
});

test("questions take one choice or several, or words of one's own", () => {
  const none = [noChoice, noChoice];
  assert.equal(answersOf(none), undefined);
  const one = pick(pick(none, 0, "a", false), 0, "b", false);
  assert.deepEqual(one[0], { picked: ["b"], own: "" });
  assert.deepEqual(pick(one, 0, "b", false)[0], { picked: [], own: "" });
  assert.deepEqual(write(one, 0, "other", false)[0], { picked: [], own: "other" });
  const several = write(pick(pick(one, 1, "c", true), 1, "d", true), 1, " e ", true);
  assert.deepEqual(answersOf(several), [["b"], ["c", "d", "e"]]);
  assert.deepEqual(pick(several, 1, "c", true)[1]?.picked, ["d"]);
  assert.equal(answersOf(write(none, 0, "  ", false)), undefined);
});

test("the end of an ask says what and by whom", () => {
  const cases: [string, string, string][] = [
    ["once", "console", "allowed once by console"],
    ["always", "rule", "always allowed by a rule"],
    ["rejected", "deadline", "rejected by the deadline"],
    ["cancelled", "turn", "taken back by the end of the turn"],
    ["new", "phone", "new by phone"],
  ];
  for (const [outcome, by, words] of cases) assert.equal(resolutionWords({ outcome, by }), words);
});
