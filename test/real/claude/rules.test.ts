import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { PermissionRule } from "../../../src/core/events/values.ts";
import { DENY, deniedIn, openWithSecret } from "../../agents/claude/rule-stage.ts";
import { of } from "../../agents/claude/stage.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, long } from "../../support/time.ts";

const { program = "", skip } = await realAgent("claude");

describe("rules of a session and what the real Claude Code does not ask about", { skip, timeout: GROUP_MS }, () => {
  // test/hard has the other modes.
  test("in bypassPermissions a denied command and a denied file are refused, the sub-agent's too, and the log has it", async (t) => {
    await deniedIn(t, program, "bypassPermissions");
  });

  test("rules that come and go during the session hold from the next call on", long, async (t) => {
    const stage = await openWithSecret(t, program);
    const id = await stage.session({ mode: "bypassPermissions" });
    const change = (permissions: PermissionRule[]) =>
      stage.api.expect(200, "PATCH", `/v1/sessions/${id}`, { permissions });
    assert.match((await stage.api.ask(id, "[[cat]]")).text, /SECRET/);
    await change(DENY);
    assert.match((await stage.api.ask(id, "[[cat]]")).text, /a rule of this session denies it/);
    await change([]);
    assert.match((await stage.api.ask(id, "[[cat]]")).text, /SECRET/);
    assert.equal(of(await stage.api.events(id), "permission.requested").length, 1);
    await stage.close(3);
  });

  test("a rule that has a command asked has it asked where the mode asks nothing, and refused where nobody is", async (t) => {
    const stage = await openWithSecret(t, program);
    const permissions: PermissionRule[] = [{ action: "bash", pattern: "cat *", verdict: "ask" }];
    const id = await stage.session({ mode: "bypassPermissions", permissions });
    const running = stage.api.ask(id, "[[cat]]");
    const [ask] = await stage.asks(id);
    await stage.answer(id, ask?.id ?? "", { outcome: "reject", feedback: "not that one" });
    assert.equal((await running).text, "It said: not that one");
    const silent = await stage.api.ask(id, {
      parts: [{ type: "text", text: "[[cat]]" }],
      mode: "dontAsk",
    });
    assert.match(silent.text, /in the mode dontAsk nobody is/);
    await stage.close(2);
  });

  test("a program that is told to go without hooks has them all the same", long, async (t) => {
    const stage = await openWithSecret(t, program, { CLAUDE_CODE_SIMPLE: "1" });
    mkdirSync(join(stage.home, ".claude"));
    writeFileSync(join(stage.home, ".claude", "settings.json"), JSON.stringify({ disableAllHooks: true }));
    const id = await stage.session({ permissions: DENY });
    assert.match((await stage.api.ask(id, "[[cat]]")).text, /a rule of this session denies it/);
    await stage.close(1);
  });
});
