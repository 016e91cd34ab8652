import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import {
  type LoadSessionResponse,
  methods,
  type SessionConfigOption,
  type SetSessionConfigOptionResponse,
} from "@agentclientprotocol/sdk/unstable";
import { isFields } from "../../../src/core/json/fields.ts";
import { commandOf } from "../../agents/acp/real-stage.ts";
import { RealThrough } from "../../support/acp/real-through.ts";
import { stdioStream } from "../../support/acp/remote.ts";
import { SdkClient } from "../../support/acp/sdk-client.ts";
import { Closers } from "../../support/closers.ts";
import { eventually } from "../../support/eventually.ts";
import { firstOf, GROUP_MS } from "../../support/time.ts";
import { ROWS, type Values } from "./choice-rows.ts";

const valuesOf = (list: readonly SessionConfigOption[] = []): Values =>
  Object.fromEntries(list.map(({ id, currentValue }) => [id, String(currentValue)]));

for (const { name, steps, older, shows, sent, asks } of firstOf(ROWS, 1)) {
  const { argv, skip } = await commandOf(name);

  describe(`the real ${name} behind parley acp`, { skip, timeout: GROUP_MS, concurrency: 1 }, () => {
    const closers = new Closers();
    let stage: RealThrough;
    let acp: SdkClient;
    let place: { sessionId: string; cwd: string; mcpServers: [] };

    before(async () => {
      // Its server stays for it.
      closers.after(async () => acp?.close());
      stage = await RealThrough.open(closers, name, argv ?? ["none"]);
      place = { sessionId: stage.pair.proxied.session, cwd: stage.home.work, mcpServers: [] };
    });
    after(() => closers.close());

    /** All that holds, as a client was told last. */
    const told = () => valuesOf(acp.updates("config_option_update").at(-1)?.configOptions);
    const toldOther = () => {
      const last = stage.pair.proxied.peer.updates.findLast(
        (update) => update.sessionUpdate === "config_option_update",
      );
      return valuesOf(last?.configOptions as SessionConfigOption[]);
    };
    const bothKnow = (values: Values) =>
      eventually(`${JSON.stringify(values)} was told, not ${JSON.stringify([told(), toldOther()])}`, () =>
        [told(), toldOther()].every((one) => JSON.stringify(one) === JSON.stringify(values)),
      );

    /** What the model was shown with the last request that has these words. */
    function shownWith(words: string): unknown {
      const bodies = stage.model.requests.map(({ body }) => body).filter(isFields);
      return shows(bodies.findLast((body) => JSON.stringify(body).includes(words)) ?? {});
    }

    test("an edit: what a client is told is the same as without Parley, but for what docs/acp.md lists", () =>
      stage.assertSameEdit());

    test("model, effort and mode are chosen by a client, told to the other, and reach the model", async () => {
      acp = await SdkClient.open(stage.serverStream());
      await acp.agent.request(methods.agent.session.load, place);
      for (const {
        choose: [configId, value],
        holds,
      } of steps) {
        const request = { sessionId: place.sessionId, configId, value };
        const { configOptions } = await acp.agent.request<SetSessionConfigOptionResponse>(
          methods.agent.session.setConfigOption,
          request,
        );
        assert.deepEqual(valuesOf(configOptions), holds, `the answer to ${configId} ${value}`);
        await bothKnow(holds);
      }
      assert.equal(await acp.prompt(place.sessionId, "hello once"), "end_turn");
      assert.deepEqual(shownWith("hello once"), sent[0]);
    });

    test("so they are by the older requests, and they outlive the agent's program", async () => {
      const { peer } = stage.pair.proxied;
      await peer.request("session/set_model", { sessionId: place.sessionId, modelId: older.model });
      await peer.request("session/set_mode", { sessionId: place.sessionId, modeId: older.mode });
      await bothKnow(older.holds);
      const hanging = acp.prompt(place.sessionId, "[[hang]]");
      await eventually("the agent works", () => acp.text().includes("I begin."));
      stage.killAgents();
      await assert.rejects(hanging, /ended by SIGKILL/);
      assert.equal(await acp.prompt(place.sessionId, "hello twice"), "end_turn");
      assert.deepEqual(shownWith("hello twice"), sent[1]);
      await bothKnow(older.holds);
      await acp.close();
    });

    test("they hold in the next parley acp, whose agent goes on by them", async () => {
      assert.equal((await stage.pair.proxied.peer.leave()).code, 0);
      const { stream, leave } = stdioStream(stage.home, stage.env);
      try {
        await goesOn(await SdkClient.open(stream));
      } finally {
        await leave();
      }
    });

    async function goesOn(next: SdkClient): Promise<void> {
      const { configOptions } = await next.agent.request<LoadSessionResponse>(methods.agent.session.load, place);
      assert.deepEqual(valuesOf(configOptions ?? []), older.holds);
      stage.reset();
      const edit = next.prompt(place.sessionId, "[[edit]] at last");
      for (let at = 0; at < asks; at++) {
        await eventually("an edit is asked about", () => next.asked.length > at);
        next.asked[at]?.answer("allow_once");
      }
      assert.equal(await edit, "end_turn");
      assert.equal(next.asked.length, asks);
      assert.match(readFileSync(stage.file, "utf8"), /hello universe/);
      assert.deepEqual(shownWith("at last"), sent[1]);
      assert.deepEqual(next.updates("config_option_update"), []);
    }
  });
}
