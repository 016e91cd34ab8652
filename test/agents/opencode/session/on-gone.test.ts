import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as tick } from "node:timers/promises";
import { onGone } from "../../../../src/agents/opencode/serve/on-gone.ts";
import type { Exit } from "../../../../src/host/contract.ts";
import { eventually } from "../../../support/eventually.ts";
import { ID, Stage } from "./stage.ts";

const EXIT: Exit = { code: 1, signal: null, stderr: ["last words"] };

describe("the end of a server", () => {
  test("is told to all who have not gone before", async () => {
    const { promise: gone, resolve } = Promise.withResolvers<Exit>();
    const server = { url: "", headers: {}, own: true, gone, kill: async () => {} };
    const told: string[] = [];
    const first = onGone(server, () => void told.push("first"));
    onGone(server, ({ code }) => void told.push(`second ${code}`));
    onGone(server, () => {
      told.push("third");
      first();
    });
    first();
    resolve(EXIT);
    await tick();
    assert.deepEqual(told, ["second 1", "third"]);
  });

  test("is told to those who come after it", async () => {
    const server = { url: "", headers: {}, own: true, gone: Promise.resolve(EXIT), kill: async () => {} };
    const told: Exit[] = [];
    onGone(server, () => {});
    await tick();
    onGone(server, (exit) => void told.push(exit));
    await tick();
    assert.deepEqual(told, [EXIT]);
  });

  test("ends a session, with the server's last words", async (t) => {
    const { promise: gone, resolve } = Promise.withResolvers<Exit>();
    const stage = await Stage.open(t, {}, true, gone);
    assert.equal(stage.of("session")[0]?.nativeId, ID);
    resolve(EXIT);
    await eventually("the session is over", () => stage.of("exited").length > 0);
    assert.deepEqual(stage.of("exited"), [{ type: "exited", ...EXIT }]);
    assert.equal(stage.leases, 0);
  });
});
