import assert from "node:assert/strict";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import type { Watched } from "../contract/watched.ts";
import { played, said, setStage } from "./stage.ts";

const ask = (method: string, params: object) => ({ request: { method, params }, tellAnswer: true });
const write = (path: string, content = "changed") => ask("fs/write_text_file", { path, content });
const create = (command: string) => ask("terminal/create", { command });
const OPTIONS = [
  { optionId: "y", name: "y", kind: "allow_once" },
  { optionId: "n", name: "n", kind: "reject_once" },
];
const wants = (toolCallId: string, facts: object) =>
  ask("session/request_permission", { toolCall: { toolCallId, title: "t", ...facts }, options: OPTIONS });
const wantsEdit = (id: string, path: string) => wants(id, { kind: "edit", locations: [{ path }] });
const wantsRun = (id: string, command: string) => wants(id, { kind: "execute", rawInput: { command } });

/** A session without rules, in which a person gives these answers one after the other. */
async function answered(t: TestContext, answers: readonly ("once" | "reject")[]) {
  const { open, directory } = await setStage(t);
  writeFileSync(join(directory, "a.txt"), "kept");
  const watched: Watched = await open();
  const left = [...answers];
  watched.onSignal = (signal) => {
    const outcome = left[0] ?? "reject";
    if (signal.type !== "permission") return;
    left.shift();
    void watched.session.answer(signal.ask, { kind: "permission", outcome });
  };
  return { watched, directory, file: join(directory, "a.txt") };
}

describe("what a person refused", () => {
  test("is not written by Parley for the same turn, behind a link neither; other files are", async (t) => {
    const { watched, directory, file } = await answered(t, ["reject"]);
    symlinkSync("a.txt", join(directory, "link.txt"));
    const other = join(directory, "b.txt");
    await watched.turn(played([wantsEdit("e", file), write(file), write(join(directory, "link.txt")), write(other)]));
    assert.equal(readFileSync(file, "utf8"), "kept");
    assert.equal(readFileSync(other, "utf8"), "changed");
    assert.equal(said(watched).match(/it was refused/g)?.length, 2, said(watched));
    await watched.session.close();
  });

  test("is not run by Parley for the same turn", async (t) => {
    const { watched, directory, file } = await answered(t, ["reject"]);
    await watched.turn(played([wantsRun("r", "rm a.txt"), create("rm a.txt"), create("true")]));
    assert.ok(existsSync(file), directory);
    assert.equal(said(watched).match(/it was refused/g)?.length, 1, said(watched));
    await watched.session.close();
  });

  test("may be done when it is allowed after all, and with the next prompt", async (t) => {
    const { watched, file } = await answered(t, ["reject", "once", "reject"]);
    await watched.turn(played([wantsEdit("e", file), wantsEdit("f", file), write(file, "allowed")]));
    assert.equal(readFileSync(file, "utf8"), "allowed");
    await watched.turn(played([wantsEdit("g", file)]));
    await watched.turn(played([write(file, "next")]));
    assert.equal(readFileSync(file, "utf8"), "next");
    await watched.session.close();
  });
});

test("a turn that was stopped changes no file by Parley and runs no command", async (t) => {
  const { watched, directory, file } = await answered(t, []);
  const steps = [{ until: "session/cancel" }, write(file), create("touch made")];
  await watched.prompt(played(steps, { stopReason: "cancelled" }));
  await watched.session.cancel();
  await watched.until("the end", () => watched.all("turn.finished").length === 1);
  assert.equal(readFileSync(file, "utf8"), "kept");
  assert.equal(existsSync(join(directory, "made")), false);
  assert.equal(said(watched).match(/the turn is being stopped/g)?.length, 2, said(watched));
  await watched.session.close();
});
