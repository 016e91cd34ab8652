import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Membership } from "../../src/cluster/membership.ts";
import { Takeover } from "../../src/cluster/takeover.ts";
import { type ErrorCode, ParleyError } from "../../src/core/errors.ts";
import type { Logger } from "../../src/core/logger.ts";

const quiet = { warn: () => {}, info: () => {}, error: () => {}, debug: () => {} } as unknown as Logger;
const membership = { place: "here", node: 1, isDraining: false, peers: () => [] } as unknown as Membership;

/** A look after one session that a node left. `refusals`: how each try to close its turn ends. */
function place(refusals: (ErrorCode | "")[], held: readonly string[] = []) {
  const done: string[] = [];
  const takeover = new Takeover({
    sql: {
      query: async () => [{ id: "ses_a", place: "here" }] as never[],
      change: async () => [],
      control: async () => [],
    },
    membership,
    logger: quiet,
    async closeTurn(session) {
      const code = refusals.shift() ?? "";
      if (code !== "") throw new ParleyError(code, "no");
      done.push(`close ${session}`);
    },
    goOn: async (session) => void done.push(`go on ${session}`),
    askGoOn: async () => {},
    holds: (session) => held.includes(session),
    counted: () => {},
  });
  return { takeover, done };
}

describe("sessions that nodes left", () => {
  test("are closed, and their prompts go on", async () => {
    const { takeover, done } = place([]);
    await takeover.look();
    assert.deepEqual({ done, again: takeover.unfinished }, { done: ["close ses_a", "go on ses_a"], again: false });
  });

  for (const code of ["unavailable", "outcome_unknown"] as const)
    test(`need another look where the database was away (${code})`, async () => {
      const { takeover, done } = place([code]);
      await takeover.look();
      assert.deepEqual({ done: [...done], again: takeover.unfinished }, { done: [], again: true });
      await takeover.look();
      assert.deepEqual({ done, again: takeover.unfinished }, { done: ["close ses_a", "go on ses_a"], again: false });
    });

  for (const code of ["wrong_node", "fenced", "session_not_found", "shutting_down", "internal"] as const)
    test(`need none where it would not help (${code})`, async () => {
      const { takeover } = place([code]);
      await takeover.look();
      assert.equal(takeover.unfinished, false);
    });

  test("are left alone where they are in memory here", async () => {
    const { takeover, done } = place([], ["ses_a"]);
    await takeover.look();
    assert.deepEqual(done, []);
  });
});
