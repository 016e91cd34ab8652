import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { commandOf } from "../agents/acp/real-stage.ts";
import { isWithin, valuesIn } from "../support/acp/differences.ts";
import { assertAlike, RealThrough } from "../support/acp/real-through.ts";
import { type Client, choosing, type Ended } from "../support/acp/through.ts";
import type { Told } from "../support/acp/told.ts";
import { GROUP_MS } from "../support/time.ts";

const GREETER = fileURLToPath(new URL("../fixtures/agents/mcp-greeter.mjs", import.meta.url));
const PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

for (const name of ["opencode-acp", "claude-acp", "codex-acp"] as const) {
  const { argv, skip } = await commandOf(name);
  describe(`the real ${name}, as it is and behind parley acp`, { skip, timeout: GROUP_MS }, () => {
    test("what a client is told is the same, but for what docs/acp.md lists", async (t) => {
      const stage = await RealThrough.open(t, name, argv ?? ["none"]);
      const { native, proxied } = stage.pair;
      assert.deepEqual(valuesIn(proxied.opened.configOptions), valuesIn(native.opened.configOptions));

      await stage.assertSameEdit();

      const lacking = () => native.commands.filter((command) => !proxied.commands.includes(command));
      await proxied.peer.until("all commands", () => lacking().length === 0);

      stage.answer = choosing("reject_once");
      const refused = await stage.both((client) => client.prompt("[[edit]] again"));
      // Codex calls the turn cancelled.
      assert.equal(refused.proxied.answer.result?.stopReason, "end_turn");
      assertAlike(refused.native.told, refused.proxied.told);

      stage.answer = choosing("allow_once");
      const ran = await stage.both((client) => client.prompt("[[run]]"));
      assert.equal(ran.native.told.calls.length, 1);
      assertAlike(ran.native.told, ran.proxied.told);

      const during = (client: Client) => ({
        when: ({ words }: Ended["told"]) => words.includes("I begin."),
        act: () => client.cancel(),
      });
      const stopped = await stage.both((client) => client.prompt("[[hang]]", during(client)));
      assert.equal(stopped.native.answer.result?.stopReason, "cancelled");
      assert.equal(stopped.proxied.answer.result?.stopReason, "cancelled");

      const looked = await stage.both(async (client) => {
        const from = stage.model.requests.length;
        await client.prompt([
          { type: "text", text: "look" },
          { type: "image", mimeType: "image/png", data: PICTURE },
        ]);
        return stage.model.requests.slice(from).some(({ body }) => JSON.stringify(body).includes(PICTURE));
      });
      // OpenCode leaves out pictures for a model that takes none.
      assert.deepEqual(looked, { native: name !== "opencode-acp", proxied: name !== "opencode-acp" });

      const past = await stage.both((client) => client.load(stage.home.work));
      const { native: one, proxied: other } = past;
      // Codex forgets the words of a reply that was stopped, and calls that were refused.
      const lasting = ({ words }: Told): string => words.replace("I begin. ", "");
      assert.equal(lasting(other), lasting(one));
      const calls = (told: Told): string[] =>
        told.calls.map(({ title, kind, status }) => JSON.stringify({ title, kind, status }));
      assert.ok(isWithin(calls(one), calls(other)), `${calls(one)} became ${calls(other)}`);

      const { native: copy, proxied: through } = await stage.both(async (client) => {
        const params = { sessionId: client.session, cwd: stage.home.work, mcpServers: [] };
        client.session = String((await client.peer.request("session/fork", params)).sessionId);
        return client.prompt("[[edit]] in the copy");
      });
      assert.equal(through.answer.result?.stopReason, copy.answer.result?.stopReason);
      // The cost of a copy counts from where it was copied, or from its beginning, and its title may come late.
      for (const { told } of [copy, through]) {
        if (told.usage) told.usage = { used: told.usage.used };
        told.titles = [];
      }
      assertAlike(copy.told, through.told);

      const notes = join(stage.home.root, "notes");
      const env = [{ name: "GREETER_TOKEN", value: "sesame" }];
      const server = { name: "greeter", command: process.execPath, args: [GREETER, notes], env };
      const greeted = await stage.both(async (client) => {
        await client.open(stage.home.work, { mcpServers: [server] });
        return client.prompt("[[greet]]");
      });
      // Codex has a way of its own to call a server's tool.
      assert.equal(greeted.native.told.calls.length, name === "codex-acp" ? 0 : 1);
      assertAlike(greeted.native.told, greeted.proxied.told);
      assert.match(readFileSync(notes, "utf8"), /^(?:started with sesame\n){2,}$/);
    });
  });
}
