import type { Draft } from "../../src/core/events/event.ts";
import { idSource } from "../../src/core/ids.ts";
import type { Log } from "../../src/log/contract.ts";
import { openLog } from "../../src/log/data-log.ts";

const BATCH = 1000;
const id = idSource(Date.now);
export const WORDS = "A line of what an agent would say about the work that it has been given to do. ".repeat(3);

function at(draft: Omit<Draft, "time" | "source">): Draft {
  return { ...draft, time: Date.now(), source: "agent" } as Draft;
}

function began(directory: string, agent = "scripted"): Draft {
  return at({ type: "session.started", data: { agent, directory, version: 1 } });
}

function message(turn: string, role: "user" | "assistant", more: { id?: string; step?: number } = {}): Draft[] {
  const item = { id: id(role === "user" ? "message" : "item"), kind: "message", role, ...more } as const;
  return [
    at({ type: "item.started", turn, data: { item: { ...item, status: "running" } } }),
    at({ type: "item.completed", turn, data: { item: { ...item, status: "completed", text: WORDS } } }),
  ];
}

/** A turn of a user's message and some of the agent's, closed or as a crash would leave it. */
function turnOf(messages: number, open: boolean): Draft[] {
  const turn = id("turn");
  const prompt = { id: id("message") };
  const answers = Array.from({ length: messages }, () => message(turn, "assistant")).flat();
  const end = open ? answers.splice(-1) && [] : [at({ type: "turn.ended", turn, data: { reason: "end_turn" } })];
  return [
    at({ type: "turn.started", turn, data: { by: "user", prompt } }),
    ...message(turn, "user"),
    ...answers,
    ...end,
  ];
}

async function write(log: Log, session: string, drafts: readonly Draft[]): Promise<void> {
  const hold = await log.open({ id: session });
  for (let from = 0; from < drafts.length; from += BATCH) {
    const entries = drafts.slice(from, from + BATCH).map((draft) => ({ draft }));
    await hold.append(from, entries);
  }
}

/** A data directory with one session of about so many events. */
export async function longSession(directory: string, events: number): Promise<{ session: string; last: number }> {
  const log = await openLog({ directory, sync: "process" });
  try {
    const session = id("session");
    const drafts = [began(directory)];
    while (drafts.length < events) drafts.push(...turnOf(8, false));
    await write(log, session, drafts);
    return { session, last: drafts.length };
  } finally {
    await log.close();
  }
}

/** A data directory with many sessions of one turn each, the last of them with that turn still open. */
export async function manySessions(directory: string, count: number, open: number): Promise<void> {
  const log = await openLog({ directory, sync: "process" });
  try {
    const sessions = Array.from({ length: count }, (_, at) => [began(directory), ...turnOf(3, at >= count - open)]);
    await Promise.all(sessions.map((drafts) => write(log, id("session"), drafts)));
  } finally {
    await log.close();
  }
}

/** A data directory with one session of the house agent, a question and an answer each turn: two messages of OpenCode's. */
export async function writeTalk(dataDirectory: string, directory: string, turns: number): Promise<string> {
  const log = await openLog({ directory: dataDirectory, sync: "process" });
  try {
    const session = id("session");
    const drafts = [began(directory, "house")];
    for (let count = 0; count < turns; count++) drafts.push(...questionAndAnswer());
    await write(log, session, drafts);
    return session;
  } finally {
    await log.close();
  }
}

function questionAndAnswer(): Draft[] {
  const turn = id("turn");
  const prompt = { id: id("message") };
  const step = { step: 1, id: id("message") };
  return [
    at({ type: "turn.started", turn, data: { by: "user", prompt } }),
    ...message(turn, "user", { id: prompt.id }),
    at({ type: "step.started", turn, data: step }),
    ...message(turn, "assistant", { step: 1 }),
    at({ type: "step.ended", turn, data: { ...step, finish: "stop" } }),
    at({ type: "turn.ended", turn, data: { reason: "end_turn" } }),
  ];
}
