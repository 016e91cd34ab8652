import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { AgentChoice } from "../../../../src/agents/contract.ts";
import {
  besideCommand,
  bodyParts,
  commandBody,
  commandIn,
  modelRef,
  promptBody,
} from "../../../../src/agents/opencode/prompt-body.ts";
import type { PromptPart } from "../../../../src/core/events/values.ts";
import { temporary } from "../../../support/server.ts";

const PICTURE = "data:image/png;base64,iVBORw0=";
const text = (words: string, more: object = {}): PromptPart => ({ type: "text", text: words, ...more });

describe("the parts of a prompt", () => {
  const cases: [what: string, part: PromptPart, expected: object[]][] = [
    ["words", text("Hello"), [{ type: "text", text: "Hello" }]],
    ["words of Parley's own", text("a", { synthetic: true }), [{ type: "text", text: "a", synthetic: true }]],
    ["half a character", text("a\ud83d"), [{ type: "text", text: "a\ufffd" }]],
    [
      "a picture that is given whole",
      { type: "file", url: PICTURE, name: "a.png" },
      [{ type: "file", mime: "image/png", url: PICTURE, filename: "a.png" }],
    ],
    [
      "a kind that is told counts more",
      { type: "file", url: PICTURE, mime: "image/webp" },
      [{ type: "file", mime: "image/webp", url: PICTURE, filename: "file" }],
    ],
    [
      "an address without a kind",
      { type: "file", url: "data:,abc" },
      [{ type: "file", mime: "text/plain", url: "data:,abc", filename: "file" }],
    ],
    [
      "a text file by its path",
      { type: "file", path: "src/a b.ts" },
      [{ type: "file", mime: "text/plain", url: "file:///work/src/a%20b.ts", filename: "a b.ts" }],
    ],
    [
      "a picture by its path",
      { type: "file", path: "/else/A.JPG", name: "shot" },
      [{ type: "file", mime: "image/jpeg", url: "file:///else/A.JPG", filename: "shot" }],
    ],
    [
      "a name with signs that addresses have",
      { type: "file", path: "a#b?c%.txt" },
      [{ type: "file", mime: "text/plain", url: "file:///work/a%23b%3Fc%25.txt", filename: "a#b?c%.txt" }],
    ],
    ["a file that is nowhere", { type: "file", name: "x" }, []],
  ];
  for (const [what, part, expected] of cases) test(what, () => assert.deepEqual(bodyParts([part], "/work"), expected));

  test("a directory", async (t) => {
    const directory = await temporary({ after: (close) => t.after(close) });
    mkdirSync(join(directory, "sub.png"));
    const [part] = bodyParts([{ type: "file", path: "sub.png" }], directory);
    assert.equal(part?.mime, "application/x-directory");
  });
});

describe("the two halves of a model", () => {
  for (const [model, ref] of [
    ["anthropic/claude-sonnet-4-5", { providerID: "anthropic", modelID: "claude-sonnet-4-5" }],
    ["openrouter/meta/llama", { providerID: "openrouter", modelID: "meta/llama" }],
    ["claude", undefined],
    ["/claude", undefined],
    ["anthropic/", undefined],
    ["", undefined],
  ] as const)
    test(JSON.stringify(model), () => assert.deepEqual(modelRef(model), ref));
});

describe("a prompt", () => {
  const choice: AgentChoice = { model: "fake/m", mode: "plan", options: { effort: "high" } };

  test("has all that was chosen", () => {
    const body = promptBody({ id: "msg_1", parts: [text("Hi")], system: "Be brief." }, "msg_9", choice, "/work");
    assert.deepEqual(body, {
      messageID: "msg_9",
      parts: [{ id: "prt_9000", type: "text", text: "Hi" }],
      model: { providerID: "fake", modelID: "m" },
      agent: "plan",
      variant: "high",
      system: "Be brief.",
    });
  });

  test("has nothing that was not chosen, and no rules of its own", () => {
    const body = promptBody({ id: "msg_1", parts: [text("Hi")] }, "msg_9", { options: { effort: "default" } }, "/work");
    assert.deepEqual(body, { messageID: "msg_9", parts: [{ id: "prt_9000", type: "text", text: "Hi" }] });
  });
});

describe("a slash command", () => {
  const cases: [parts: PromptPart[], expected: { name: string; words: string } | undefined][] = [
    [[text("/init")], { name: "init", words: "" }],
    [[text("  /review the  last\ncommit \n")], { name: "review", words: "the  last\ncommit" }],
    [[text("note", { synthetic: true }), text("/init x")], { name: "init", words: "x" }],
    [[text("/srv:greet now")], { name: "srv:greet", words: "now" }],
    [[text("/usr/bin/env is there")], undefined],
    [[text("see /init")], undefined],
    [[text("/")], undefined],
    [[text("/ init")], undefined],
    [[{ type: "file", path: "/init" }], undefined],
    [[], undefined],
  ];
  for (const [parts, expected] of cases)
    test(JSON.stringify(parts), () => assert.deepEqual(commandIn(parts), expected));

  test("does not lose instructions, and texts beside it", () => {
    const [note, more] = [text("note", { synthetic: true }), text("and this")];
    const parts = [note, text("/fix it"), { type: "file", url: PICTURE } as const, more];
    assert.deepEqual(besideCommand({ id: "msg_1", parts }), [note, more]);
    assert.deepEqual(besideCommand({ id: "msg_1", parts: [text("/fix")], system: "Be brief." }), [
      text("Be brief.", { synthetic: true }),
    ]);
    assert.deepEqual(besideCommand({ id: "msg_1", parts: [text("/fix")] }), []);
  });

  test("keeps the files of its prompt, and names its model in one word", () => {
    const prompt = { id: "msg_1", parts: [text("/fix it"), { type: "file", url: PICTURE, name: "p" } as const] };
    const choice = { model: "fake/m", mode: "build", options: { effort: "low" } };
    assert.deepEqual(commandBody({ name: "fix", words: "it" }, prompt, "msg_9", choice, "/work"), {
      command: "fix",
      arguments: "it",
      messageID: "msg_9",
      model: "fake/m",
      agent: "build",
      variant: "low",
      parts: [{ type: "file", mime: "image/png", url: PICTURE, filename: "p" }],
    });
    const bare = commandBody({ name: "fix", words: "" }, { id: "msg_1", parts: [text("/fix")] }, "msg_9", {}, "/work");
    assert.deepEqual(bare, { command: "fix", arguments: "", messageID: "msg_9" });
  });
});
