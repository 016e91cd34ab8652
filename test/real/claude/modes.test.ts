import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { choose, planAfter, Room, reject } from "../../agents/claude/room.ts";
import { completed } from "../../agents/claude/stage.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, long } from "../../support/time.ts";

const { program = "", version, skip } = await realAgent("claude");

describe("modes of the real Claude Code", { skip, timeout: GROUP_MS }, () => {
  // test/hard has the other modes.
  test("a plan after bypassPermissions: approved, each change is asked for; with edits, none is", async (t) => {
    await planAfter(t, program, "bypassPermissions");
  });

  test("the mode of a prompt is in force, though the agent has left or entered it by itself", async (t) => {
    const room = await Room.open(t, program, "plan");
    const planned = room.ask("plan");
    await room.answer("question", choose("Approve and accept edits"));
    await planned;
    assert.equal(await room.mode(), "acceptEdits");
    const second = room.ask("write", "plan");
    await room.answer("permission", reject);
    await second;
    assert.deepEqual([await room.mode(), room.has("made.txt")], ["plan", false]);
    await room.ask("here", "acceptEdits");
    assert.match((await room.ask("enter")).text, /Entered plan mode/);
    assert.equal(await room.mode(), "plan");
    await room.ask("write", "acceptEdits");
    assert.deepEqual([await room.mode(), room.has("made.txt")], ["acceptEdits", true]);
    await room.stage.close(room.turns);
  });

  test(
    "a plan is a plan where permissions were bypassed before, and the agent cannot pretend to plan there",
    long,
    async (t) => {
      const room = await Room.open(t, program, "bypassPermissions");
      assert.match((await room.ask("enter")).text, /plan in words instead/);
      assert.equal(await room.mode(), "bypassPermissions");
      const planning = room.ask("write", "plan");
      await room.answer("permission", reject);
      assert.equal((await planning).text, "Done.");
      assert.deepEqual([await room.mode(), room.has("made.txt")], ["plan", false]);
      await room.ask("write", "bypassPermissions");
      assert.deepEqual([await room.mode(), room.has("made.txt")], ["bypassPermissions", true]);
      const calls = completed(await room.stage.api.events(room.session), "tool_call").map(({ status }) => status);
      assert.deepEqual(calls, ["failed", "failed", "completed"]);
      await room.stage.close(room.turns);
    },
  );

  test(
    "a sub-agent whose own mode asks less than the session's asks all the same, and shows its mode",
    long,
    async (t) => {
      // Newer versions start no sub-agent in plan mode without a check that only Anthropic's own service makes, and take no bypass from an agent's file.
      const [own, lax] = version === "2.1.197" ? ["plan", "bypassPermissions"] : ["default", "acceptEdits"];
      const room = await Room.open(t, program, own);
      const agents = join(room.stage.home, ".claude", "agents");
      mkdirSync(agents, { recursive: true });
      const head = `name: lax\ndescription: lax\npermissionMode: ${lax}`;
      writeFileSync(join(agents, "lax.md"), `---\n${head}\n---\nYou write.\n`);
      const running = room.ask("lax");
      const [ask] = await room.stage.asks(room.session);
      assert.ok(ask?.kind === "permission");
      assert.match(String(ask.request.metadata?.reason), /the mode of this session has it asked/);
      assert.equal((await room.stage.api.session(ask.session)).mode, lax);
      await room.stage.answer(room.session, ask.id, reject);
      assert.equal((await running).text, "Done.");
      assert.deepEqual([await room.mode(), room.has("made.txt")], [own, false]);
      await room.stage.close(room.turns + 1);
    },
  );

  test("a mode that is set during a turn is in force at once", async (t) => {
    const room = await Room.open(t, program, "plan");
    const planned = room.ask("plan");
    await room.stage.asks(room.session);
    const state = await room.stage.api.expect(200, "PATCH", `/v1/sessions/${room.session}`, { mode: "default" });
    assert.equal((state as { mode?: string }).mode, "default");
    await room.answer("question", choose("Approve and accept edits"));
    await planned;
    assert.equal(await room.mode(), "acceptEdits");
    const first = room.ask("plan", "plan");
    await room.stage.asks(room.session);
    const other = { mode: "bypassPermissions" };
    await room.stage.api.expect(409, "PATCH", `/v1/sessions/${room.session}`, other);
    await room.answer("question", choose("Keep planning"));
    await room.answer("permission", reject);
    await first;
    assert.equal(await room.mode(), "plan");
    await room.stage.close(room.turns);
  });
});
