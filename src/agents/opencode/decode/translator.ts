import type { Failure } from "../../../core/events/values.ts";
import { type Fields, fieldsIn, textIn } from "../../../core/json/fields.ts";
import type { Signal } from "../../../core/ledger/signals.ts";
import type { Said } from "../../program/read-lines.ts";
import { askedPart, permissionOf } from "./asks.ts";
import { adopt, newBranch } from "./branches.ts";
import { Desk, type Tree } from "./desk.ts";
import { learnMessage, onContent, onFetched } from "./messages.ts";
import { onAsked, onStatus, onTodos, SESSION_EVENTS } from "./session-events.ts";
import type { Branch, OpenAsk, Reading } from "./state.ts";
import { endTurn, isSettled, tellAsks, withdraw } from "./turns.ts";

export interface TranslatorOptions {
  /** The program's id of the session. */
  root: string;
  directory: string;
  /** The last message that is there already. */
  floor?: string;
  isIntent?(request: Fields): boolean;
}

/** Events of a session that nobody knows yet, by which one may learn that it is a sub-agent's. */
const OF_INTEREST = /^(?:message\.|permission\.asked|question\.asked|session\.status)/;

function sessionOf(properties: Fields): string | undefined {
  const [info, part] = [fieldsIn(properties, "info"), fieldsIn(properties, "part")];
  return textIn(properties, "sessionID") ?? textIn(info, "sessionID") ?? textIn(part, "sessionID");
}

/**
 * Makes signals of the program's events and of what its REST API tells, for a session and its sub-agents. It does no I/O: facts that it misses are wants, and the
 * answers come as calls. Events may be repeated, lost, late, or out of order between messages; the REST API has the truth.
 */
export class Translator {
  readonly #tree: Tree;
  readonly #root: Branch;

  constructor({ root, directory, floor, isIntent = () => false }: TranslatorOptions) {
    this.#root = newBranch(root, floor);
    const branches = new Map([[root, this.#root]]);
    this.#tree = { root, directory, branches, asks: new Map(), strangers: new Map(), isIntent };
  }

  get branches(): ReadonlyMap<string, Readonly<Branch>> {
    return this.#tree.branches;
  }

  get asks(): ReadonlyMap<string, OpenAsk> {
    return this.#tree.asks;
  }

  #with(work: (desk: Desk) => void, looked?: string): Reading {
    const desk = new Desk(this.#tree);
    work(desk);
    if (this.#tree.asks.size > 0) tellAsks(desk, looked);
    return desk;
  }

  /** Works on the branch of a session that belongs here. */
  #on(session: string, work: (desk: Desk, branch: Branch) => void, looked?: string): Reading {
    return this.#with((desk) => {
      const branch = this.#tree.branches.get(session);
      if (branch) work(desk, branch);
    }, looked);
  }

  /** A message of Parley's is about to be given. It begins a turn, or belongs to the one that is open. */
  prompt(message: string): Reading {
    return this.#with((desk) => {
      const turn = this.#root.turn ?? desk.beginTurn(this.#root, message);
      turn.prompts.add(message);
    });
  }

  /** A message of Parley's goes before another one that is being given, and has no answer of its own. */
  beside(message: string, before: string): void {
    const { prompts } = this.#root.turn ?? {};
    if (!prompts?.delete(message)) return;
    prompts.add(before).add(message);
  }

  /** A turn without a message of Parley's: a compaction, or a turn of another client. */
  begin(id: string): Reading {
    return this.#with((desk) => {
      if (!this.#root.turn) desk.beginTurn(this.#root, id);
    });
  }

  event(event: Fields): Reading {
    return this.#with((desk) => {
      const properties = fieldsIn(event, "properties");
      const type = textIn(event, "type") ?? "";
      if (type === "session.created" || type === "session.updated") adopt(desk, fieldsIn(properties, "info"));
      const id = sessionOf(properties) ?? (type === "session.idle" ? this.#tree.root : undefined);
      const branch = id === undefined ? undefined : this.#tree.branches.get(id);
      if (branch) {
        const handler = Object.hasOwn(SESSION_EVENTS, type) ? SESSION_EVENTS[type] : undefined;
        if (handler) handler(desk, branch, properties);
        else onContent(desk, branch, event);
      } else if (id !== undefined && OF_INTEREST.test(type)) desk.lookUp(id);
    });
  }

  /** The stream was interrupted: pieces of texts may be missing. */
  gap(): void {
    for (const { messages } of this.#tree.branches.values())
      for (const message of messages.values()) {
        if (message.over) continue;
        message.gap = true;
        for (const part of message.parts.values()) if (!part.over) part.gap = true;
      }
  }

  /** The answer to a want of a message: an empty one where the program does not keep it, undefined where it could not be asked. */
  fetched(session: string, message: string, kept: Fields | undefined): Reading {
    return this.#on(session, (desk, branch) => onFetched(desk, branch, message, kept), message);
  }

  /** The answer to a want of a session: an empty one where the program does not know it, undefined where it could not be asked. */
  found(session: string, info: Fields | undefined): Reading {
    return this.#with((desk) => {
      const { strangers } = this.#tree;
      const branch = info && adopt(desk, info);
      const parent = info && textIn(info, "parentID");
      if (branch?.id === session) desk.check(branch);
      else if (info && (parent === undefined || strangers.get(parent) === true)) strangers.set(session, true);
      // It is looked for once more: when its parent is known, or when the program can be asked.
      else strangers.delete(session);
    });
  }

  /** The messages of a session after its past, as the program keeps them, oldest first. `isPast`: none of them will change. */
  learn(session: string, messages: readonly Fields[], isPast = false): Reading {
    return this.#on(session, (desk, branch) => {
      const isAgents = (one: Fields): boolean => fieldsIn(one, "info").role === "assistant";
      const last = isPast ? undefined : messages.findLast(isAgents);
      for (const kept of messages) learnMessage(desk, branch, kept, !isAgents(kept) || kept === last);
    });
  }

  learnStatus(session: string, status: Fields): Reading {
    return this.#on(session, (desk, branch) => {
      if (branch.turn) branch.turn.worked = true;
      if (status.type === "retry") onStatus(desk, branch, { status });
    });
  }

  /** The asks that the program waits for. Of those that are `known` from before, the ones that it no longer waits for are withdrawn. */
  learnAsks(kind: OpenAsk["kind"], requests: readonly Fields[], known: ReadonlySet<string>): Reading {
    return this.#with((desk) => {
      for (const request of requests) {
        const branch = this.#tree.branches.get(textIn(request, "sessionID") ?? "");
        if (branch?.turn) onAsked(kind)(desk, branch, request);
      }
      const open = new Set(requests.map((request) => request.id));
      for (const ask of this.#tree.asks.values())
        if (ask.kind === kind && known.has(ask.id) && !open.has(ask.id)) withdraw(desk, ask.id);
    });
  }

  learnPlan(todos: readonly Fields[]): Reading {
    return this.#with((desk) => onTodos(desk, this.#root, { todos }));
  }

  /** Parley answers an ask. `isLastWord`: the program ends the turn by it. Returns the session that asked. */
  answered(ask: string, isLastWord: boolean): string | undefined {
    const session = this.#tree.asks.get(ask)?.session;
    this.#tree.asks.delete(ask);
    if (session !== undefined && isLastWord) this.refused(session);
    return session;
  }

  /** The session's rules, or a person, refuse a call that the program is about to make. */
  refuseCall(session: string, call: string): void {
    this.#tree.branches.get(session)?.turn?.refusedCalls.add(call);
  }

  /** A person refused a call of a session so that its turn ends. */
  refused(session: string): void {
    const turn = this.#tree.branches.get(session)?.turn;
    if (turn) turn.refused = true;
  }

  /** The open turn is being stopped: however it ends, that is why. */
  stopped(): void {
    if (this.#root.turn) this.#root.turn.aborted = true;
  }

  isBusy(session: string): boolean {
    return this.#tree.branches.get(session)?.turn !== undefined;
  }

  /** Whether a sub-agent's session is known, and nothing that it does yet. */
  isComing(session: string): boolean {
    const branch = this.#tree.branches.get(session);
    return branch?.parent !== undefined && branch.turn === undefined && !branch.ended;
  }

  /** Whether a session may make calls: a turn of it is open, and neither that nor the root's is being stopped. */
  mayCall(session: string): boolean {
    const turn = this.#tree.branches.get(session)?.turn;
    return turn !== undefined && !turn.aborted && !turn.refused && !this.#root.turn?.aborted;
  }

  /** Something came from a session that nobody knows. */
  lookUp(session: string): Reading {
    return this.#with((desk) => {
      if (!this.#tree.branches.has(session)) desk.lookUp(session);
    });
  }

  /** A signal about one of the sessions. */
  about(session: string, signal: Signal): Said {
    const desk = new Desk(this.#tree);
    desk.tell(this.#tree.branches.get(session) ?? this.#root, signal);
    return desk.said[0] ?? { signal };
  }

  /** The program's id of the call that an ask is about. */
  callOf(ask: string): string | undefined {
    return textIn(fieldsIn(this.#tree.asks.get(ask)?.request ?? {}, "tool"), "callID");
  }

  /** The key of a call, by the program's id of it. */
  callKey(session: string, call: string): string | undefined {
    const messages = [...(this.#tree.branches.get(session)?.messages.values() ?? [])];
    return messages.flatMap(({ parts }) => [...parts.values()]).findLast((part) => part.call === call)?.key;
  }

  /** An ask that was told as an intent, as one for a person. */
  permission(id: string): Said | undefined {
    const ask = this.#tree.asks.get(id);
    const branch = ask && this.#tree.branches.get(ask.session);
    if (!branch) return undefined;
    const part = askedPart(branch, ask.request);
    const asked = permissionOf(ask.request, part, this.#tree.directory);
    return this.about(ask.session, { type: "permission", ...asked });
  }

  /** The program does not begin the turn, or does not end it. */
  fail(code: string, message: string): Reading {
    return this.#with((desk) => {
      const { turn } = this.#root;
      if (!turn) return;
      turn.failure ??= { code, message };
      endTurn(desk, this.#root);
    });
  }

  /** The program does not take a message of Parley's. The turn that it was to begin fails; one that it was to join goes on without it. */
  refusedPrompt(message: string, failure: Failure): Reading {
    if (this.#root.turn?.id === message) return this.fail(failure.code, failure.message);
    return this.#with((desk) => {
      if (!this.#root.turn?.prompts.delete(message)) return;
      desk.tell(this.#root, { type: "note", level: "error", code: failure.code, text: failure.message });
      desk.check(this.#root);
    });
  }

  /** Whether the turn that a message of Parley's began, or was given to, is open. */
  isOpenFor(message: string): boolean {
    const { turn } = this.#root;
    return turn !== undefined && (turn.id === message || turn.prompts.has(message));
  }

  /** The last message of a session before which all that was heard of is over. */
  toldUntil(session: string): string {
    const { floor = "", messages = new Map() } = this.#tree.branches.get(session) ?? {};
    const told = [...messages.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const open = told.findIndex((message) => message.role !== "user" && !message.over);
    return told[(open === -1 ? told.length : open) - 1]?.id ?? floor;
  }

  /** The last message of a session that was heard of. */
  latest(session: string): string {
    const { floor = "", messages = new Map() } = this.#tree.branches.get(session) ?? {};
    return [floor, ...messages.keys()].reduce((a, b) => (a > b ? a : b));
  }

  /** Whether the agent has said something in the turn that is open. */
  hasAnswer(session: string): boolean {
    const messages = this.#tree.branches.get(session)?.messages.values() ?? [];
    return [...messages].some(({ role }) => role === "assistant");
  }

  hasFailed(session: string): boolean {
    return this.#tree.branches.get(session)?.turn?.failure !== undefined;
  }

  /** Whether nothing is known to be done for the prompts of the open turn. */
  isUntouched(): boolean {
    const { turn, messages } = this.#root;
    if (!turn || turn.prompts.size === 0 || turn.worked || turn.aborted || turn.failure) return false;
    return this.#tree.asks.size === 0 && [...messages.values()].every(({ role }) => role === "user");
  }

  isSettled(session: string): boolean {
    const branch = this.#tree.branches.get(session);
    return !branch || isSettled(branch);
  }

  /** Ends the turn of a session, and those of its sub-agents before it. */
  settle(session: string): Reading {
    return this.#on(session, endTurn);
  }
}
