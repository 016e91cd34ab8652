import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { createClaudeAgent } from "../../../src/agents/claude/agent.ts";
import type { ParleyEvent } from "../../../src/core/events/event.ts";
import { ended, type Rig, rig } from "../../gateway/rig.ts";
import { makeHost } from "../../host/support.ts";
import { Random } from "../../support/random.ts";

const PROGRAM = fileURLToPath(new URL("../../fixtures/agents/claude-modes.mjs", import.meta.url));
const MODES = ["default", "acceptEdits", "plan", "dontAsk", "auto", "bypassPermissions"];
const LAX: ReadonlySet<string | undefined> = new Set(["acceptEdits", "auto", "bypassPermissions"]);
const ANSWERS = ["Approve", "Approve and accept edits", "Keep planning"];
const STEPS = 4;

interface Write {
  shown: string | undefined;
  asked: boolean;
  done: boolean;
}

/** The writes of a turn, each with the mode that clients were shown when it began. */
function writesIn(events: readonly ParleyEvent[], turn: string): Write[] {
  let shown: string | undefined;
  const modes = new Map<string, string | undefined>();
  for (const event of events) {
    if (event.type === "session.started" || event.type === "session.updated") shown = event.data.mode ?? shown;
    if (event.type === "item.started" && event.data.item.kind === "tool_call") modes.set(event.data.item.id, shown);
  }
  const mine = events.filter((event) => event.turn === turn);
  const asked = new Set(mine.flatMap((event) => (event.type === "permission.requested" ? [event.data.call] : [])));
  return mine.flatMap((event): Write[] => {
    if (event.type !== "item.completed" || event.data.item.kind !== "tool_call" || event.data.item.name !== "Write")
      return [];
    const { id, status, call } = event.data.item;
    return [{ shown: modes.get(id), asked: asked.has(call ?? id), done: status === "completed" }];
  });
}

/** Gives a prompt and answers what is asked meanwhile: changes are refused, plans get any answer. */
async function play(r: Rig, id: string, text: string, mode: string | undefined, chance: Random) {
  const parts = [{ type: "text" as const, text }];
  const { turn = "" } = await r.gateway.prompt(id, { parts, ...(mode === undefined ? {} : { mode }) });
  const seen = new Set<number>();
  for (;;) {
    const event = await r.until(id, ({ seq, type, turn: of }) => {
      return of === turn && !seen.has(seq) && (type === "turn.ended" || type.endsWith(".requested"));
    });
    seen.add(event.seq);
    if (ended(event)) return { turn, reason: event.type === "turn.ended" ? event.data.reason : "" };
    if (event.type === "permission.requested")
      await r.gateway.answer(id, event.data.ask, { kind: "permission", outcome: "reject" }, "test");
    if (event.type === "question.requested")
      await r.gateway.answer(
        id,
        event.data.ask,
        { kind: "question", outcome: "answered", answers: [[chance.pick(ANSWERS)]] },
        "test",
      );
  }
}

/** Random choices, plans and changes of the agent's own: no write may happen that the mode shown forbids. */
export async function playSequences(t: TestContext, sessions: number, sequences: number): Promise<void> {
  const { host, directory } = await makeHost(t);
  const agent = createClaudeAgent({ host, dataDirectory: directory, env: { PARLEY_CLAUDE_BIN: PROGRAM } });
  const r = await rig(t, { agents: new Map([["claude", agent]]), defaultAgent: "claude" });
  const chance = new Random(20_261_116);
  let unasked = 0;
  let writes = 0;
  for (let session = 0; session < sessions; session++) {
    const { id } = await r.gateway.create({ directory: r.directory, mode: chance.pick(MODES) });
    for (let step = 0; step < sequences * STEPS; step++) {
      const mode = chance.pick([...MODES, "plan", "plan", "plan", "acceptEdits", "acceptEdits", ""]) || undefined;
      const acts = chance.pick([
        "write",
        "plan write",
        "enter write",
        "plan write enter write",
        `write drift:${chance.pick(MODES)}`,
        "write plan write",
        "write",
        "write",
      ]);
      if (chance.chance(0.1)) await r.gateway.update(id, { mode: chance.pick(MODES) });
      const { turn, reason } = await play(r, id, acts, mode, chance);
      assert.equal(reason, "end_turn");
      const events = await r.events(id);
      for (const [at, write] of writesIn(events, turn).entries()) {
        const where = `${acts} in ${mode ?? "no mode"}: ${JSON.stringify(write)}`;
        writes++;
        if (write.done && !write.asked) unasked++;
        assert.ok(!write.done || LAX.has(write.shown), `a write that ${write.shown} forbids: ${where}`);
        assert.equal(write.asked, !LAX.has(write.shown) && write.shown !== "dontAsk", `asked or not: ${where}`);
        if (at === 0 && mode !== undefined && acts.startsWith("write"))
          assert.equal(write.shown, mode, `the mode of the prompt: ${where}`);
      }
    }
    await r.assertLawful(id);
  }
  t.diagnostic(
    `${sessions * sequences} sequences, ${writes} writes, ${unasked} of them unasked in modes that do not ask`,
  );
  assert.ok(unasked > 5 && writes - unasked > 5, "both happen");
}
