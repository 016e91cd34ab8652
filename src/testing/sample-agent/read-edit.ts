import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ASK_OPTIONS } from "./ask-behaviours.ts";
import type { Behaviour, Turn } from "./turn.ts";

const FILE = "README.md";
const ADDED = "Added by Parley's scripted agent.";

/** The unified diff of a line added at the end. */
export function appendDiff(before: string | undefined, added: string): string {
  const from = before === undefined ? "/dev/null" : `a/${FILE}`;
  const head = `--- ${from}\n+++ b/${FILE}\n`;
  if (!before) return `${head}@@ -0,0 +1 @@\n+${added}\n`;
  const open = !before.endsWith("\n");
  const lines = (open ? before : before.slice(0, -1)).split("\n");
  const last = lines.at(-1);
  const context = open ? `-${last}\n\\ No newline at end of file\n+${last}\n` : ` ${last}\n`;
  return `${head}@@ -${lines.length} +${lines.length},2 @@\n${context}+${added}\n`;
}

async function read(turn: Turn): Promise<string | undefined> {
  const call = turn.id("call");
  turn.say({ type: "tool.running", call, name: "read", title: FILE, input: { path: FILE } });
  try {
    const content = await readFile(join(turn.directory, FILE), "utf8");
    turn.say({ type: "tool.done", call, ok: true, output: content });
    return content;
  } catch (error) {
    turn.say({ type: "tool.done", call, ok: false, error: { code: "unreadable", message: String(error) } });
    return undefined;
  }
}

/** Reads README.md and really adds a line at its end, after asking. */
export const readEdit: Behaviour = async (turn) => {
  await turn.speak(`I read ${FILE} first.`);
  const before = await read(turn);
  const diff = appendDiff(before, ADDED);
  if (turn.mode === "plan") {
    await turn.speak(`In plan mode I change nothing. I would add this line at the end of ${FILE}: ${ADDED}`);
    return;
  }
  const call = turn.id("call");
  const ask = turn.id("ask");
  const input = { path: FILE, append: ADDED };
  turn.say({ type: "tool.seen", call, name: "edit", title: FILE, input });
  const asked = { action: "edit", patterns: [FILE], input, metadata: { diff }, options: [...ASK_OPTIONS] };
  turn.say({ type: "permission", ask, call, ...asked });
  const answer = await turn.answer(ask);
  if (answer.outcome !== "once" && answer.outcome !== "always") {
    turn.say({ type: "tool.done", call, ok: false, error: { code: "rejected", message: "permission was rejected" } });
    await turn.speak(`I left ${FILE} as it was: permission was rejected.`);
    return;
  }
  turn.say({ type: "tool.running", call });
  const gap = before && !before.endsWith("\n") ? "\n" : "";
  await appendFile(join(turn.directory, FILE), `${gap}${ADDED}\n`);
  const kind = before === undefined ? "added" : "modified";
  const files = [{ path: FILE, kind, diff, additions: 1, deletions: 0 } as const];
  turn.say({ type: "tool.done", call, ok: true, output: `added a line to ${FILE}`, files });
  await turn.speak(`I read ${FILE} and added a line at the end: ${ADDED}`);
};
