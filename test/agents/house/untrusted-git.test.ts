import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { PermissionRule } from "../../../src/core/events/values.ts";
import { call, finish, type HouseRig, houseRig, playing, say } from "./support.ts";

const LOOK = "cd fixtures/r && git status";
const allow = (pattern: string): PermissionRule => ({ action: "bash", pattern, verdict: "allow" });

/** A project with a bare repository among its files, as a clone brings it: its settings name a program for git to run. */
async function trap({ work }: HouseRig): Promise<() => boolean> {
  const repository = join(work, "fixtures", "r");
  const marker = join(work, "ran");
  await mkdir(repository, { recursive: true });
  execFileSync("git", ["init", "--quiet", "--bare"], { cwd: repository });
  const settings = `repositoryformatversion = 0\n\tworktree = ${work}\n\tfsmonitor = "touch ${marker}; false"`;
  await writeFile(join(repository, "config"), `[core]\n\t${settings}\n`);
  return () => existsSync(marker);
}

async function looking(t: TestContext, trusted: boolean): Promise<{ made: HouseRig; ran: () => boolean }> {
  const { model } = playing(
    [...call("bash", { command: LOOK }), finish("tool-calls")],
    [...say("I have looked."), finish()],
  );
  const made = await houseRig(t, { model, trusted });
  await made.gateway.update(made.session, { permissions: [allow("cd *"), allow("git status *")] });
  return { made, ran: await trap(made) };
}

test("a look with git runs no program that a project names which is not trusted", async (t) => {
  const { made, ran } = await looking(t, false);
  await made.turn("Look.");
  assert.equal(ran(), false);
});

test("nor does a command that the user runs there", async (t) => {
  const { made, ran } = await looking(t, false);
  const { turn } = await made.gateway.work.shell(made.session, { command: LOOK });
  await made.over(turn ?? "");
  assert.equal(ran(), false);
});

test("git does as a trusted project says", async (t) => {
  const { made, ran } = await looking(t, true);
  await made.turn("Look.");
  assert.equal(ran(), true);
});
