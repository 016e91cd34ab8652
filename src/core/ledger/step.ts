import type { Draft } from "../events/event.ts";
import type { TurnStatus } from "../events/values.ts";
import { present } from "../json/fields.ts";
import type { Facts } from "../session-state.ts";
import { addUsage } from "../usage.ts";
import { applyRules, onAnswer, onAskWithdrawn, onGrants, onPermission, onQuestion } from "./asks.ts";
import {
  closeIfSettled,
  onCancel,
  onClosing,
  onCrashed,
  onExited,
  onFail,
  onTimer,
  onTurnBegun,
  onTurnFinished,
} from "./finish.ts";
import { type Context, Frame } from "./frame.ts";
import { onIntent } from "./intents.ts";
import { onPrompt, onSteer, onWithdraw, startNext } from "./prompts.ts";
import { isHeard, onReplayBegun, onReplayEnded, onReplayPrompt } from "./replay.ts";
import { commitRevert } from "./revert.ts";
import { changeAgent, onCreate, updateFacts, updateLimits } from "./session.ts";
import { noteRan } from "./shell.ts";
import type { Signal } from "./signals.ts";
import type { Command, Effect, Input, LedgerState, Refusal } from "./state.ts";
import { onText, onTextDone, onTextKnown, onTextReplaced, onTextRetracted } from "./text.ts";
import { onToolBackgrounded, onToolDone, onToolOutput, onToolSeen } from "./tools.ts";
import { beginStep, endStep, openAgentTurn, sayStatusItem } from "./turn.ts";

export interface Stepped {
  state: LedgerState;
  events: Draft[];
  effects: Effect[];
  refusal?: Refusal;
}

/** The ledger: takes one input, gives the new state, events and effects. It does no I/O and has no clock. */
export function step(state: LedgerState, input: Input, context: Context): Stepped {
  if (state.deleted) return afterDeletion(state, input);
  const frame = new Frame(state, context);
  if ("command" in input) handle(frame, COMMANDS, input.command);
  else if (isHeard(state, input.signal)) handle(frame, SIGNALS, input.signal);
  closeIfSettled(frame);
  if (frame.effects.some((effect) => effect.type === "ended") && mayGoOn(state, input)) startNext(frame);
  if ("signal" in input) armQuiet(frame);
  const { events, effects, refusal } = frame;
  return refusal ? { state, events: [], effects: [], refusal } : { state: frame.state, events, effects };
}

/** The commands that clients ask for: true. The others are the gateway's own. */
const REQUESTS: Record<Command["type"], boolean> = {
  create: false,
  prompt: true,
  steer: true,
  withdraw: true,
  cancel: true,
  answer: true,
  update: true,
  commit: true,
  grant: false,
  closing: false,
  fail: false,
  crashed: false,
  next: false,
  timer: false,
};

/** A deletion is the last event of a session: signals after it say nothing, and requests are refused. */
function afterDeletion(state: LedgerState, input: Input): Stepped {
  const silence: Stepped = { state, events: [], effects: [] };
  if ("signal" in input || !REQUESTS[input.command.type]) return silence;
  return { ...silence, refusal: { code: "session_not_found", message: "the session was deleted" } };
}

/** Whether the next prompt begins after a turn's end: not while Parley shuts down, nor when it has just come back from a crash. */
function mayGoOn(before: LedgerState, input: Input): boolean {
  const crashed = "command" in input && input.command.type === "crashed";
  return before.closing !== "shutdown" && before.closing !== "deleted" && !crashed;
}

/** A function for each type of input: a new type without one does not compile. */
type Handlers<T extends { type: string }> = {
  [K in T["type"]]: (frame: Frame, input: Extract<T, { type: K }>) => void;
};

const COMMANDS: Handlers<Command> = {
  create: onCreate,
  prompt: (frame, { prompt, agent }) => {
    onPrompt(frame, prompt, agent);
    if (prompt.permissions) applyRules(frame);
  },
  steer: (frame, { prompt }) => {
    onSteer(frame, prompt);
    if (prompt.permissions) applyRules(frame);
  },
  withdraw: (frame, { prompt }) => onWithdraw(frame, prompt),
  cancel: onCancel,
  answer: onAnswer,
  update: onUpdate,
  commit: commitRevert,
  grant: (frame, { grants }) => onGrants(frame, grants),
  closing: (frame, { reason }) => onClosing(frame, reason),
  fail: (frame, { turn, error }) => onFail(frame, turn, error),
  crashed: onCrashed,
  next: startNext,
  timer: onTimer,
};

const SIGNALS: Handlers<Signal> = {
  session: (frame, signal) => updateFacts(frame, signal, "agent", signal.resume),
  "replay.begun": onReplayBegun,
  "replay.prompt": (frame, { parts }) => onReplayPrompt(frame, parts),
  "replay.ended": onReplayEnded,
  "turn.begun": (frame, { turn }) => onTurnBegun(frame, turn),
  "turn.finished": onTurnFinished,
  "step.begun": (frame, { step: key, summary }) => onStepBegun(frame, key, summary),
  "step.finished": onStepFinished,
  text: onText,
  "text.done": onTextDone,
  "text.replaced": onTextReplaced,
  "text.retracted": onTextRetracted,
  "text.known": onTextKnown,
  "tool.seen": onToolSeen,
  "tool.running": onToolSeen,
  "tool.output": onToolOutput,
  "tool.done": (frame, signal) => {
    noteRan(frame, signal);
    onToolDone(frame, signal);
  },
  "tool.backgrounded": onToolBackgrounded,
  permission: onPermission,
  intent: onIntent,
  question: onQuestion,
  "ask.withdrawn": onAskWithdrawn,
  status: (frame, { type: _, ...status }) => onStatus(frame, status),
  plan: (frame, { entries }) => frame.say("plan.updated", { entries }),
  usage: (frame, { usage }) => frame.say("usage.updated", usage),
  limits: (frame, { limits }) => updateLimits(frame, limits),
  note: onNote,
  error: (frame, { error }) => (frame.state.turn ? frame.patchTurn({ error }) : frame.say("error", error)),
  unparsed: (frame, { type: _, ...data }) => frame.sayOfSession("agent.unparsed", data, "parley"),
  exited: onExited,
};

function handle<T extends { type: string }>(frame: Frame, handlers: Handlers<T>, input: T): void {
  const handler = handlers[input.type as T["type"]] as (frame: Frame, input: T) => void;
  handler(frame, input);
}

function onUpdate(frame: Frame, { facts, agent }: { facts: Facts; agent?: string }): void {
  if (!changeAgent(frame, agent)) return;
  updateFacts(frame, facts.title === undefined ? facts : { ...facts, titled: true }, "parley");
  applyRules(frame);
}

/** A step never ends a turn; it only counts a model round trip. */
function onStepBegun(frame: Frame, key: string | undefined, summary?: boolean): void {
  const current = frame.state.turn?.step;
  if (key !== undefined && current?.key === key) return;
  openAgentTurn(frame);
  endStep(frame);
  beginStep(frame, key, summary);
}

function onStepFinished(frame: Frame, signal: Extract<Signal, { type: "step.finished" }>): void {
  const { turn } = frame.state;
  if (!turn?.step) return;
  if (signal.step !== undefined && turn.step.key !== undefined && turn.step.key !== signal.step) return;
  if (signal.usage) frame.patchTurn({ usage: addUsage(turn.usage ?? {}, signal.usage) });
  endStep(frame, signal);
}

function onStatus(frame: Frame, status: TurnStatus): void {
  const { turn } = frame.state;
  if (!turn || turn.status.status === "requires_action" || JSON.stringify(turn.status) === JSON.stringify(status))
    return;
  frame.patchTurn({ status });
  frame.say("turn.status", status);
}

function onNote(frame: Frame, signal: { level: "info" | "warn" | "error"; text: string; code?: string }): void {
  if (frame.state.turn) sayStatusItem(frame, signal);
  else frame.say("session.note", present({ text: signal.text, code: signal.code }));
}

/** Arms the quiet timer after each signal, for an agent that never says that its turn is over. */
function armQuiet(frame: Frame): void {
  const { quietMs } = frame.context;
  const { turn } = frame.state;
  if (quietMs !== undefined && turn && !turn.end)
    frame.want({ type: "timer", name: "quiet", turn: turn.id, ms: quietMs });
}
