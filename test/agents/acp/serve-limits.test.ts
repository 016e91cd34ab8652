import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Files } from "../../../src/agents/acp/serve/files.ts";
import { Guard } from "../../../src/agents/acp/serve/guard.ts";
import { Terminals } from "../../../src/agents/acp/serve/terminals.ts";
import type { CommandHost } from "../../../src/host/contract.ts";
import { eventually } from "../../support/eventually.ts";

function guardOf(turn: { isOpen: boolean; hasRules: boolean }): Guard {
  let asked = 0;
  return new Guard({
    nextAsk: () => `${++asked}`,
    hasRules: () => turn.hasRules,
    inTurn: () => turn.isOpen,
    isStopped: () => false,
    say: () => {},
  });
}

test("the outputs of all terminals together are bounded, and each keeps its end", async () => {
  const exited = new Promise<never>(() => {});
  const host: CommandHost = {
    run: (_, { output }) => {
      for (let part = 0; part < 6; part++) output("x".repeat(1_000_000));
      output("the end");
      return { exited, kill: async () => {} };
    },
  };
  const facts = { directory: tmpdir(), trusted: true, session: "s", prefix: "p", env: {}, onOutput: () => {} };
  const terminals = new Terminals({ host, guard: guardOf({ isOpen: true, hasRules: false }), ...facts });
  const texts: string[] = [];
  for (let count = 0; count < 30; count++) {
    const { terminalId } = await terminals.create({ command: "yes", outputByteLimit: 10_000_000 });
    texts.push(String(terminalId));
  }
  const kept = texts.map((id) => terminals.textOf(id) ?? "");
  const all = kept.reduce((sum, text) => sum + text.length, 0);
  assert.ok(all < 80_000_000, `expected less than 80 MB, got ${all}`);
  for (const text of kept) assert.ok(text.endsWith("the end"));
});

test("no more waits to be written than so much", async () => {
  const turn = { isOpen: true, hasRules: true };
  const guard = guardOf(turn);
  const directory = tmpdir();
  const files = new Files({ directory, guard });
  const content = "x".repeat(1_000_000);
  const refused: string[] = [];
  const writes = Array.from({ length: 60 }, (_, at) =>
    files.write({ path: join(directory, `parley-none-${at}`), content }).then(
      () => "written",
      (error: Error) => {
        refused.push(error.message);
        return error.message;
      },
    ),
  );
  await eventually("those too many are refused", () => refused.length === 28);
  for (const message of refused) assert.match(message, /wait to be written/);
  turn.isOpen = false;
  guard.stop();
  const ends = await Promise.all(writes);
  assert.equal(ends.filter((end) => /the turn is over|no turn is open/.test(end)).length, 32);
});
