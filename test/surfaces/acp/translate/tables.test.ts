import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ContentBlock } from "@agentclientprotocol/sdk/unstable";
import type { EndReason, PromptPart } from "../../../../src/core/events/values.ts";
import { permissionOptions } from "../../../../src/surfaces/acp/asks/permission.ts";
import { answersIn, formOf } from "../../../../src/surfaces/acp/asks/questions.ts";
import { endInGap, turnInGap } from "../../../../src/surfaces/acp/session/gaps.ts";
import { mcpServers, serverNames } from "../../../../src/surfaces/acp/session/new-request.ts";
import { resultContent } from "../../../../src/surfaces/acp/translate/call-content.ts";
import { changeFor, configOptions, type Offer } from "../../../../src/surfaces/acp/translate/config-options.ts";
import { isDue, shownTail } from "../../../../src/surfaces/acp/translate/live-output.ts";
import { locationsOf } from "../../../../src/surfaces/acp/translate/locations.ts";
import { failureOf, stopReason, turnUsage } from "../../../../src/surfaces/acp/translate/outcome.ts";
import { commandIn, promptParts, UnreadableBlock } from "../../../../src/surfaces/acp/translate/prompt-parts.ts";
import { toolKind } from "../../../../src/surfaces/acp/translate/tool-kind.ts";
import type { TurnEnd } from "../../../../src/surfaces/acp/translate/updates.ts";
import { callFields } from "../../../../src/surfaces/acp/v1/shapes.ts";
import { callFields as draftFields } from "../../../../src/surfaces/acp/v2/shapes.ts";

const HERE = "/work/site";

describe("kinds of tools", () => {
  const kinds: [string, string][] = [
    ["bash", "execute"],
    ["Bash", "execute"],
    ["shell", "execute"],
    ["Read", "read"],
    ["apply_patch", "edit"],
    ["MultiEdit", "edit"],
    ["Grep", "search"],
    ["WebFetch", "fetch"],
    ["Task", "think"],
    ["ExitPlanMode", "switch_mode"],
    ["mcp__docs__read", "other"],
    ["constructor", "other"],
  ];
  for (const [name, kind] of kinds) test(`${name} is ${kind}`, () => assert.equal(toolKind(name), kind));
  test("the agent's own word counts", () => {
    assert.equal(toolKind("bash", { kind: "delete" }), "delete");
    assert.equal(toolKind("bash", { kind: "nonsense" }), "execute");
  });
});

describe("parts of a prompt", () => {
  const rows: [string, ContentBlock, PromptPart[]][] = [
    ["text", { type: "text", text: "hi" }, [{ type: "text", text: "hi" }]],
    ["text for the user", { type: "text", text: "hi", annotations: { audience: ["user"] } }, []],
    ["no text", { type: "text", text: "" }, []],
    [
      "a picture",
      { type: "image", data: "AA", mimeType: "image/png", uri: "file:///work/a.png" },
      [{ type: "file", url: "data:image/png;base64,AA", mime: "image/png", name: "a.png" }],
    ],
    [
      "a file of the directory",
      { type: "resource_link", uri: "file:///work/site/a%20b.ts", name: "a b.ts" },
      [{ type: "file", path: "/work/site/a b.ts", name: "a b.ts" }],
    ],
    [
      "a file elsewhere",
      { type: "resource_link", uri: "file:///etc/hosts", name: "hosts" },
      [{ type: "text", text: "/etc/hosts" }],
    ],
    [
      "a file beside the directory",
      { type: "resource_link", uri: "file:///work/site2/x", name: "x" },
      [{ type: "text", text: "/work/site2/x" }],
    ],
    [
      "lines of a file",
      { type: "resource_link", uri: "file:///work/site/a.ts#L3:9", name: "a.ts" },
      [{ type: "text", text: "a.ts (/work/site/a.ts:3-9)" }],
    ],
    [
      "a link of Zed's",
      { type: "resource_link", uri: "zed:///agent/file?path=/work/site/a.ts", name: "a.ts" },
      [{ type: "file", path: "/work/site/a.ts", name: "a.ts" }],
    ],
    [
      "a page",
      { type: "resource_link", uri: "https://example.com/x", name: "Example" },
      [{ type: "text", text: "Example (https://example.com/x)" }],
    ],
    [
      "a file with its text",
      { type: "resource", resource: { uri: "file:///work/site/a.ts#L1", text: "one" } },
      [{ type: "text", text: "[/work/site/a.ts:1]\none" }],
    ],
    [
      "a file with its bytes",
      { type: "resource", resource: { uri: "file:///x/a.pdf", blob: "AA", mimeType: "application/pdf" } },
      [{ type: "file", url: "data:application/pdf;base64,AA", mime: "application/pdf", name: "a.pdf" }],
    ],
  ];
  for (const [name, block, parts] of rows) test(name, () => assert.deepEqual(promptParts(HERE, [block]), parts));
  test("links and resources that become text stand apart from the words beside them", () => {
    const blocks: ContentBlock[] = [
      { type: "text", text: "Compare " },
      { type: "resource_link", uri: "file:///etc/hosts", name: "hosts" },
      { type: "text", text: "and" },
      { type: "resource", resource: { uri: "file:///work/site/a.ts#L1", text: "one" } },
      { type: "resource_link", uri: "https://example.com/x", name: "x" },
      { type: "text", text: "Go " },
      { type: "text", text: "on" },
    ];
    const said = promptParts(HERE, blocks).map((part) => (part.type === "text" ? part.text : ""));
    assert.equal(said.join(""), "Compare /etc/hosts\nand\n[/work/site/a.ts:1]\none\nhttps://example.com/x\nGo on");
  });
  test("pictures and files that are no base64 are refused, an empty file is not", () => {
    const image = (data: string): ContentBlock => ({ type: "image", mimeType: "image/png", data });
    const file = (blob: string): ContentBlock => ({ type: "resource", resource: { uri: "file:///x/a.bin", blob } });
    for (const block of [image("!!!notbase64"), image(""), file("not base64!")])
      assert.throws(() => promptParts(HERE, [block]), UnreadableBlock);
    assert.deepEqual(promptParts(HERE, [image("AA\n==")]), [
      { type: "file", url: "data:image/png;base64,AA==", mime: "image/png" },
    ]);
    assert.equal(promptParts(HERE, [file("")]).length, 1);
  });
  test("audio is refused", () => {
    assert.throws(() => promptParts(HERE, [{ type: "audio", data: "", mimeType: "audio/wav" }]), UnreadableBlock);
    assert.throws(() => promptParts(HERE, [{ type: "_hologram" } as never]), /_hologram/);
  });
  test("slash commands", () => {
    const command = (text: string) => commandIn([{ type: "text", text }]);
    assert.deepEqual(command("/compact"), { name: "compact", rest: "" });
    assert.deepEqual(command("/review  the\nfile"), { name: "review", rest: "the\nfile" });
    assert.equal(command("not /compact"), undefined);
    assert.equal(command("/usr/bin is a directory"), undefined);
  });
});

describe("places", () => {
  const diff = "--- a/b.ts\n+++ b/b.ts\n@@ -1,2 +4,3 @@\n a\n+b\n c\n";
  test("come from the input and from changes, each once, with their lines", () => {
    assert.deepEqual(locationsOf(HERE, { file_path: "a.ts", offset: 7 }, []), [{ path: "/work/site/a.ts", line: 7 }]);
    assert.deepEqual(locationsOf(HERE, { path: "b.ts" }, [{ path: "b.ts", kind: "modified", diff }]), [
      { path: "/work/site/b.ts", line: 4 },
    ]);
    assert.deepEqual(locationsOf(HERE, { changes: [{ path: "/x" }, { path: "y" }] }, []), [
      { path: "/x" },
      { path: "/work/site/y" },
    ]);
    for (const input of [undefined, null, "text", { path: "" }, { path: 3 }])
      assert.deepEqual(locationsOf(HERE, input, []), []);
  });
});

describe("what a call shows", () => {
  const two = "--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n@@ -9 +9 @@\n-nine\n+NINE\n";
  const shown = (kind: "added" | "modified" | "deleted", diff?: string) =>
    callFields("c", { content: resultContent(HERE, { text: "done", files: [{ path: "a.ts", kind, diff }] }) }).content;
  const path = "/work/site/a.ts";
  const text = { type: "content", content: { type: "text", text: "done" } };

  test("a change is told hunk by hunk", () => {
    assert.deepEqual(shown("modified", two), [
      text,
      { type: "diff", path, oldText: "one\ntwo\n", newText: "ONE\ntwo\n" },
      { type: "diff", path, oldText: "nine\n", newText: "NINE\n" },
    ]);
  });
  test("a new file has no old text, one that is gone no new one", () => {
    const added = "--- /dev/null\n+++ b/a.ts\n@@ -0,0 +1 @@\n+one\n\\ No newline at end of file\n";
    assert.deepEqual(shown("added", added)?.[1], { type: "diff", path, oldText: null, newText: "one" });
    const gone = "--- a/a.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n";
    assert.deepEqual(shown("deleted", gone)?.[1], { type: "diff", path, oldText: "one\n", newText: "" });
    assert.deepEqual(shown("modified"), [text]);
  });
  test("version 2 has changes and a patch", () => {
    const file = { path: "b.ts", from: "a.ts", kind: "renamed" as const, diff: two };
    const [content] = draftFields("c", { content: resultContent(HERE, { files: [file] }) }).content ?? [];
    assert.deepEqual(content, {
      type: "diff",
      changes: [{ operation: "move", oldPath: path, path: "/work/site/b.ts", fileType: "text" }],
      patch: { format: "git_patch", text: `diff --git a${path} b/work/site/b.ts\n${two}` },
    });
  });
  test("pictures in every form", () => {
    const image = { type: "image", data: "AA", mimeType: "image/png" };
    const forms = [
      { type: "image", data: "AA", mimeType: "image/png" },
      { type: "image", source: { type: "base64", data: "AA", media_type: "image/png" } },
      { type: "file", url: "data:image/png;base64,AA", mime: "image/png" },
      { type: "input_image", image_url: "data:image/png;base64,AA" },
      { type: "content", content: { type: "image", data: "AA", mimeType: "image/png" } },
    ];
    for (const form of forms) assert.deepEqual(resultContent(HERE, { content: [form] }), [image]);
    assert.deepEqual(resultContent(HERE, { content: ["text", { type: "unknown", text: "x" }, null] }), []);
  });
  test("a result's own words stand in place of its output; pictures stand beside it", () => {
    const [words, output] = [
      { type: "text", text: "shown" },
      { type: "text", text: "output" },
    ];
    const image = { type: "image", data: "AA", mimeType: "image/png" };
    assert.deepEqual(resultContent(HERE, { text: "output", content: [words, image] }), [words, image]);
    assert.deepEqual(resultContent(HERE, { text: "output", content: [image] }), [output, image]);
    assert.deepEqual(resultContent(HERE, { text: "output", content: [] }), []);
    assert.deepEqual(resultContent(HERE, { text: "output" }), [output]);
  });
  test("output that grows is told at first, then from time to time", () => {
    assert.ok(isDue({ length: 1, told: 0, ms: 0 }));
    assert.ok(!isDue({ length: 5, told: 5, ms: 999 }));
    assert.ok(!isDue({ length: 11, told: 10, ms: 5 }));
    assert.ok(isDue({ length: 11, told: 10, ms: 200 }));
    assert.ok(isDue({ length: 20, told: 10, ms: 5 }));
    assert.ok(!isDue({ length: 90_000, told: 50_000, ms: 5 }));
    assert.ok(shownTail("x\n".repeat(50_000)).length < 33_000);
  });
});

describe("ends", () => {
  const reasons: [EndReason | "withdrawn" | "deleted" | "lost", string | undefined][] = [
    ["end_turn", "end_turn"],
    ["max_tokens", "max_tokens"],
    ["max_turns", "max_turn_requests"],
    ["refusal", "refusal"],
    ["cancelled", "cancelled"],
    ["withdrawn", "cancelled"],
    ["deleted", "cancelled"],
    ["error", undefined],
    ["interrupted", undefined],
    ["lost", undefined],
  ];
  for (const [reason, stop] of reasons)
    test(`${reason} is ${stop ?? "an error"}`, () => assert.equal(stopReason({ reason }), stop));
  test("an error has words", () => {
    const error = { code: "model_failed", message: "no" };
    assert.equal(failureOf({ reason: "error", error }), error);
    for (const reason of ["error", "interrupted", "lost"] as const) assert.ok(failureOf({ reason }).message.length > 5);
  });
  test("usage adds up", () => {
    assert.equal(turnUsage(undefined), undefined);
    const tokens = { input: 1, output: 6, reasoning: 4, cacheRead: 8, cacheWrite: 16 };
    assert.equal(turnUsage({ tokens })?.totalTokens, 31);
  });
  test("of prompts whose events are gone", () => {
    const state = {
      turn: null,
      queue: [],
      lastPrompt: "msg_1",
      lastEnd: { turn: "trn_1", reason: "end_turn" },
    } as never;
    assert.equal(endInGap(state, "msg_1")?.reason, "end_turn");
    assert.equal(endInGap(state, "msg_0")?.reason, "lost");
    assert.equal(endInGap({ ...(state as object), turn: { prompt: "msg_2" } } as never, "msg_2"), undefined);
    assert.equal(endInGap({ ...(state as object), queue: [{ id: "msg_3" }] } as never, "msg_3"), undefined);
    const end: TurnEnd = turnInGap(state, { id: "trn_1", prompt: "msg_1" } as never);
    assert.deepEqual([end.reason, turnInGap(state, { id: "trn_0" } as never).reason], ["end_turn", "lost"]);
  });
});

describe("choices", () => {
  const offer: Offer = {
    state: { options: { fast: true } },
    info: {
      models: [
        { id: "m1", name: "One" },
        { id: "m2", options: [{ id: "fast", kind: "boolean" }] },
      ],
      modes: [{ id: "build" }, { id: "secret", hidden: true }],
      defaultModel: "m2",
    },
  };
  test("a yes and no is one only where the client takes it", () => {
    const [mode, model, fast] = configOptions(offer, false);
    assert.deepEqual(
      [mode?.currentValue, model?.currentValue, fast?.type, fast?.currentValue],
      ["build", "m2", "select", "true"],
    );
    assert.deepEqual(configOptions(offer, true)[2], {
      type: "boolean",
      id: "fast",
      name: "fast",
      category: "model_config",
      currentValue: true,
    });
    assert.deepEqual(changeFor(offer, "fast", "false"), { options: { fast: false } });
    assert.equal(changeFor(offer, "colour", "red"), undefined);
  });
  test("an option with the id of the mode or the model is shown by another, and set by its own", () => {
    const options = ["mode", "model", "mode_2"].map((id) => ({ id, kind: "select" as const, values: [{ id: "x" }] }));
    const other: Offer = { state: { offers: options, options: { mode: "x" } }, info: offer.info };
    const shown = configOptions(other, false).map(({ id, currentValue }) => [id, currentValue]);
    const own = [
      ["mode_3", "x"],
      ["model_2", "default"],
      ["mode_2", "default"],
    ];
    assert.deepEqual(shown, [["mode", "build"], ["model", "m2"], ...own]);
    assert.deepEqual(changeFor(other, "mode_3", "x"), { options: { mode: "x" } });
    assert.deepEqual(changeFor(other, "mode", "x"), { mode: "x" });
  });
  test("a model that is not listed is shown, and a default that nobody knows", () => {
    const effort = { id: "effort", kind: "select" as const, values: [{ id: "low" }] };
    const other: Offer = { state: { model: "mine" }, info: { models: [], modes: [], options: [effort] } };
    const [model, shown] = configOptions(other, false);
    assert.equal(model?.currentValue, "mine");
    assert.deepEqual(shown?.currentValue, "default");
    assert.deepEqual(changeFor(other, "effort", "default"), {});
    assert.deepEqual(changeFor(other, "effort", "low"), { options: { effort: "low" } });
  });
});

describe("asks", () => {
  test("a person can always refuse", () => {
    const kinds = permissionOptions([{ id: "a", kind: "once" }]).map(({ kind }) => kind);
    assert.deepEqual(kinds, ["allow_once", "reject_once"]);
  });
  test("forms and their answers", () => {
    const questions = [
      { question: "Which?", options: [{ label: "a" }, { label: "b" }] },
      { question: "What else?", options: [{ label: "c" }], multiple: true, custom: true },
      { question: "Why?", options: [] },
    ];
    const { schema } = formOf(questions, undefined);
    assert.deepEqual(Object.keys(schema.properties), ["q1", "q2", "q2_other", "q3"]);
    assert.deepEqual(schema.required, ["q1", "q3"]);
    assert.deepEqual(answersIn(questions, { q1: "a", q2: ["c"], q2_other: "d", q3: "because" }), [
      ["a"],
      ["c", "d"],
      ["because"],
    ]);
    assert.deepEqual(answersIn(questions, {}), [[], [], []]);
  });
});

test("servers of tools", () => {
  assert.deepEqual(
    mcpServers([
      { name: "a", command: "/bin/a", args: ["-x"], env: [{ name: "K", value: "V" }] },
      { type: "http", name: "b", url: "http://b", headers: [{ name: "H", value: "W" }] },
    ]),
    [
      { name: "a", type: "stdio", command: "/bin/a", args: ["-x"], env: { K: "V" } },
      { name: "b", type: "http", url: "http://b", headers: { H: "W" } },
    ],
  );
  assert.throws(() => mcpServers([{ type: "acp", name: "c", serverId: "1" }]), /over ACP/);
});

for (const [given, names] of [
  [
    ["docs", "my-tools_2.x"],
    ["docs", "my-tools_2.x"],
  ],
  [
    ["My  server (new)", "Müller"],
    ["My_server_new_", "M_ller"],
  ],
  [
    ["a b", "a_b", "a b"],
    ["a_b", "a_b_2", "a_b_3"],
  ],
  [
    ["", "日本"],
    ["_", "__2"],
  ],
  [["n".repeat(64)], ["n".repeat(64)]],
  [
    ["n".repeat(100), "n".repeat(99), "n".repeat(98)],
    ["n".repeat(64), "n".repeat(60), `${"n".repeat(60)}_2`],
  ],
] as const)
  test(`names of servers: ${given.join(", ").slice(0, 40)}`, () => assert.deepEqual(serverNames(given), names));
