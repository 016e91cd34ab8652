import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startChild } from "../../test/support/opencode/child.ts";
import { MODEL } from "../../test/support/opencode/native.ts";
import type { Surroundings } from "../../test/support/opencode/surroundings.ts";
import { WORDS } from "../harness/sessions.ts";

const SESSION = "ses_bench0000000000000000000000";
const TOKENS = { input: 1, output: 1, reasoning: 0, cache: { read: 0, write: 0 } };

/** OpenCode sorts by ids. */
function idOf(kind: "msg" | "prt", number: number): string {
  return `${kind}_${number.toString(16).padStart(12, "0")}${"A".repeat(14)}`;
}

function questionAndAnswer(directory: string, turn: number, since: number): object[] {
  const [question, answer] = [idOf("msg", turn * 2), idOf("msg", turn * 2 + 1)];
  const created = since + turn * 2;
  const part = (number: number, messageID: string, more: object): object => {
    return { id: idOf("prt", turn * 4 + number), sessionID: SESSION, messageID, ...more };
  };
  const asked = { agent: "build", model: { providerID: MODEL.provider, modelID: MODEL.id }, time: { created } };
  const said = {
    parentID: question,
    mode: "build",
    agent: "build",
    path: { cwd: directory, root: "/" },
    cost: 0,
    tokens: TOKENS,
    modelID: MODEL.id,
    providerID: MODEL.provider,
    time: { created: created + 1, completed: created + 1 },
    finish: "stop",
  };
  return [
    {
      info: { id: question, sessionID: SESSION, role: "user", ...asked },
      parts: [part(0, question, { type: "text", text: WORDS })],
    },
    {
      info: { id: answer, sessionID: SESSION, role: "assistant", ...said },
      parts: [
        part(1, answer, { type: "step-start" }),
        part(2, answer, { type: "text", text: WORDS, time: { start: created + 1, end: created + 1 } }),
        part(3, answer, { type: "step-finish", reason: "stop", tokens: TOKENS, cost: 0 }),
      ],
    },
  ];
}

/** Gives native OpenCode the session that `writeTalk` gives Parley, by its own `import`. */
export async function importTalk(
  program: string,
  surroundings: Surroundings,
  directory: string,
  turns: number,
): Promise<string> {
  const now = Date.now() - turns * 2;
  const info = {
    id: SESSION,
    slug: "long",
    projectID: "global",
    directory,
    title: "A long session",
    version: "1.18.33",
    time: { created: now, updated: now },
  };
  const messages = Array.from({ length: turns }, (_, turn) => questionAndAnswer(directory, turn, now)).flat();
  const file = join(surroundings.root, "long-session.json");
  await writeFile(file, JSON.stringify({ info, messages }));
  const child = startChild(program, ["import", file], { cwd: directory, env: surroundings.env({}, "native") });
  const { code } = await child.exited;
  if (code !== 0) throw new Error(`expected opencode import to succeed, got ${code}: ${child.stderr()}`);
  return SESSION;
}
