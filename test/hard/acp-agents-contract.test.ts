import { describe } from "node:test";
import { commandOf, realRig } from "../agents/acp/real-stage.ts";
import { REAL } from "../agents/acp/surroundings.ts";
import { agentContract, type Check } from "../agents/contract/suite.ts";
import { numbers } from "../agents/contract/watched.ts";
import { GROUP_MS } from "../support/time.ts";

const counting = (last: number) => [{ text: numbers(last).map((number) => `${number} `) }];
const script = {
  prompts: {
    count3: counting(3),
    count20: counting(20),
    work: [{ text: ["working ", { text: "on", hold: "for ever" }] }],
  },
};

const CHECKS: readonly Check[] = [
  "discovery says that the agent is installed, and names each mode once",
  "ready resolves, a turn is told from its words to its end, close emits exited",
  "a cancel ends the turn, and the next prompt is served",
  "steer settles, and the turn still ends",
  "a kill in a turn leaves no process, and exited is the last signal",
];

for (const name of REAL) {
  const { argv, skip } = await commandOf(name);
  describe(`the contract of agents, with the real ${name}`, { skip, timeout: GROUP_MS }, () => {
    const makeRig: Parameters<typeof agentContract>[1] = async (t) => {
      const rig = await realRig(t, name, argv ?? ["none"], () => script);
      return { ...rig, say: (word) => `[[${word.replace(" ", "")}]]` };
    };
    agentContract(`the real ${name}`, makeRig, { only: CHECKS, atOnce: 1 });
  });
}
