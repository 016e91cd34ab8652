import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AlreadyRunning } from "../../src/server/parley.ts";
import { Stage } from "../agents/opencode/stage.ts";
import { lawfulEvents } from "../support/laws.ts";
import { realAgent } from "../support/real-agent.ts";
import { startServer } from "../support/server.ts";
import { GROUP_MS } from "../support/time.ts";

const { program = "", skip } = await realAgent("opencode");

const script = {
  prompts: { "*": [{ text: "Heard: {{prompt}}" }], slow: [{ text: ["Half ", { text: "and half.", hold: "second" }] }] },
};

describe("two Parleys with the real OpenCode", { skip, timeout: GROUP_MS }, () => {
  test("on one data directory: the second is refused, and ends nothing of the first's", async (t) => {
    const stage = await Stage.open(t, program, { script });
    const { api, server } = stage;
    const id = await stage.session();
    const running = api.ask(id, "[[slow]]");
    await stage.nth("item.delta", 1, ({ data }) => data.delta === "Half ");
    const before = stage.programs();
    const { dataDirectory } = server;
    await assert.rejects(startServer(t, { defaultAgent: "opencode", dataDirectory }), AlreadyRunning);
    assert.deepEqual(stage.programs(), before);
    stage.model.release("second");
    assert.equal((await running).text, "Half and half.");
    await lawfulEvents(api, id);
  });

  test("on two data directories, with one home of OpenCode: each has servers and sessions of its own, in one directory", async (t) => {
    const stage = await Stage.open(t, program, { script });
    const second = await startServer(t, { defaultAgent: "opencode" });
    const { id } = await second.api.create({ directory: stage.directory });
    const first = await stage.session();
    const asks = [0, 1, 2].flatMap((turn) => [
      { api: stage.api, session: first, words: `first ${turn}` },
      { api: second.api, session: id, words: `second ${turn}` },
    ]);
    await Promise.all(
      asks.map(async ({ api, session, words }) =>
        assert.equal((await api.ask(session, words)).text, `Heard: ${words}`),
      ),
    );
    await lawfulEvents(stage.api, first);
    await lawfulEvents(second.api, id);
    await second.stop();
    assert.equal((await stage.api.ask(first, "still here")).text, "Heard: still here");
  });
});
