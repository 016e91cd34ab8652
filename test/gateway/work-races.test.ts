import assert from "node:assert/strict";
import { test } from "node:test";
import { conversationOf } from "../../src/agents/house/past/history.ts";
import { isParleyError } from "../../src/core/errors.ts";
import { call, houseRig, playing, say } from "../agents/house/support.ts";
import { Random } from "../support/random.ts";
import { text } from "./rig.ts";

/** Refusals that are right when everything happens at once; any other error is a failure. */
const EXPECTED = new Set(["busy", "not_found", "file_changed", "queue_full"]);

for (const seed of [1, 2, 3]) {
  test(`prompts, commands, cancels, reverts, forks and compactions at once leave lawful sessions (${seed})`, async (t) => {
    const random = new Random(seed);
    const replies = Array.from({ length: 300 }, (_, at) =>
      at % 3 === 0 ? call("write", { path: `f${at % 4}.txt`, content: `${at}\n` }, `w${at}`) : say(`Answer ${at}.`),
    );
    const made = await houseRig(t, { model: playing(...replies).model });
    const { gateway, session } = made;
    const { work } = gateway;
    await gateway.update(session, { permissions: [{ action: "*", pattern: "*", verdict: "allow" }] });
    const forks: string[] = [];
    const prompts: string[] = [];
    const actions: (() => Promise<unknown>)[] = [
      async () => prompts.push((await gateway.prompt(session, text(`prompt ${prompts.length}`))).prompt),
      async () => prompts.push((await gateway.prompt(session, text("steered", { delivery: "steer" }))).prompt),
      () => work.shell(session, { command: random.pick(["echo quick", "sleep 0.05; echo slow", "exit 3"]) }),
      () => work.compact(session),
      () => gateway.cancel(session, { queue: random.pick(["clear", "keep"]) }),
      () => work.revert(session, { messageID: random.pick(["msg_none", ...prompts]) }),
      () => work.unrevert(session),
      async () => forks.push((await work.fork(session)).id),
      () => gateway.update(session, { mode: random.pick(["build", "plan"]) }),
    ];
    const refused: unknown[] = [];
    const all: Promise<unknown>[] = [];
    for (let at = 0; at < 120; at++) {
      const one = random
        .pick(actions)()
        .catch((error: unknown) => {
          if (!isParleyError(error) || !EXPECTED.has(error.code)) refused.push(error);
        });
      all.push(one);
      if (random.chance(0.6)) await one;
    }
    await Promise.all(all);
    assert.deepEqual(refused, []);
    await gateway.cancel(session, { queue: "clear" });
    for (const id of [session, ...forks]) {
      const events = await made.assertLawful(id);
      assert.equal((await gateway.get(id)).turn, null);
      const [first] = conversationOf(events);
      assert.ok(first === undefined || first.role === "user");
    }
    assert.ok(forks.length > 0 && prompts.length > 3);
  });
}
