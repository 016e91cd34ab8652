import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../support/agent-stage.ts";
import { surroundings as claude } from "../claude/stage.ts";
import { surroundings as codex } from "../codex/stage.ts";
import { surroundings as opencode } from "../opencode/surroundings.ts";

/** The agents that tests really run behind the adapter. */
export const REAL = ["claude-acp", "codex-acp", "opencode-acp", "gemini"] as const;
export type Real = (typeof REAL)[number];

/** Gemini's settings: a key, no look at the network, nothing of the project. */
function gemini(home: string, url: string): Environment {
  mkdirSync(join(home, ".gemini"), { recursive: true });
  const settings = {
    security: { auth: { selectedType: "gemini-api-key" } },
    general: { disableAutoUpdate: true, disableUpdateNag: true, enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
  };
  writeFileSync(join(home, ".gemini", "settings.json"), JSON.stringify(settings));
  return {
    HOME: home,
    GEMINI_API_KEY: "test",
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_CLI_TRUST_WORKSPACE: "true",
    GOOGLE_API_KEY: undefined,
  };
}

/** The environment in which a real agent talks to the scripted model and to nobody else. */
export function surroundingsOf(name: Real, home: string, url: string): Environment {
  mkdirSync(home, { recursive: true });
  if (name === "gemini") return gemini(home, url);
  if (name === "opencode-acp") return opencode("", home, url, { permission: { edit: "ask", bash: "ask" } });
  // The program refuses to skip permissions for root, unless it is told that it is in a sandbox.
  if (name === "claude-acp") return { ...claude("", home, url), IS_SANDBOX: "1", DISABLE_AUTOUPDATER: "1" };
  return {
    ...codex("", home, url, { approval_policy: "on-request" }),
    INITIAL_AGENT_MODE: "read-only",
    NO_BROWSER: "1",
  };
}
