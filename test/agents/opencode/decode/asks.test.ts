import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { permissionOf } from "../../../../src/agents/opencode/decode/asks.ts";
import { newPart } from "../../../../src/agents/opencode/decode/state.ts";
import type { Fields } from "../../../../src/core/json/fields.ts";

function asked(request: Fields, input?: Fields): ReturnType<typeof permissionOf> {
  const part = { ...newPart("prt_1", "tool", false), call: "call_1", tool: "bash", ...(input ? { input } : {}) };
  return permissionOf({ id: "per_1", ...request }, input && part, "/work");
}

describe("the line of a command that the program asks for", () => {
  const bash = { permission: "bash", patterns: ["rm a"], metadata: { command: "rm a" } };
  const cases: [what: string, input: Fields | undefined, line: string][] = [
    ["is that of its call", { command: "rm a; ls" }, "rm a; ls"],
    ["is that of the ask where the call is not known", undefined, "rm a"],
    ["goes to its place first", { command: "rm a", workdir: "sub" }, "cd /work/sub && rm a"],
    ["begins in the session's directory", { command: "rm a", workdir: "/work/" }, "rm a"],
    ["begins elsewhere", { command: "rm a", workdir: "/etc" }, "cd /etc && rm a"],
  ];
  for (const [what, input, line] of cases)
    test(what, () => {
      const { command, patterns } = asked(bash, input);
      assert.equal(command, line);
      assert.equal(patterns, undefined);
    });
});

describe("the paths that the program asks for", () => {
  const cases: [what: string, request: Fields, input: Fields | undefined, patterns: string[]][] = [
    [
      "are from the session's directory",
      { permission: "edit", patterns: ["pkg/a.ts"], metadata: { filepath: "/work/a.ts" } },
      undefined,
      ["a.ts"],
    ],
    [
      "are those of the call",
      { permission: "read", patterns: ["x"], metadata: {} },
      { filePath: "/etc/x" },
      ["/etc/x"],
    ],
    [
      "are all files of a patch",
      {
        permission: "edit",
        patterns: ["a", "b"],
        metadata: { filepath: "a, b", files: [{ filePath: "/work/a" }, { filePath: "/work/b", movePath: "/work/c" }] },
      },
      undefined,
      ["a", "b", "c"],
    ],
    [
      "are its patterns where nothing is known",
      { permission: "edit", patterns: ["a*"], metadata: {} },
      undefined,
      ["a%2A"],
    ],
    ["are as they are for others", { permission: "webfetch", patterns: ["https://a"] }, undefined, ["https://a"]],
  ];
  for (const [what, request, input, patterns] of cases)
    test(what, () => assert.deepEqual(asked(request, input).patterns, patterns));

  test("are none for a request of an unknown kind", () => {
    const { action, patterns, title } = asked({});
    assert.deepEqual({ action, patterns, title }, { action: "permission", patterns: [], title: "permission" });
  });
});
