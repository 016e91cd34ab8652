import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Outcome } from "../../../src/core/receipt.ts";
import { of, Stage } from "../../agents/opencode/stage.ts";
import { lawfulEvents } from "../../support/laws.ts";
import { realAgent } from "../../support/real-agent.ts";
import { mountSmallDisk } from "../../support/small-disk.ts";
import { GROUP_MS } from "../../support/time.ts";

const { program = "", skip } = await realAgent("opencode");

const MEGABYTES = 48;
const script = {
  prompts: {
    "*": [{ text: "Heard: {{prompt}}" }],
    slow: [{ text: ["Half ", { text: "more. ".repeat(20), hold: "full" }] }],
  },
};

function assertFull({ reason, error }: Outcome): void {
  assert.deepEqual([reason, error?.code], ["error", "agent_failed"]);
  assert.match(error?.message ?? "", /look whether its disk is full/);
}

describe("a full disk under the real OpenCode", { skip, timeout: GROUP_MS }, () => {
  test("before a turn and in its middle: it ends once with an error that says so, and the session goes on when there is room", async (t) => {
    const disk = mountSmallDisk(MEGABYTES);
    if (!disk) return t.skip("no disk can be mounted here");
    t.after(() => disk.unmount());
    const stage = await Stage.open(t, program, { script, env: { XDG_DATA_HOME: disk.path } });
    const { api } = stage;
    const id = await stage.session();
    assert.equal((await api.ask(id, "first")).text, "Heard: first");
    disk.fill();
    assertFull(await api.ask(id, "second"));
    disk.free();
    const running = api.ask(id, "[[slow]]");
    await stage.nth("item.delta", 1, ({ session, data }) => session === id && data.delta === "Half ");
    disk.fill();
    stage.model.release("full");
    assertFull(await running);
    disk.free();
    assert.equal((await api.ask(id, "third")).text, "Heard: third");
    const events = await lawfulEvents(api, id);
    assert.deepEqual([of(events, "turn.started").length, of(events, "turn.ended").length], [4, 4]);
  });
});
