import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { AcpReplay } from "../test/agents/acp/replay.ts";
import { ClaudeReplay } from "../test/agents/claude/replay.ts";
import { CodexReplay } from "../test/agents/codex/replay.ts";
import { OpenCodeReplay } from "../test/agents/opencode/replay/replay.ts";
import { compactReplay } from "../test/agents/replay/compact.ts";
import { Recordings } from "../test/agents/replay/recording.ts";
import { playAll, type Replay } from "../test/agents/replay/replay.ts";

// Makes the expected events of an agent's recordings anew and prints what changed: `node scripts/golden.ts AGENT [word]`.
const AGENTS: Readonly<Record<string, () => Replay>> = {
  acp: () => new AcpReplay(),
  claude: () => new ClaudeReplay(),
  codex: () => new CodexReplay(),
  "opencode-agent": () => new OpenCodeReplay(),
};
const [agent = "", word = ""] = process.argv.slice(2);
const open = AGENTS[agent];
if (open === undefined) throw new Error(`expected one of ${Object.keys(AGENTS).join(", ")}, got "${agent}"`);
const recordings = new Recordings(agent);

function changed(name: string, before: readonly string[], after: readonly string[]): string[] {
  const gone = before.filter((line) => !after.includes(line)).map((line) => `- ${line}`);
  const fresh = after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`);
  return [`── ${name}`, ...gone, ...fresh];
}

for (const name of recordings.names().filter((one) => one.includes(word))) {
  const file = recordings.file(name, "events.txt");
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  const after = compactReplay(playAll(open(), recordings.read(name)));
  if (before === after) continue;
  writeFileSync(file, after);
  console.log(changed(name, before.split("\n"), after.split("\n")).join("\n"));
}
