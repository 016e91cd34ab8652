import type { AgentSession } from "../../../src/agents/contract.ts";
import { hasty, type Misbehaviour, spoilAgent } from "./spoil.ts";

export const SEVERAL: Misbehaviour[] = [
  {
    does: "holds back all sessions while one is paused",
    check: "a pause of one session leaves the other be, and the last one leaves no process",
    noticed: /the end of the turn "count 20" took more than/,
    spoil: (rig) => {
      const all: AgentSession[] = [];
      const agent = spoilAgent(rig.agent, (session) => {
        all.push(session);
        return { pause: () => all.forEach((one) => void one.pause()) };
      });
      return hasty(/^the end of the turn "count 20"$/, { ...rig, agent });
    },
  },
];
