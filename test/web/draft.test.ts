import assert from "node:assert/strict";
import { test } from "node:test";
import { complete, completingAt, fittingCommands, mentioned, sendingOf } from "../../web/model/draft.ts";
import { shortPath, toolView } from "../../web/model/tool.ts";
import { adviceFor, count, dollars, usageWords } from "../../web/model/words.ts";

const COMMANDS = [
  { name: "review", source: "agent" as const },
  { name: "pre-review", source: "project" as const },
  { name: "init", source: "parley" as const },
];

test("names are offered for a slash at the beginning and for an @ anywhere", () => {
  const cases: [string, [string, string] | undefined][] = [
    ["/re", ["command", "re"]],
    ["/", ["command", ""]],
    ["say /re", undefined],
    ["/review a", undefined],
    ["look at @src/a", ["file", "src/a"]],
    ["@", ["file", ""]],
    ["a@b", undefined],
    ["@a b", undefined],
  ];
  for (const [text, expected] of cases) {
    const found = completingAt(text, text.length);
    assert.deepEqual(found && [found.kind, found.word], expected, text);
  }
});

test("a completed word takes the place of what was typed", () => {
  const text = "see @sr please";
  const found = completingAt(text, 7);
  assert.ok(found);
  assert.deepEqual(complete(text, found, "src/a.ts"), { text: "see @src/a.ts please", cursor: 14 });
  assert.deepEqual(complete("@s", { kind: "file", word: "s", from: 0, to: 2 }, "src/", true), {
    text: "@src/",
    cursor: 5,
  });
});

test("commands that begin with the word come first", () => {
  assert.deepEqual(
    fittingCommands(COMMANDS, "re").map(({ name }) => name),
    ["review", "pre-review"],
  );
});

test("a draft becomes a command, a line of shell, a compaction or a prompt", () => {
  const known = { commands: COMMANDS, compacts: true };
  const draft = (text: string) => ({ text, attachments: [], files: ["a.ts"] });
  assert.deepEqual(sendingOf(draft("  "), known), undefined);
  assert.deepEqual(sendingOf(draft("!ls -l"), known), { kind: "shell", command: "ls -l" });
  assert.deepEqual(sendingOf(draft("/review a b"), known), {
    kind: "command",
    name: "review",
    words: "a b",
    parts: [],
  });
  assert.deepEqual(sendingOf(draft("/compact"), known), { kind: "compact" });
  assert.deepEqual(sendingOf(draft("/unknown x"), known), {
    kind: "prompt",
    parts: [{ type: "text", text: "/unknown x" }],
  });
  assert.deepEqual(sendingOf(draft("see @a.ts"), known), {
    kind: "prompt",
    parts: [
      { type: "text", text: "see @a.ts" },
      { type: "file", path: "a.ts" },
    ],
  });
  const picture = { name: "p.png", mime: "image/png", url: "data:image/png;base64,AA==", size: 1 };
  assert.deepEqual(sendingOf({ text: "", attachments: [picture], files: [] }, known), {
    kind: "prompt",
    parts: [{ type: "file", url: picture.url, mime: "image/png", name: "p.png" }],
  });
  assert.deepEqual(mentioned("@a.ts and @b.ts", ["b.ts", "c.ts"]), ["b.ts"]);
});

test("calls of all agents' tools are told in the same words", () => {
  const cases: [string, unknown, string | undefined, [string, string, string[]]][] = [
    ["Bash", { command: "ls\npwd", description: "List" }, undefined, ["Run", "ls …", ["command"]]],
    ["shell", { command: ["bash", "-lc", "ls"] }, undefined, ["Run", "bash -lc ls", ["command"]]],
    ["Read", { file_path: "/p/src/a.ts", offset: 3 }, undefined, ["Read", "src/a.ts", ["json"]]],
    ["edit", { filePath: "/p/a", oldString: "x", newString: "y" }, undefined, ["Edit", "a", ["change"]]],
    ["write", { path: "b.md", content: "hi" }, undefined, ["Write", "b.md", ["code"]]],
    ["Grep", { pattern: "TODO", path: "src" }, undefined, ["Search", "TODO", []]],
    ["mcp__docs__find", { q: "x", n: 2 }, undefined, ["docs › find", "x", ["json"]]],
    ["Agent", { description: "Look", prompt: "Do it" }, "Look around", ["Sub-agent", "Look around", ["text"]]],
    ["odd", undefined, undefined, ["odd", "", []]],
    ["apply_patch", "*** Begin Patch\n", "a.ts", ["Edit", "a.ts", ["code"]]],
  ];
  for (const [name, input, title, expected] of cases) {
    const view = toolView({ name, input, ...(title ? { title } : {}) }, "/p");
    assert.deepEqual([view.label, view.subject, view.blocks.map(({ kind }) => kind)], expected, name);
  }
  assert.equal(shortPath("/pp/a", "/p"), "/pp/a");
});

test("numbers are short, and what is not known is not said", () => {
  assert.deepEqual([999, 1_000, 12_340, 999_600, 1_250_000].map(count), ["999", "1k", "12.3k", "1M", "1.3M"]);
  assert.deepEqual([0, 0.0012, 1.5].map(dollars), ["$0", "$0.0012", "$1.50"]);
  assert.deepEqual(usageWords({ tokens: { input: 10, cacheRead: 990, output: 5 } }), ["1k in", "5 out"]);
  assert.deepEqual(usageWords({}), []);
  assert.match(adviceFor({ code: "model_auth", message: "" }) ?? "", /Log the agent in/);
  assert.equal(adviceFor({ code: "odd", message: "" }), undefined);
});
