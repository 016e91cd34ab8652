import assert from "node:assert/strict";
import { working } from "./checks-turns.ts";
import { type ContractRig, numbers, Watched } from "./watched.ts";

/** Checks of several sessions of one agent, which one program or one for each may serve. */
export const SEVERAL = {
  "a pause of one session leaves the other be, and the last one leaves no process": async (rig: ContractRig) => {
    const first = await working(rig);
    const second = await new Watched(rig, { session: "ses_contract_2" }).ready();
    first.session.pause();
    assert.equal((await second.turn("count 20")).reason, "end_turn");
    await first.soon("kill of one of two sessions", first.session.kill(0));
    await first.assertEnded("after the kill of one of two sessions");
    assert.deepEqual(second.all("exited"), [], "expected the other session to go on");
    assert.equal((await second.turn("count 3")).reason, "end_turn");
    assert.deepEqual(second.counted(), [...numbers(20), ...numbers(3)]);
    await second.soon("close of the last session", second.session.close());
    await second.assertEnded("after the close of the last session");
    assert.deepEqual(rig.processes(), [], "expected no process after the last session");
  },
} as const;
