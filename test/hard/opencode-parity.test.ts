import { MORE_SCENARIOS, SCENARIOS } from "../support/opencode/agent-parity.ts";
import { paritySuite } from "../support/opencode/agent-parity-suite.ts";
import { HARD } from "../support/time.ts";

paritySuite(HARD ? { ...SCENARIOS, ...MORE_SCENARIOS } : SCENARIOS, HARD);
