import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { compactReplay, goldenFile, replay } from "../test/agents/claude/replay.ts";

// Makes the expected events of Claude Code's recordings anew and prints what changed: `node scripts/golden-claude.ts [word]`.
const word = process.argv[2] ?? "";
const names = globSync("test/golden/claude/*.jsonl").map((file) => basename(file, ".jsonl"));

function changed(name: string, before: readonly string[], after: readonly string[]): string[] {
  const gone = before.filter((line) => !after.includes(line)).map((line) => `- ${line}`);
  const fresh = after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`);
  return [`── ${name}`, ...gone, ...fresh];
}

for (const name of names.filter((one) => one.includes(word)).sort()) {
  const file = goldenFile(name, "events.txt");
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  const after = compactReplay(replay(name));
  if (before === after) continue;
  writeFileSync(file, after);
  console.log(changed(name, before.split("\n"), after.split("\n")).join("\n"));
}
