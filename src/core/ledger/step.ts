import type { Draft } from "../events/event.ts";
import type { TurnStatus, Usage } from "../events/values.ts";
import { addUsage } from "../usage.ts";
import { applyRules, onAnswer, onAskWithdrawn, onPermission, onQuestion } from "./asks.ts";
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
import { changeAgent, onCreate, updateFacts, updateLimits } from "./session.ts";
import { noteRan } from "./shell.ts";
import type { Signal } from "./signals.ts";
import type { Command, Effect, Facts, Input, LedgerState, Refusal } from "./state.ts";
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
  if ("signal" in input) onSignal(frame, input.signal);
  else onCommand(frame, input.command);
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
  return (
    before.closing !== "shutdown" &&
    before.closing !== "deleted" &&
    !("command" in input && input.command.type === "crashed")
  );
}

function onCommand(frame: Frame, command: Command): void {
  switch (command.type) {
    case "create":
      return onCreate(frame, command);
    case "prompt":
      onPrompt(frame, command.prompt, command.agent);
      return command.prompt.permissions ? applyRules(frame) : undefined;
    case "steer":
      onSteer(frame, command.prompt);
      return command.prompt.permissions ? applyRules(frame) : undefined;
    case "withdraw":
      return onWithdraw(frame, command.prompt);
    case "cancel":
      return onCancel(frame, command);
    case "answer":
      return onAnswer(frame, command);
    case "update":
      return onUpdate(frame, command);
    case "closing":
      return onClosing(frame, command.reason);
    case "fail":
      return onFail(frame, command.turn, command.error);
    case "crashed":
      return onCrashed(frame);
    case "next":
      return startNext(frame);
    case "timer":
      return onTimer(frame, command);
    default:
      command satisfies never;
  }
}

function onSignal(frame: Frame, signal: Signal): void {
  if (!isHeard(frame.state, signal)) return;
  switch (signal.type) {
    case "replay.begun":
      return onReplayBegun(frame);
    case "replay.prompt":
      return onReplayPrompt(frame, signal.parts);
    case "replay.ended":
      return onReplayEnded(frame);
    case "session":
      return updateFacts(frame, signal, "agent", signal.resume);
    case "turn.begun":
      return onTurnBegun(frame, signal.turn);
    case "turn.finished":
      return onTurnFinished(frame, signal);
    case "step.begun":
      return onStepBegun(frame, signal.step, signal.summary);
    case "step.finished":
      return onStepFinished(frame, signal);
    case "text":
      return onText(frame, signal);
    case "text.done":
      return onTextDone(frame, signal);
    case "text.replaced":
      return onTextReplaced(frame, signal);
    case "text.retracted":
      return onTextRetracted(frame, signal);
    case "text.known":
      return onTextKnown(frame, signal);
    case "tool.seen":
    case "tool.running":
      return onToolSeen(frame, signal);
    case "tool.output":
      return onToolOutput(frame, signal);
    case "tool.done":
      noteRan(frame, signal);
      return onToolDone(frame, signal);
    case "tool.backgrounded":
      return onToolBackgrounded(frame, signal);
    case "permission":
      return onPermission(frame, signal);
    case "intent":
      return onIntent(frame, signal);
    case "question":
      return onQuestion(frame, signal);
    case "ask.withdrawn":
      return onAskWithdrawn(frame, signal);
    case "status": {
      const { type: _, ...status } = signal;
      return onStatus(frame, status);
    }
    case "plan":
      return frame.say("plan.updated", { entries: signal.entries });
    case "limits":
      return updateLimits(frame, signal.limits);
    case "usage":
      return frame.say("usage.updated", signal.usage);
    case "note":
      return onNote(frame, signal);
    case "error":
      return frame.state.turn ? frame.patchTurn({ error: signal.error }) : frame.say("error", signal.error);
    case "unparsed": {
      const { type: _, ...data } = signal;
      return frame.sayOfSession("agent.unparsed", data, "parley");
    }
    case "exited":
      return onExited(frame, signal);
    default:
      signal satisfies never;
  }
}

function onUpdate(frame: Frame, { facts, agent }: { facts: Facts; agent?: string }): void {
  if (!changeAgent(frame, agent)) return;
  updateFacts(frame, facts, "parley");
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

function onStepFinished(frame: Frame, signal: { step?: string; finish?: string; usage?: Usage }): void {
  const { turn } = frame.state;
  if (!turn?.step) return;
  if (signal.step !== undefined && turn.step.key !== undefined && turn.step.key !== signal.step) return;
  if (signal.usage) frame.patchTurn({ usage: addUsage(turn.usage ?? {}, signal.usage) });
  endStep(frame, signal.finish, signal.usage);
}

function onStatus(frame: Frame, status: TurnStatus): void {
  const { turn } = frame.state;
  if (!turn || turn.status.status === "requires_action" || JSON.stringify(turn.status) === JSON.stringify(status))
    return;
  frame.patchTurn({ status });
  frame.say("turn.status", status);
}

function onNote(frame: Frame, signal: { level: "info" | "warn" | "error"; text: string; code?: string }): void {
  if (!frame.state.turn) {
    frame.say("session.note", { text: signal.text });
    return;
  }
  sayStatusItem(frame, signal);
}

/** Arms the quiet timer after each signal, for an agent that never says that its turn is over. */
function armQuiet(frame: Frame): void {
  const { quietMs } = frame.context;
  const { turn } = frame.state;
  if (quietMs !== undefined && turn && !turn.end)
    frame.want({ type: "timer", name: "quiet", turn: turn.id, ms: quietMs });
}
