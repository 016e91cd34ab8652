import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import { createClaudeAgent } from "../../../src/agents/claude/agent.ts";
import { startScriptedModel } from "../../../src/testing/model/server.ts";
import { surroundings } from "../../agents/claude/stage.ts";
import { makePlace } from "../../agents/contract/rigs.ts";
import { agentContract, type MakeRig } from "../../agents/contract/suite.ts";
import { numbers } from "../../agents/contract/watched.ts";
import { realAgent } from "../../support/real-agent.ts";
import { firstOf, GROUP_MS } from "../../support/time.ts";

const { program = "", skip } = await realAgent("claude");

const counting = (last: number) => [{ text: numbers(last).map((number) => `${number} `) }];
const script = {
  prompts: {
    count3: counting(3),
    count5: counting(5),
    count20: counting(20),
    count30: counting(30),
    work: [{ text: ["working ", { text: "on", hold: "for ever" }] }],
  },
};

const rig: MakeRig = async (t) => {
  const { host, directory, processes } = await makePlace(t);
  const model = await startScriptedModel({ script });
  t.after(() => model.close());
  const home = join(directory, "home");
  mkdirSync(home);
  const env = surroundings(program, home, model.url);
  const agent = createClaudeAgent({ host, dataDirectory: directory, env });
  return { agent, directory, processes, say: (word) => `[[${word.replace(" ", "")}]]` };
};

describe("the contract of agents, with the real program", { skip, timeout: GROUP_MS }, () => {
  agentContract("the real Claude Code", rig, {
    only: firstOf(
      [
        "ready resolves, a turn is told from its words to its end, close emits exited",
        "a cancel ends the turn, and the next prompt is served",
        "a kill in a turn leaves no process, and exited is the last signal",
        "no signal comes while paused, and none is lost",
        "calls before ready are delivered in their order",
        "a pause before ready holds",
        "a pause that is made within a signal holds the next one",
        "a second close waits for the first and emits nothing",
        "no call throws for an agent that has exited, and none wakes it",
      ],
      4,
    ),
  });
});
