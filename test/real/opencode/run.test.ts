import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type RunResult, runAttached } from "../../support/opencode/clients.ts";
import { FILES, SCRIPT } from "../../support/opencode/script.ts";
import { Stage } from "../../support/opencode/stage.ts";
import { startTarget, type Target } from "../../support/opencode/target.ts";
import { OpencodeClient } from "../../support/opencode.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, long } from "../../support/time.ts";

const { program = "", skip } = await realAgent("opencode");

function texts({ events }: RunResult): (string | undefined)[] {
  const parts = events.filter(({ type }) => type === "text") as unknown as { part: { text: string } }[];
  return parts.map(({ part }) => part.text);
}

describe("opencode run --attach, on Parley", { skip, timeout: GROUP_MS }, () => {
  let stage: Stage;
  let target: Target;
  let directory: string;

  before(async () => {
    stage = await Stage.open(SCRIPT);
    directory = stage.surroundings.project("project", FILES);
    target = await startTarget(stage, program, directory);
  });
  after(() => stage[Symbol.asyncDispose]());

  function run(args: readonly string[], password = target.token): Promise<RunResult> {
    const { surroundings } = stage;
    return runAttached({ program, surroundings, url: target.url, password, directory, args });
  }

  test("the whole answer is printed, however fast it comes", async () => {
    const { code, stdout } = await run(["hello"]);
    assert.deepEqual({ code, stdout }, { code: 0, stdout: "You said: hello\n" });
  });

  test("as JSON, every step, text and tool of the turn; a permission is refused without --auto", async () => {
    const result = await run(["--format", "json", "[[command]] no"]);
    assert.equal(result.code, 0);
    assert.match(result.stderr, /permission requested: bash .*auto-rejecting/);
    assert.equal(texts(result)[0], "I run it.");
    const tools = result.events.filter(({ type }) => type === "tool_use") as unknown as {
      part: { tool: string; state: { status: string } };
    }[];
    assert.deepEqual(
      tools.map(({ part }) => [part.tool, part.state.status]),
      [["bash", "error"]],
    );
  });

  test("--auto grants permissions; -c and -s go on with a session", async () => {
    const first = await run(["--auto", "--format", "json", "[[edit]] yes"]);
    assert.equal(first.code, 0);
    assert.deepEqual(texts(first), ["I read it.", "I change it.", "Changed."]);
    assert.match(readFileSync(join(directory, "README.md"), "utf8"), /Added line\./);
    const kinds = first.events.map(({ type }) => type);
    assert.equal(kinds.filter((kind) => kind === "step_start").length, 3);
    assert.equal(kinds.filter((kind) => kind === "step_finish").length, 3);

    const id = first.events[0]?.sessionID ?? "";
    const newest = await run(["-c", "--format", "json", "onwards"]);
    assert.deepEqual([newest.events[0]?.sessionID, texts(newest)], [id, ["You said: onwards"]]);
    const named = await run(["-s", id, "--format", "json", "again"]);
    assert.deepEqual([named.events[0]?.sessionID, texts(named)], [id, ["You said: again"]]);
  });

  test("an edit that a rule of the session allows is made without a word about a permission", long, async () => {
    directory = stage.surroundings.project("ruled", FILES);
    const permission = [{ permission: "edit", pattern: "*", action: "allow" }];
    const headers = { authorization: `Bearer ${target.token}`, "x-opencode-directory": directory };
    const client = new OpencodeClient(target.url);
    const { id } = await client.expect<{ id: string }>(200, "POST", "/session", { body: { permission }, headers });
    const { code, stderr } = await run(["-s", id, "--format", "json", "[[edit]] ruled"]);
    assert.deepEqual([code, /permission requested/.test(stderr)], [0, false], stderr);
    assert.match(readFileSync(join(directory, "README.md"), "utf8"), /Added line\./);
  });

  test("a wrong password and an unknown session end with 1", long, async () => {
    const [password, session] = await Promise.all([
      run(["hello"], "wrong"),
      run(["-s", "ses_00000000000000000000000000", "hello"]),
    ]);
    assert.deepEqual([password.code, session.code], [1, 1]);
  });
});
