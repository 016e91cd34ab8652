import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import { createOpenCodeAgent } from "../../src/agents/opencode/agent.ts";
import { startScriptedModel } from "../../src/testing/model/server.ts";
import { makePlace } from "../agents/contract/rigs.ts";
import { agentContract, type MakeRig } from "../agents/contract/suite.ts";
import { numbers } from "../agents/contract/watched.ts";
import { isServer } from "../agents/opencode/stage.ts";
import { surroundings } from "../agents/opencode/surroundings.ts";
import { commandOf } from "../support/agent-stage.ts";
import { realAgent } from "../support/real-agent.ts";
import { GROUP_MS } from "../support/time.ts";

const { program = "", skip } = await realAgent("opencode");

const counting = (last: number) => [{ text: numbers(last).map((number) => `${number} `) }];
const script = {
  // A text that is over while the session is paused may be told as a whole.
  pace: 60,
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
  const agent = createOpenCodeAgent({ host, dataDirectory: directory, env });
  t.after(async () => agent.close?.());
  // A server is kept for a while after its last session.
  const others = (): number[] => processes().filter((pid) => !isServer(commandOf(pid)));
  return { agent, directory, processes: others, say: (word) => `[[${word.replace(" ", "")}]]` };
};

describe("the contract of agents, with the real program", { skip, timeout: GROUP_MS }, () => {
  agentContract("the real OpenCode", rig, {
    atOnce: 2,
    only: [
      "discovery says that the agent is installed, and names each mode once",
      "ready resolves, a turn is told from its words to its end, close emits exited",
      "calls before ready are delivered in their order",
      "a pause before ready holds",
      "no signal comes while paused, and none is lost",
      "a pause that is made within a signal holds the next one",
      "a cancel ends the turn, and the next prompt is served",
      "set settles for every mode, and the first mode serves a turn",
      "steer settles, and the turn still ends",
      "compact is there where the agent says so, and is a turn",
      "a kill while paused emits exited",
      "a kill of one session leaves the other be",
      "a second close waits for the first and emits nothing",
      "no call throws for an agent that has exited, and none wakes it",
    ],
  });
});
