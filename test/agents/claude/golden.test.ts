import { goldenSuite } from "../replay/golden-suite.ts";
import { ClaudeReplay } from "./replay.ts";

goldenSuite({
  agent: "claude",
  title: "Claude Code",
  count: 75,
  open: () => new ClaudeReplay(),
  mayRepeat: ({ line }) => (line as { type?: string }).type !== "stream_event",
});
