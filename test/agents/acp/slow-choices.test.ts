import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { openPuppet } from "./puppet.ts";

const modes = { currentModeId: "build", availableModes: [{ id: "build" }, { id: "plan" }] };

test("a choice that the program does not read is a failure; one that it reads may take long to be answered", async (t) => {
  const answers = { "session/new": { sessionId: "sess", modes } };
  const { puppet, session, signals } = openPuppet(tmpdir(), undefined, { answers });
  await session.ready();
  const asked = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  const { write } = puppet;
  puppet.write = async (line) => {
    await write(line);
    asked.resolve();
    return written.promise;
  };
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const unread = session.set({ mode: "plan" });
  await asked.promise;
  t.mock.timers.tick(3_000);
  await assert.rejects(unread, { code: "unavailable", message: /does not read its input/ });

  written.resolve();
  const slow = session.set({ mode: "plan" });
  await new Promise((resolve) => setImmediate(resolve));
  t.mock.timers.tick(20_000);
  puppet.answer("session/set_mode", {});
  await slow;
  assert.equal(signals.findLast((signal) => signal.type === "session")?.mode, "plan");
  await session.kill(0);
});
