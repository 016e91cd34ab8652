import type { EventData } from "../events/catalog.ts";
import type { Task } from "../events/values.ts";
import { SCHEMA_VERSION } from "../events/version.ts";
import { present } from "../json/fields.ts";
import type { Facts } from "../session-state.ts";
import { AppendSet } from "./append-set.ts";
import type { Frame } from "./frame.ts";
import type { LedgerTurn } from "./state.ts";

/** Says `session.started` again where the session had ended. */
function ensureLive(frame: Frame): void {
  if (frame.state.live) return;
  const { agent, directory, facts } = frame.state;
  frame.patch({ live: true });
  frame.say("session.started", { agent, directory, ...facts, resumed: true, version: SCHEMA_VERSION }, "parley");
}

/** Begins a turn; its `turn.started` is said by the caller. */
export function beginTurn(frame: Frame, by: "user" | "agent", task?: Task): LedgerTurn {
  ensureLive(frame);
  const { now, steady, id } = frame.context;
  const { replay, facts } = frame.state;
  const turn: LedgerTurn = {
    ...present({ id: id("turn"), by, task, started: now, begun: steady }),
    ...present({ model: facts.model, elsewhere: replay === "take" ? true : undefined }),
    steps: 0,
    step: null,
    texts: new Map(),
    calls: new Map(),
    done: AppendSet.EMPTY,
    asks: new Map(),
    settledAsks: new Set(),
    cancelled: false,
    end: null,
    status: { status: "running" },
  };
  frame.patch({ turn, begun: true });
  // An agent that is being closed for being idle does not serve this turn.
  if (frame.state.closing === "closed") frame.patch({ closing: undefined });
  return turn;
}

/** Model, mode and options, said with each turn for readers that see only a part of the history. */
export function choiceOf({ state }: Frame): Pick<Facts, "model" | "mode" | "options"> {
  const { model, mode, options } = state.facts;
  return present({ model, mode, options });
}

/** Begins a turn of the agent's own, unless a turn is open. */
export function openAgentTurn(frame: Frame): void {
  if (frame.state.turn) return;
  beginTurn(frame, "agent");
  const { lastPrompt: after, replay } = frame.state;
  frame.say("turn.started", present({ by: "agent", replayed: replay ? true : undefined, after, ...choiceOf(frame) }));
}

/** The number of the step that is open; output without one begins one. */
export function currentStep(frame: Frame): number {
  const { turn } = frame.state;
  return turn?.step?.number ?? beginStep(frame, undefined);
}

export function beginStep(frame: Frame, key: string | undefined, summary = false): number {
  const number = (frame.state.turn?.steps ?? 0) + 1;
  const step = present({ number, id: frame.context.id("message"), key, summary });
  frame.patchTurn({ steps: number, step });
  frame.say("step.started", { step: number, id: step.id, ...(summary ? { summary } : {}) });
  return number;
}

export function endStep(frame: Frame, told: Pick<EventData["step.ended"], "finish" | "usage" | "point"> = {}): void {
  const step = frame.state.turn?.step;
  if (!step) return;
  const { finish, usage, point } = told;
  frame.say("step.ended", present({ step: step.number, id: step.id, finish, usage, point }));
  frame.patchTurn({ step: null });
}

/** Output sets a turn that was retrying or compacting to running. The summary itself is part of compacting. */
export function noteActivity(frame: Frame): void {
  const status = frame.state.turn?.status.status;
  if (status !== "retrying" && (status !== "compacting" || frame.state.turn?.step?.summary)) return;
  frame.patchTurn({ status: { status: "running" } });
  frame.say("turn.status", { status: "running" });
}

/** Says a status item, which is complete at once. */
export function sayStatusItem(
  frame: Frame,
  remark: { level: "info" | "warn" | "error"; text: string; code?: string },
): void {
  const { level, text, code } = remark;
  const item = present({ id: frame.context.id("item"), kind: "status", level, text, code });
  frame.say("item.started", { item: { ...item, status: "running" } });
  frame.say("item.completed", { item: { ...item, status: "completed" } });
}
