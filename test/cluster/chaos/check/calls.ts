import type { ParleyEvent } from "../../../../src/core/events/event.ts";
import type { Call, Violation } from "../records.ts";

/** The marks by which events show what was asked for, and how often each was done. */
export interface Marks {
  /** Sessions by their first title. */
  created: ReadonlyMap<string, number>;
  /** Prompts that were taken, by their ids: begun or put into the queue, each counted once. */
  prompts: ReadonlyMap<string, number>;
  /** Answers, by the name of who gave them. */
  answers: ReadonlyMap<string, number>;
  titles: ReadonlyMap<string, number>;
  /** Pieces of text, which no fold has taken yet. */
  said: ReadonlyMap<string, number>;
  /** Turns that ended as cancelled. */
  cancelled: ReadonlyMap<string, number>;
}

function promptsOf(event: ParleyEvent): { queued?: string; begun: string[] } {
  if (event.type === "prompt.queued") return { queued: event.data.prompt.id, begun: [] };
  if (event.type !== "turn.started") return { begun: [] };
  const { prompt, context = [] } = event.data;
  return { begun: [...(prompt ? [prompt.id] : []), ...context.map(({ id }) => id)] };
}

/** Counts what was done, over the events of all sessions. */
export function marksOf(events: readonly ParleyEvent[]): Marks {
  const [created, queued, begun] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()];
  const [answers, titles, cancelled] = [
    new Map<string, number>(),
    new Map<string, number>(),
    new Map<string, number>(),
  ];
  const said = new Map<string, number>();
  const count = (map: Map<string, number>, key: string | undefined): void => {
    if (key !== undefined) map.set(key, (map.get(key) ?? 0) + 1);
  };
  for (const event of events) {
    const prompts = promptsOf(event);
    count(queued, prompts.queued);
    for (const id of prompts.begun) count(begun, id);
    if (event.type === "session.started" && event.seq === 1) count(created, event.data.title);
    if (event.type === "session.updated") count(titles, event.data.title);
    if (event.type === "item.delta") count(said, event.data.delta);
    if (event.type === "permission.resolved" || event.type === "question.resolved") count(answers, event.data.by);
    if (event.type === "turn.ended" && event.data.reason === "cancelled") count(cancelled, event.turn);
  }
  const prompts = new Map(
    [...queued.keys(), ...begun.keys()].map((id) => [id, Math.max(queued.get(id) ?? 0, begun.get(id) ?? 0)]),
  );
  return { created, prompts, answers, titles, said, cancelled };
}

function timesOf({ kind, key }: Call, marks: Marks): number {
  const by = {
    create: marks.created,
    prompt: marks.prompts,
    answer: marks.answers,
    rename: marks.titles,
    say: marks.said,
    cancel: marks.cancelled,
  }[kind];
  return by.get(key) ?? 0;
}

const told = ({ kind, key, session, outcome, status, code, node }: Call): string =>
  `${kind} ${key} of ${session ?? "a new session"} by ${node}: ${outcome} ${status ?? ""} ${code ?? ""}`.trim();

/** Each call that was acknowledged is in the log once, a refused one is not, an unknown one at most once. */
export function checkCalls(calls: readonly Call[], events: readonly ParleyEvent[]): Violation[] {
  const marks = marksOf(events);
  const violations: Violation[] = [];
  const broken = (rule: string, message: string): void => void violations.push({ rule, message });
  for (const call of calls) {
    const times = timesOf(call, marks);
    if (call.outcome === "ok" && times === 0) broken("acknowledged-stored", `${told(call)}, and the log lacks it`);
    if (call.outcome === "failed" && times > 0) broken("refused-absent", `${told(call)}, and the log has it`);
    if (times > 1) broken("stored-once", `${told(call)}, and the log has it ${times} times`);
  }
  return [...violations, ...checkReceipts(calls, events)];
}

/** The event that a receipt names is there, and is of that prompt. */
function checkReceipts(calls: readonly Call[], events: readonly ParleyEvent[]): Violation[] {
  const byId = new Map(events.map((event) => [event.id, event]));
  return calls.flatMap((call) => {
    if (call.kind !== "prompt" || call.outcome !== "ok" || call.seq === undefined) return [];
    const event = byId.get(`${call.session}:${call.seq}`);
    const { queued, begun } = event ? promptsOf(event) : { queued: undefined, begun: [] };
    if (queued === call.key || begun.includes(call.key)) return [];
    const found = event ? event.type : "nothing";
    return [{ rule: "receipt", message: `${told(call)} as number ${call.seq}, where the log has ${found}` }];
  });
}
