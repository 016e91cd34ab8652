import { acpRig, claudeRig, codexRig, houseRig, lineProtocolRig, plainRig } from "./rigs.ts";
import { agentContract } from "./suite.ts";

const INSIDE = "it lives in Parley's own process: no program can fail to start, forget or die";

agentContract("the line protocol", lineProtocolRig);
agentContract("the adapter of docs/adapters.md", plainRig);
agentContract("Claude Code", claudeRig);
agentContract("Codex", codexRig);
agentContract("an agent of the Agent Client Protocol", acpRig);
agentContract("the house agent", houseRig, {
  without: {
    "ready rejects with SpawnFailed when the program cannot be started": INSIDE,
    "ready rejects with SpawnFailed in time when the program never answers": INSIDE,
    "ready rejects with ResumeLost when the agent has forgotten the session": INSIDE,
    "an agent that ignores a cancel is ended by kill": INSIDE,
    "a program that dies tells its code and its last words, after all that it said": INSIDE,
  },
});
