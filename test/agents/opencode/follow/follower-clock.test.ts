import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CUT } from "../stand-in.ts";
import { Program, ROOT } from "./program.ts";

describe("a server that cannot be reached, by a clock of its own", () => {
  test("is given up after a while", async (t) => {
    t.mock.timers.enable({ apis: ["setInterval", "Date"] });
    const program = await Program.open(t);
    program.follower.prompt("msg_1");
    program.stand.on("GET /session/status", CUT).on("GET /permission", CUT).on("GET /question", CUT);
    program.stand.on("GET /session/:/todo", CUT);
    for (let seconds = 0; seconds < 120 && program.unreachable === 0; seconds += 2) t.mock.timers.tick(2_000);
    assert.equal(program.unreachable, 1);
  });

  test("is not given up while events come, nor right after them", async (t) => {
    t.mock.timers.enable({ apis: ["setInterval", "Date"] });
    const program = await Program.open(t);
    program.follower.prompt("msg_1");
    const info = { id: "msg_2", role: "assistant", sessionID: ROOT, parentID: "msg_1", time: { created: 1 } };
    program.follower.event({ type: "message.updated", properties: { sessionID: ROOT, info } }, "");
    for (let seconds = 0; seconds < 60; seconds++) {
      t.mock.timers.tick(1_000);
      const delta = { sessionID: ROOT, messageID: "msg_2", partID: "prt_1", field: "text", delta: "x" };
      program.follower.event({ type: "message.part.delta", properties: delta }, "");
    }
    t.mock.timers.tick(4_000);
    assert.equal(program.of("text").length, 60);
    assert.equal(program.unreachable, 0, "nobody has asked it yet");
  });
});
