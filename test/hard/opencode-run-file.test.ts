import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Stage as ClaudeStage } from "../agents/claude/stage.ts";
import { type RunResult, runAttached } from "../support/opencode/clients.ts";
import { Stage } from "../support/opencode/stage.ts";
import { Surroundings } from "../support/opencode/surroundings.ts";
import { startTarget, type Target } from "../support/opencode/target.ts";
import { realAgent } from "../support/real-agent.ts";
import { GROUP_MS } from "../support/time.ts";

const { program = "", skip } = await realAgent("opencode");
const claude = await realAgent("claude");

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A text, a picture, and a text beside the directory. */
function putFiles(directory: string): string {
  writeFileSync(join(directory, "note.txt"), "the word is marigold\n");
  writeFileSync(join(directory, "dot.png"), Buffer.from(PNG, "base64"));
  const outside = join(dirname(directory), "outside-of-it.txt");
  writeFileSync(outside, "the word is foxglove\n");
  return outside;
}

const SCRIPT = { prompts: { "*": [{ text: "Seen." }] } };
const answered = ({ code, stdout }: RunResult): unknown => [code, stdout];

describe("opencode run -f on the house agent", { skip, timeout: GROUP_MS }, () => {
  let stage: Stage;
  let target: Target;
  let directory: string;

  before(async () => {
    stage = await Stage.open(SCRIPT);
    directory = stage.surroundings.project("project", {});
    putFiles(directory);
    target = await startTarget(stage, program, directory);
  });
  after(() => stage[Symbol.asyncDispose]());

  /** The prompt with a file, and the newest request to the model. */
  async function look(file: string): Promise<{ result: RunResult; said: string }> {
    const { surroundings, model } = stage;
    const before = model.requests.length;
    const args = ["look at it", "-f", file];
    const result = await runAttached({
      ...{ program, surroundings, directory, args },
      ...{ url: target.url, password: target.token },
    });
    return { result, said: JSON.stringify(model.requests.slice(before).map(({ body }) => body)) };
  }

  test("a text, a picture, and a file outside of the directory reach the model", async () => {
    for (const [file, content] of [
      ["note.txt", /the word is marigold/],
      ["dot.png", new RegExp(`data:image/png;base64,${PNG.slice(0, 20)}`)],
      ["../outside-of-it.txt", /the word is foxglove/],
    ] as const) {
      const { result, said } = await look(file);
      assert.deepEqual(answered(result), [0, "Seen.\n"], file);
      assert.match(said, content);
    }
  });

  test("a file that is not there is named, and nothing is sent", async () => {
    const { result, said } = await look("missing.txt");
    assert.equal(result.code, 1);
    assert.match(result.stderr, /File not found: missing\.txt/);
    assert.equal(said, "[]");
  });
});

describe("opencode run -f on Claude Code", { skip: skip || claude.skip, timeout: GROUP_MS }, () => {
  test("a text, a picture, and a file outside of the directory reach the model", async (t) => {
    const stage = await ClaudeStage.open(t, claude.program ?? "", { script: SCRIPT });
    const surroundings = new Surroundings();
    t.after(() => surroundings[Symbol.dispose]());
    const { directory } = stage;
    const outside = putFiles(directory);
    t.after(() => rmSync(outside, { force: true }));
    for (const [file, content] of [
      ["note.txt", /the word is marigold/],
      ["dot.png", new RegExp(`"media_type":"image/png","data":"${PNG.slice(0, 20)}`)],
      [outside, /the word is foxglove/],
    ] as const) {
      const args = ["look at it", "-f", file];
      const result = await runAttached({
        program,
        surroundings,
        directory,
        args,
        url: stage.api.url,
        password: "none",
      });
      assert.deepEqual(answered(result), [0, "Seen.\n"], file);
      assert.match(JSON.stringify(stage.calls().at(-1)?.messages), content, file);
    }
    await stage.close(3);
  });
});
