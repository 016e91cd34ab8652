import { describe, test } from "node:test";
import { deniedIn } from "../agents/claude/rule-stage.ts";
import { realAgent } from "../support/real-agent.ts";
import { GROUP_MS } from "../support/time.ts";

const { program = "", skip } = await realAgent("claude");

describe("rules of a session and the real Claude Code, in every mode that works", { skip, timeout: GROUP_MS }, () => {
  for (const mode of ["default", "acceptEdits", "bypassPermissions"]) {
    test(`in ${mode} a denied command and a denied file are refused, the sub-agent's too, and the log has it`, async (t) => {
      await deniedIn(t, program, mode);
    });
  }
});
