import assert from "node:assert/strict";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { PermissionRule } from "../../../src/core/events/values.ts";
import { call, calls, finish, houseRig, ofType, playing, resultsIn, say } from "./support.ts";
import { gated } from "./test-tools.ts";

const TOOLS = ["read", "glob", "grep", "todo"];
const deny = (action: string, pattern = "*"): PermissionRule => ({ action, pattern, verdict: "deny" });
const use = (name: string, input: object) => [...call(name, input), finish("tool-calls")];

test("tools that do not ask are denied by a rule all the same, and the log has it", async (t) => {
  const { model, asked } = playing(
    [
      ...call("read", { path: "a.txt" }),
      ...call("glob", { pattern: "*" }),
      ...call("grep", { pattern: "words" }),
      ...call("todo", { todos: [] }),
      finish("tool-calls"),
    ],
    [...say("Nothing."), finish()],
  );
  const made = await houseRig(t, { model });
  await writeFile(join(made.work, "a.txt"), "words\n");
  await made.gateway.update(made.session, { permissions: TOOLS.map((name) => deny(name)) });
  const events = await made.turn("look");
  const results = resultsIn(asked[1]);
  for (const name of TOOLS) assert.match(results[name] ?? "", /a rule of this session denies it/);
  assert.ok(calls(events).every(({ status, error }) => status === "failed" && error?.code === "rejected"));
  const resolved = ofType(events, "permission.resolved").map(({ data }) => `${data.action} ${data.outcome} ${data.by}`);
  assert.deepEqual(resolved.sort(), TOOLS.map((name) => `${name} reject rule`).sort());
});

test("a file that must not be read is not read by another name, nor found by a search", async (t) => {
  const { model, asked } = playing(
    use("read", { path: "./x/../.env" }),
    use("read", { path: "link" }),
    use("grep", { pattern: "SECRET" }),
    use("read", { path: "a.txt" }),
    [...say("Nothing."), finish()],
  );
  const made = await houseRig(t, { model });
  await writeFile(join(made.work, ".env"), "SECRET=1\n");
  await writeFile(join(made.work, "a.txt"), "no SECRET here\n");
  await symlink(".env", join(made.work, "link"));
  await made.gateway.update(made.session, { permissions: [deny("read", ".env")] });
  await made.turn("look");
  const told = asked.slice(1, 5).map((options) => Object.values(resultsIn(options)).at(-1) ?? "");
  assert.match(told[0] ?? "", /a rule of this session denies it/);
  assert.match(told[1] ?? "", /a rule of this session denies it/);
  assert.equal(
    resultsIn(asked[3]).grep,
    "a.txt:1:no SECRET here\n(files left out because of a rule of this session: 1)",
  );
  assert.match(JSON.stringify(asked[4]?.prompt), /1: no SECRET here/);
  assert.doesNotMatch(JSON.stringify(asked.map(({ prompt }) => prompt)), /SECRET=1/);
});

test("a file that must not be written is not written through a link, nor through a linked directory", async (t) => {
  const { model, asked } = playing(
    use("write", { path: "build/link", content: "x" }),
    use("edit", { path: "build/link", old: "SECRET", new: "x" }),
    use("write", { path: "build/dir/new", content: "x" }),
    use("write", { path: "build/a.txt", content: "x" }),
    [...say("Nothing."), finish()],
  );
  const made = await houseRig(t, { model });
  await mkdir(join(made.work, "build"));
  await mkdir(join(made.work, "secret"));
  await writeFile(join(made.work, ".env"), "SECRET=1\n");
  await symlink("../.env", join(made.work, "build/link"));
  await symlink("../secret", join(made.work, "build/dir"));
  const allow: PermissionRule = { action: "edit", pattern: "*", verdict: "allow" };
  await made.gateway.update(made.session, { permissions: [allow, deny("edit", ".env"), deny("edit", "secret/*")] });
  await made.turn("write");
  assert.equal(await readFile(join(made.work, ".env"), "utf8"), "SECRET=1\n");
  assert.deepEqual(await readdir(join(made.work, "secret")), []);
  assert.equal(await readFile(join(made.work, "build/a.txt"), "utf8"), "x");
  assert.equal(asked.length, 5);
});

test("a rule that has a tool asked has it asked, though the tool by itself does not", async (t) => {
  const { model, asked } = playing(use("read", { path: "a.txt" }), [...say("Read."), finish()]);
  const made = await houseRig(t, { model });
  await writeFile(join(made.work, "a.txt"), "words\n");
  const permissions: PermissionRule[] = [{ action: "read", pattern: "*", verdict: "ask" }];
  await made.gateway.update(made.session, { permissions });
  const turn = await made.start("look");
  const ask = await made.asked();
  assert.ok(ask.type === "permission.requested");
  assert.deepEqual([ask.data.action, ask.data.patterns], ["read", ["a.txt"]]);
  await made.gateway.answer(made.session, ask.data.ask, { kind: "permission", outcome: "once" }, "test");
  await made.over(turn);
  assert.match(resultsIn(asked[1]).read ?? "", /words/);
});

test("a mode that is set during the turn holds for its next call", async (t) => {
  const { tool, started, release } = gated("wait");
  const { TOOLS: own } = await import("../../../src/agents/house/tools/all.ts");
  const { model, asked } = playing(use("wait", {}), use("write", { path: "a.txt", content: "x" }), [
    ...say("Done."),
    finish(),
  ]);
  const made = await houseRig(t, { model, tools: [...own, tool] });
  const turn = await made.start("go");
  await started;
  await made.gateway.update(made.session, { mode: "plan" });
  release();
  await made.over(turn);
  assert.match(resultsIn(asked[2]).write ?? "", /not allowed in plan mode/);
  assert.equal((await made.gateway.get(made.session)).mode, "plan");
});
