import { withEntry } from "../entries.ts";
import type { AskOption, Question } from "../events/values.ts";
import { present } from "../json/fields.ts";
import { shownPatterns } from "../permissions/exact.ts";
import { offeredPatterns } from "../permissions/offer.ts";
import type { Grant } from "../session-state.ts";
import type { Frame } from "./frame.ts";
import type { Answer, PermissionSignal, QuestionSignal } from "./signals.ts";
import { callKey, findPast, type LedgerAsk, type LedgerState, type LedgerTurn } from "./state.ts";
import { openAgentTurn } from "./turn.ts";
import { decide, verdictOn } from "./verdicts.ts";

const LONGEST_LABEL = 200;

/** Told with the refusal of an ask whose turn is being stopped: an adapter may have another word for it. */
export const TURN_STOPPED = "the turn was stopped";

/** The options of an ask whose agent offers none. The label of `always` names the patterns that it would grant. */
function usualOptions(patterns: readonly string[]): AskOption[] {
  const what = patterns.length === 0 ? "" : `: ${patterns.join(", ")}`;
  const always = what.length > LONGEST_LABEL ? `: ${patterns.length} patterns` : what;
  return [
    { id: "once", kind: "once", label: "Allow once" },
    { id: "always", kind: "always", label: `Allow for this session${always}` },
    { id: "reject", kind: "reject", label: "Reject" },
  ];
}

type OpenPermission = Extract<LedgerAsk, { kind: "permission" }>;
type Resolution = Answer | { kind: "permission" | "question"; outcome: "cancelled" };

/** The turn that an ask belongs to; undefined when the ask comes too late and is declined at once. */
function turnFor(frame: Frame, signal: { ask: string; call?: string }, declined: Answer): LedgerTurn | undefined {
  const { turn } = frame.state;
  if (turn?.asks.has(signal.ask) || turn?.settledAsks.has(signal.ask)) return undefined;
  const stale =
    signal.call !== undefined && !turn?.calls.has(signal.call) && findPast(frame.state, callKey(signal.call));
  if (stale) {
    frame.want({ type: "answer", ask: signal.ask, answer: declined });
    const text = "an ask about a tool call of a turn that is over was declined";
    frame.sayOfSession("session.note", { text, about: stale.turn, call: signal.call });
    return undefined;
  }
  openAgentTurn(frame);
  return frame.state.turn ?? undefined;
}

export function onPermission(frame: Frame, signal: PermissionSignal): void {
  const turn = turnFor(frame, signal, { kind: "permission", outcome: "reject", feedback: "the turn is over" });
  if (!turn) return;
  const { action, command, title, call, input, metadata } = signal;
  const patterns = signal.patterns ?? (command === undefined ? [] : offeredPatterns(command, frame.state.directory));
  // An ask without any way to answer it could never be resolved.
  const options = signal.options?.length ? signal.options : usualOptions(shownPatterns(patterns, command));
  const offers = options.map((option) => option.kind);
  const id = frame.context.id("permission");
  const ask: OpenPermission = present({ id, kind: "permission", action, command, patterns, offers });
  const asked = { ask: id, action, command, patterns, options, title, call, input, metadata };
  frame.say("permission.requested", present({ ...asked, settledBy: settledBy(frame.state, turn, ask) }));
  beginAsk(frame, signal.ask, ask);
}

export function onQuestion(frame: Frame, signal: QuestionSignal): void {
  const turn = turnFor(frame, signal, { kind: "question", outcome: "rejected", feedback: "the turn is over" });
  if (!turn) return;
  const { questions, kind, call, metadata } = signal;
  const ask: LedgerAsk = { id: frame.context.id("question"), kind: "question", questions };
  const asked = { ask: ask.id, questions, kind, call, metadata };
  frame.say("question.requested", present({ ...asked, settledBy: settledBy(frame.state, turn, ask) }));
  beginAsk(frame, signal.ask, ask);
}

/** Tells clients beforehand that this step also resolves the ask, so that they ask nobody; undefined when a person must answer. */
function settledBy(state: LedgerState, turn: LedgerTurn, ask: LedgerAsk): "rule" | "turn" | undefined {
  if (turn.cancelled || turn.end) return "turn";
  return ruled(state, ask) ? "rule" : undefined;
}

/** Opens an ask, and resolves it at once where nobody needs to be asked. */
function beginAsk(frame: Frame, key: string, ask: LedgerAsk): void {
  const { turn } = frame.state;
  if (!turn) return;
  frame.patchTurn({ asks: withEntry(turn.asks, key, ask) });
  if (turn.cancelled || turn.end) decline(frame, key, ask);
  else if (!settleByRule(frame, key, ask)) waitForPerson(frame, ask);
}

/** The answer of the session's rules and grants to an ask. A denial counts more than a grant before it. */
function ruled({ facts, rules, directory }: LedgerState, ask: LedgerAsk): Answer | undefined {
  const { permissions = [] } = facts;
  const feedback = "a rule of this session denies it";
  if (ask.kind === "question") {
    const denied = verdictOn(permissions, "question", []) === "deny";
    return denied ? { kind: "question", outcome: "rejected", feedback } : undefined;
  }
  const verdict = decide({ permissions, granted: rules, directory }, ask);
  if (verdict === "deny") return { kind: "permission", outcome: "reject", feedback };
  // An allow becomes one of the options that the agent offers.
  const outcome = (["once", "always"] as const).find((kind) => ask.offers.includes(kind));
  return outcome && verdict === "allow" ? { kind: "permission", outcome } : undefined;
}

function settleByRule(frame: Frame, key: string, ask: LedgerAsk): boolean {
  const answer = ruled(frame.state, ask);
  if (answer) resolveAndAnswer(frame, key, ask, answer, "rule");
  return answer !== undefined;
}

/** Applies new rules to the asks that are open already. */
export function applyRules(frame: Frame): void {
  for (const [key, ask] of frame.state.turn?.asks ?? []) settleByRule(frame, key, ask);
  resumeIfAnswered(frame);
}

/** The turn requires action: it goes on when a person answers. */
function waitForPerson(frame: Frame, ask: LedgerAsk): void {
  if (frame.state.turn?.status.status !== "requires_action") {
    frame.patchTurn({ status: { status: "requires_action" } });
    frame.say("turn.status", { status: "requires_action" }, "parley");
  }
  frame.want({ type: "asked", ask: ask.id, kind: ask.kind });
}

/** Refuses an ask because its turn is being stopped. */
function decline(frame: Frame, key: string, ask: LedgerAsk): void {
  const feedback = TURN_STOPPED;
  const answer: Answer =
    ask.kind === "permission"
      ? { kind: "permission", outcome: "reject", feedback }
      : { kind: "question", outcome: "rejected", feedback };
  resolve(frame, key, ask, { kind: ask.kind, outcome: "cancelled" }, "turn");
  frame.want({ type: "answer", ask: key, answer });
}

function resolve(frame: Frame, key: string, ask: LedgerAsk, resolution: Resolution, by: string): void {
  const { turn } = frame.state;
  if (!turn) return;
  frame.patchTurn({ asks: withEntry(turn.asks, key, undefined), settledAsks: new Set([...turn.settledAsks, key]) });
  const feedback = "feedback" in resolution ? resolution.feedback : undefined;
  const { id, kind } = ask;
  if (kind === "permission") {
    const outcome = resolution.outcome as "once" | "always" | "reject" | "cancelled";
    const { action, patterns } = ask;
    const resolved = { ask: id, outcome, by, action, patterns, ...ofCommand(ask, outcome), feedback };
    frame.say("permission.resolved", present(resolved), "parley");
  } else {
    const outcome = resolution.outcome as "answered" | "rejected" | "cancelled";
    const answers = resolution.outcome === "answered" ? resolution.answers : undefined;
    frame.say("question.resolved", present({ ask: id, outcome, by, answers, feedback }), "parley");
  }
}

/** The line that an "always" was given for: its patterns are then for commands, one by one. */
function ofCommand({ command }: OpenPermission, outcome: string): { command?: string } {
  return command !== undefined && outcome === "always" ? { command } : {};
}

function resolveAndAnswer(frame: Frame, key: string, ask: LedgerAsk, answer: Answer, by: string): void {
  resolve(frame, key, ask, answer, by);
  frame.want({ type: "answer", ask: key, answer });
}

/** The reason why an answer does not fit an ask; undefined when it does. */
function misfit(ask: LedgerAsk, answer: Answer): string | undefined {
  if (ask.kind !== answer.kind) return `ask ${ask.id} is a ${ask.kind}, the answer is for a ${answer.kind}`;
  if (ask.kind === "permission") {
    // A rejection is always possible: a cancel tells the agent the same.
    const offered = answer.outcome === "reject" || ask.offers.some((kind) => kind === answer.outcome);
    const expected = `expected one of the outcomes that ask ${ask.id} offers (${ask.offers.join(", ")})`;
    return offered ? undefined : `${expected}, got ${answer.outcome}`;
  }
  if (answer.outcome !== "answered") return undefined;
  const { questions } = ask;
  if (answer.answers.length !== questions.length)
    return `expected ${questions.length} answers, one list for each question, got ${answer.answers.length}`;
  return questions.map((question, at) => misfitOfOne(question, answer.answers[at] ?? [])).find(Boolean);
}

/** Refuses free text and several labels only where the agent has said that it takes none. */
function misfitOfOne({ question, options, custom, multiple }: Question, given: readonly string[]): string | undefined {
  if (multiple === false && given.length > 1) return `expected one answer to "${question}", got ${given.length}`;
  const strange = custom === false ? given.find((one) => !options.some(({ label }) => label === one)) : undefined;
  if (strange === undefined) return undefined;
  return `expected one of ${options.map(({ label }) => label).join(", ")} as answer to "${question}", got ${strange}`;
}

/** An answer that Parley gives because nobody is attached: one that does not fit the ask becomes a rejection. */
function fittingAnswer(ask: LedgerAsk, answer: Answer): Answer {
  if (ask.kind === "question" || misfit(ask, answer) === undefined) return answer;
  return { kind: "permission", outcome: "reject", feedback: "nobody is attached to choose among what was offered" };
}

/** A person, a rule or the policy answers. The first answer wins; the gateway tells a second one who won. */
export function onAnswer(frame: Frame, command: { ask: string; answer: Answer; by: string; own?: boolean }): void {
  const { by, own = false } = command;
  const found = [...(frame.state.turn?.asks ?? [])].find(([, ask]) => ask.id === command.ask);
  if (!found) {
    frame.refuse("ask_not_found", `no open ask ${command.ask}`);
    return;
  }
  const [key, ask] = found;
  const answer = own ? fittingAnswer(ask, command.answer) : command.answer;
  const wrong = misfit(ask, answer);
  if (wrong !== undefined) {
    frame.refuse("invalid", wrong);
    return;
  }
  resolveAndAnswer(frame, key, ask, answer, by);
  if (ask.kind === "permission" && answer.outcome === "always") {
    const { action, patterns } = ask;
    const grant: Grant = { action, patterns, ...ofCommand(ask, "always") };
    frame.patch({ rules: [...frame.state.rules, grant] });
    frame.want({ type: "granted", grant });
  }
  applyRules(frame);
}

export function onGrants(frame: Frame, grants: readonly Grant[]): void {
  frame.patch({ rules: [...frame.state.rules, ...grants] });
  applyRules(frame);
}

function resumeIfAnswered(frame: Frame): void {
  const { turn } = frame.state;
  if (turn?.status.status !== "requires_action" || turn.asks.size > 0) return;
  frame.patchTurn({ status: { status: "running" } });
  frame.say("turn.status", { status: "running" }, "parley");
}

export function onAskWithdrawn(frame: Frame, signal: { ask: string }): void {
  const ask = frame.state.turn?.asks.get(signal.ask);
  if (!ask) return;
  resolve(frame, signal.ask, ask, { kind: ask.kind, outcome: "cancelled" }, "agent");
  resumeIfAnswered(frame);
}

/** Cancels the open asks. The agent is told so, unless it is gone. */
export function closeAsks(frame: Frame, tellAgent: boolean): void {
  for (const [key, ask] of frame.state.turn?.asks ?? []) {
    if (tellAgent) decline(frame, key, ask);
    else resolve(frame, key, ask, { kind: ask.kind, outcome: "cancelled" }, "turn");
  }
}
