import { describe, test } from "node:test";
import { planAfter } from "../agents/claude/room.ts";
import { realAgent } from "../support/real-agent.ts";
import { GROUP_MS } from "../support/time.ts";

const { program = "", skip } = await realAgent("claude");

describe("plans of the real Claude Code, after work in every mode", { skip, timeout: GROUP_MS }, () => {
  for (const before of ["default", "acceptEdits", "dontAsk", "auto", "bypassPermissions"]) {
    test(`a plan after ${before}: approved, each change is asked for; with edits, none is`, async (t) => {
      await planAfter(t, program, before);
    });
  }
});
