import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { TurnSettings } from "../../../src/agents/codex/turn-settings.ts";

const READ_ONLY = { type: "readOnly", networkAccess: false };
const OPENED = { model: "gpt-5.5", approvalPolicy: "on-request", sandbox: READ_ONLY, reasoningEffort: null };
const WORKSPACE = {
  type: "workspaceWrite",
  writableRoots: ["/more"],
  networkAccess: true,
  excludeTmpdirEnvVar: false,
  excludeSlashTmp: false,
};
const CONFIG = { sandbox_workspace_write: { writable_roots: ["/more"], network_access: true } };

function begin(settings: TurnSettings) {
  const { params, took } = settings.next();
  took();
  return params;
}

describe("settings of a turn", () => {
  test("a session without a choice has the program's own settings, and no turn changes them", () => {
    const settings = new TurnSettings({}, true);
    assert.deepEqual(settings.opened(OPENED, {}, true), { type: "session", model: "gpt-5.5", mode: "default" });
    assert.deepEqual(begin(settings), {});
  });

  test("a mode is given with the first turn, once, with the user's own directories", () => {
    const settings = new TurnSettings({ mode: "ask" }, true);
    settings.opened(OPENED, CONFIG, true);
    assert.deepEqual(begin(settings), { approvalPolicy: "untrusted", sandboxPolicy: WORKSPACE });
    assert.deepEqual(begin(settings), {});
  });

  test("a mode whose turn was refused is given again", () => {
    const settings = new TurnSettings({ mode: "full-access" }, true);
    settings.opened(OPENED, {}, true);
    const wanted = { approvalPolicy: "never", sandboxPolicy: { type: "dangerFullAccess" } };
    assert.deepEqual(settings.next().params, wanted);
    assert.deepEqual(begin(settings), wanted);
  });

  test("the way back to the default mode is the policy that the program began with", () => {
    const settings = new TurnSettings({}, true);
    settings.opened(OPENED, CONFIG, true);
    settings.choose({ mode: "full-access" });
    begin(settings);
    settings.choose({ mode: "default" });
    assert.deepEqual(begin(settings), { approvalPolicy: "on-request", sandboxPolicy: READ_ONLY });
  });

  test("a thread that is resumed with a laxer policy than the chosen one gets the chosen one", () => {
    const lax = { ...OPENED, approvalPolicy: "never", sandbox: { type: "dangerFullAccess" } };
    const settings = new TurnSettings({ mode: "default" }, false);
    settings.opened(lax, {}, false);
    const { approvalPolicy, sandboxPolicy } = begin(settings) as {
      approvalPolicy: unknown;
      sandboxPolicy: { type: unknown };
    };
    assert.deepEqual([approvalPolicy, sandboxPolicy.type], ["untrusted", "workspaceWrite"]);
  });

  test("the configuration's own policy counts for a resumed thread", () => {
    const settings = new TurnSettings({}, false);
    settings.opened({ ...OPENED, sandbox: WORKSPACE }, { approval_policy: "never", sandbox_mode: "read-only" }, false);
    assert.deepEqual(begin(settings), { approvalPolicy: "never", sandboxPolicy: READ_ONLY });
  });

  test("plan has the program's plan mode, which takes the model along, and is left again", () => {
    const settings = new TurnSettings({ mode: "plan" }, true);
    settings.opened(OPENED, {}, true);
    const plan = { model: "gpt-5.5", reasoning_effort: null, developer_instructions: null };
    assert.deepEqual(begin(settings), { collaborationMode: { mode: "plan", settings: plan } });
    settings.choose({ model: "other", options: { effort: "high" } });
    assert.deepEqual(begin(settings), {
      model: "other",
      effort: "high",
      collaborationMode: { mode: "plan", settings: { ...plan, model: "other", reasoning_effort: "high" } },
    });
    settings.choose({ mode: "default" });
    assert.deepEqual((begin(settings) as { collaborationMode: { mode: string } }).collaborationMode.mode, "default");
  });

  test("a model and an effort are given when they differ", () => {
    const settings = new TurnSettings({ model: "gpt-5.5", options: { effort: "low" } }, true);
    settings.opened({ ...OPENED, reasoningEffort: "low" }, {}, true);
    assert.deepEqual(begin(settings), {});
    settings.choose({ model: "other" });
    assert.deepEqual(begin(settings), { model: "other" });
    settings.choose({ options: { effort: "default" } });
    assert.deepEqual([begin(settings), settings.keptEffort], [{}, "low"], "the program keeps the last effort");
  });

  test("modes that there are none of", () => {
    const settings = new TurnSettings({}, true);
    settings.opened(OPENED, {}, true);
    assert.deepEqual(
      ["default", "plan", "auto", "bypassPermissions", ""].map((mode) => settings.has(mode)),
      [true, true, true, false, false],
    );
  });
});
