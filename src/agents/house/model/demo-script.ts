import { SUMMARISE } from "../turn/summary-words.ts";

/** The conversation since the user last spoke. */
export interface Scene {
  said: string;
  /** Results of the calls made since, oldest first. */
  results: readonly { name: string; ok: boolean; text: string }[];
  /** The tools that may be called. */
  tools: readonly string[];
}

/** A text, then a call, where there is one. */
export interface Reply {
  text?: string;
  call?: { name: string; input: Record<string, unknown> };
}

export const ADDED = "Added by Parley's scripted model.";
const TAIL_LINES = 50;

interface Shown {
  lines: string[];
  /** How many lines the file has, when not all were shown. */
  of?: number;
}

/** The lines that the read tool showed, without their numbers. */
function shownBy(output: string): Shown {
  const rows = output.split("\n");
  const more = /^\(lines \d+ to (\d+) of (\d+);/.exec(rows.at(-1) ?? "");
  const lines = (more ? rows.slice(0, -1) : rows).map((row) => row.replace(/^\d+: /, ""));
  return more && more[1] !== more[2] ? { lines, of: Number(more[2]) } : { lines };
}

/** The shortest end of a text, in whole lines, that is in it only once. */
function uniqueEnd(lines: readonly string[]): string | undefined {
  const text = lines.join("\n");
  for (let count = 1; count <= lines.length; count++) {
    const end = lines.slice(-count).join("\n");
    if (end !== "" && text.indexOf(end) === text.length - end.length) return end;
  }
  return undefined;
}

function firstLine(path: string): Reply["call"] {
  return { name: "write", input: { path, content: `${ADDED}\n` } };
}

function addLine(path: string, output: string): Reply {
  const empty = output === "(the file is empty)";
  if (empty) return { text: `${path} is empty. I write its first line.`, call: firstLine(path) };
  const { lines, of } = shownBy(output);
  if (of !== undefined) return { call: { name: "read", input: { path, offset: Math.max(1, of - TAIL_LINES) } } };
  const old = uniqueEnd(lines);
  if (old === undefined) return { text: `I left ${path} as it was: I cannot tell where its last line is.` };
  const call = { name: "edit", input: { path, old, new: `${old}\n${ADDED}` } };
  return { text: `Now I add a line at the end of ${path}.`, call };
}

function readAndAdd(path: string, { results, tools }: Scene): Reply {
  const last = results.at(-1);
  if (!last) return { text: `I read ${path} first.`, call: { name: "read", input: { path } } };
  if (last.name !== "read") {
    if (!last.ok) return { text: `I left ${path} as it was: ${last.text}.` };
    return { text: `I read ${path} and added a line at the end: ${ADDED}` };
  }
  if (!tools.includes("edit"))
    return { text: `In plan mode I change nothing. I would add this line at the end of ${path}: ${ADDED}` };
  if (last.ok) return addLine(path, last.text);
  if (!/does not exist/.test(last.text)) return { text: `I could not read ${path}: ${last.text}` };
  return { text: `${path} does not exist yet. I write it.`, call: firstLine(path) };
}

function runCommand(command: string, { results, tools }: Scene): Reply {
  const last = results.at(-1);
  if (last) return { text: last.ok ? `It wrote:\n${last.text}` : `It did not run: ${last.text}` };
  if (!tools.includes("bash")) return { text: `In plan mode I run nothing. I would run: ${command}` };
  return { call: { name: "bash", input: { command } } };
}

function askBack({ results }: Scene): Reply {
  const last = results.at(-1);
  if (last) return { text: last.ok ? `You answered. ${last.text}` : `You did not answer: ${last.text}` };
  const options = [{ label: "Tea" }, { label: "Coffee" }];
  return {
    call: { name: "question", input: { questions: [{ header: "Drink", question: "Tea or coffee?", options }] } },
  };
}

const HELP = `I am Parley's scripted model: no key is set, so nobody thinks here. Three things I can really do:
  Read README.md and add a line at the end
  Run: ls -l
  Ask me a question
For a model that thinks, set ANTHROPIC_API_KEY or OPENAI_API_KEY, start Parley again, and begin a new session or choose another model in this one.`;

/** A summary without a model: the user's words, in a list. */
function summarise(said: string): Reply {
  const lines = [...said.matchAll(/^User: (.+)$/gm)].map((match) => `- ${(match[1] ?? "").slice(0, 200)}`);
  return { text: `The user said, one after the other:\n${lines.join("\n")}` };
}

/** The next words of the demo model: they follow from the conversation alone. */
export function replyTo(scene: Scene): Reply {
  const said = scene.said.trim();
  if (said.startsWith(SUMMARISE)) return summarise(said);
  const add = /\bread\s+(\S+)\s+and\s+(?:add|append)\s+a\s+line/i.exec(said);
  if (add?.[1]) return readAndAdd(add[1], scene);
  const run = /^run:?\s+`?(.+?)`?$/is.exec(said);
  if (run?.[1]) return runCommand(run[1], scene);
  if (/^ask me\b/i.test(said)) return askBack(scene);
  return { text: `${HELP}\nYou said: ${said}` };
}
