import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { wantsOf } from "../../../../src/agents/opencode/gate/wants.ts";
import type { Fields } from "../../../../src/core/json/fields.ts";

const wants = (tool: string, input: Fields): ReturnType<typeof wantsOf> =>
  wantsOf({ session: "ses_1", call: "call_1", tool, input }, "/work");

const PATCH =
  "*** Begin Patch\n*** Add File: new.txt\n+a\n*** Update File: /else/b.txt\n*** Move to: c.txt\n*** End Patch";

describe("the permissions that rules are held against before a call", () => {
  const cases: [tool: string, input: Fields, expected: [action: string, patterns: string[]][]][] = [
    ["edit", { filePath: "/work/src/a.ts" }, [["edit", ["src/a.ts"]]]],
    ["write", { filePath: "src/../b.ts" }, [["edit", ["b.ts"]]]],
    ["multiedit", { filePath: "/work/a*.ts" }, [["edit", ["a%2A.ts"]]]],
    [
      "write",
      { filePath: "/etc/hosts" },
      [
        ["external_directory", ["/etc/%2A"]],
        ["edit", ["/etc/hosts"]],
      ],
    ],
    [
      "write",
      { filePath: "../near/x" },
      [
        ["external_directory", ["/near/%2A"]],
        ["edit", ["/near/x"]],
      ],
    ],
    [
      "write",
      { filePath: "/working/x" },
      [
        ["external_directory", ["/working/%2A"]],
        ["edit", ["/working/x"]],
      ],
    ],
    ["write", {}, [["edit", []]]],
    ["read", { filePath: "/work/.env" }, [["read", [".env"]]]],
    ["read", { filePath: "/work" }, [["read", ["."]]]],
    [
      "read",
      { filePath: "/etc/passwd" },
      [
        ["external_directory", ["/etc/%2A"]],
        ["read", ["/etc/passwd"]],
      ],
    ],
    ["list", {}, [["list", ["."]]]],
    ["list", { path: "src" }, [["list", ["src"]]]],
    [
      "apply_patch",
      { patchText: PATCH },
      [
        ["external_directory", ["/else/%2A"]],
        ["edit", ["new.txt", "/else/b.txt", "c.txt"]],
      ],
    ],
    [
      "patch",
      { patch: PATCH },
      [
        ["external_directory", ["/else/%2A"]],
        ["edit", ["new.txt", "/else/b.txt", "c.txt"]],
      ],
    ],
    ["webfetch", { url: "https://a.example/*" }, [["webfetch", ["https://a.example/%2A"]]]],
    ["websearch", { query: "cats" }, [["websearch", ["cats"]]]],
    ["codesearch", { query: "cats" }, [["codesearch", ["cats"]]]],
    ["task", { subagent_type: "general", prompt: "x" }, [["task", ["general"]]]],
    ["skill", { name: "deploy" }, [["skill", ["deploy"]]]],
    ["glob", { pattern: "**/*.ts" }, [["glob", ["%2A%2A/%2A.ts"]]]],
    ["grep", { pattern: "x", path: "src" }, [["grep", ["x"]]]],
    ["todowrite", { todos: [] }, [["todowrite", []]]],
    ["my_srv_add-up", { a: 1 }, [["my_srv_add-up", []]]],
    ["constructor", { a: 1 }, [["constructor", []]]],
    ["question", { questions: [] }, [["question", []]]],
    ["plan_enter", {}, [["plan_enter", []]]],
    ["plan_exit", {}, [["plan_exit", []]]],
    ["invalid", { tool: "x" }, []],
  ];
  for (const [tool, input, expected] of cases)
    test(`${tool} ${JSON.stringify(input).slice(0, 60)}`, () => {
      const found = wants(tool, input);
      assert.deepEqual(
        found.map(({ action, patterns }) => [action, patterns]),
        expected,
      );
      for (const one of found) {
        assert.deepEqual(one.input, input);
        assert.deepEqual(one.metadata, { tool });
        assert.ok(one.title);
      }
    });

  const lines: [input: Fields, line: string][] = [
    [{ command: "git status" }, "git status"],
    [{ command: "rm a", workdir: "/work" }, "rm a"],
    [{ command: "rm a", workdir: "." }, "rm a"],
    [{ command: "rm a", workdir: "sub" }, "cd /work/sub && rm a"],
    [{ command: "rm a", workdir: "/etc" }, "cd /etc && rm a"],
    [{ command: "> f" }, "> f"],
    [{}, ""],
  ];
  for (const [input, line] of lines)
    test(`bash ${JSON.stringify(input)}`, () => {
      const [found, ...more] = wants("bash", input);
      assert.deepEqual(more, []);
      assert.equal(found?.action, "bash");
      assert.equal(found?.command, line);
      assert.ok((found?.patterns?.length ?? 0) > 0);
    });
});
