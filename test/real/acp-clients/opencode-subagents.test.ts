import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { surroundings } from "../../agents/opencode/surroundings.ts";
import { bash, task } from "../../agents/opencode/tools.ts";
import { openAcp } from "../../cli/acp/support.ts";
import type { Message } from "../../support/acp/peer.ts";
import { realAgent } from "../../support/real-agent.ts";
import { firstOf, GROUP_MS } from "../../support/time.ts";
import { Stage } from "./stage.ts";

const { program = "", skip } = await realAgent("opencode");

const script = {
  prompts: {
    "*": [{ text: "I see." }],
    delegate: [{ text: "I delegate.", tools: [task("Look", "[[look]] look around")] }, { text: "It is done." }],
    look: [{ text: "I touch.", tools: [bash("touch sub.txt")] }, { text: "Touched." }],
  },
};

const config = { permission: { bash: "ask" }, agent: { general: { permission: { bash: "ask" } } } };

/** Chooses the option of a kind. */
function choosing(kind: string, seen: Message[]) {
  return (message: Message): unknown => {
    if (message.method !== "session/request_permission") return undefined;
    seen.push(message);
    const options = message.params?.options as { optionId: string; kind: string }[];
    const option = options.find((one) => one.kind === kind);
    return { outcome: { outcome: "selected", optionId: option?.optionId } };
  };
}

describe("a sub-agent of the real OpenCode behind parley acp", { skip, timeout: GROUP_MS }, () => {
  for (const [kind, does] of firstOf([["allow_once", true] as const, ["reject_once", false] as const], 1)) {
    test(`its permission request reaches the client of the session, which answers ${kind}, and the turn comes to its end`, async (t) => {
      const stage = await Stage.open(t, {
        script,
        surroundings: (home, url) => surroundings(program, home, url, config),
      });
      const seen: Message[] = [];
      const answer = choosing(kind, seen);
      const { peer, session } = await openAcp(stage.home, { args: ["--agent", "opencode"], env: stage.env, answer });
      await using _ = peer;
      assert.equal(await peer.stopReason(peer.prompt(session, "[[delegate]]")), "end_turn");
      assert.equal(seen.length, 1);
      assert.equal(seen[0]?.params?.sessionId, session, "it is asked in the session that the client knows");
      assert.match(JSON.stringify(seen[0]?.params?.toolCall), /touch sub\.txt/);
      assert.equal(existsSync(join(stage.home.work, "sub.txt")), does);
      assert.match(peer.text, /It is done\./);
      assert.equal((await peer.leave()).code, 0);
    });
  }
});
