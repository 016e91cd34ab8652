import { messageOf } from "../../core/errors.ts";
import type { EndReason, Prompt } from "../../core/events/values.ts";
import { present } from "../../core/json/fields.ts";
import type { Answer, Signal } from "../../core/ledger/signals.ts";
import { within } from "../../core/within.ts";
import { type Exit, SpawnFailed } from "../../host/contract.ts";
import { type AgentChoice, type AgentSession, type OpenOptions, ResumeLost } from "../contract.ts";
import { Outbox } from "../outbox.ts";
import type { Said } from "../program/read-lines.ts";
import { ABORT_MS, clearAsks, replyTo, sendReply, stopWork } from "./asks.ts";
import type { CalledCommand } from "./commands.ts";
import type { Translator } from "./decode/translator.ts";
import type { Giving } from "./give.ts";
import { hasGone, isMovable, MOVED, takeBack } from "./moving.ts";
import type { OpenedSession } from "./open-session.ts";
import { IN_PART, prepareTurn } from "./prepare-turn.ts";
import { besideCommand, commandIn, modelRef } from "./prompt-body.ts";
import type { Running } from "./running.ts";
import type { SessionOptions } from "./session-options.ts";
import { type StartedSession, startSession } from "./start-session.ts";

const STREAM_MS = 10_000;
const LEAVE_MS = 5_000;
/** Longer lines are not kept with the events that they caused. */
const LONGEST_LINE = 256 * 1024;

/** One of the program's sessions, on a server that it shares with others. */
export class OpenCodeSession implements AgentSession {
  readonly #options: SessionOptions;
  readonly #open: OpenOptions;
  readonly #outbox: Outbox;
  readonly #ready = Promise.withResolvers<void>();
  readonly #closing = new AbortController();
  /** The prompts of the open turn, by their messages. */
  readonly #givings = new Map<string, Giving>();
  /** The session once it is open; undefined where it never is. Calls wait for it, in their order. */
  #opened: Promise<Running | undefined>;
  #choice: AgentChoice;
  #running: Running | undefined;
  /** The prompts of the open turn went to a second server: they go to no third one. */
  #hasMoved = false;
  #toldPart = false;

  constructor(options: SessionOptions, open: OpenOptions) {
    this.#options = options;
    this.#open = open;
    this.#outbox = new Outbox(open.emit);
    const { model, mode, options: chosen } = open;
    this.#choice = present({ model, mode, options: chosen });
    this.#opened = this.#ready.promise.then(
      () => this.#running,
      () => undefined,
    );
    void this.#start().catch((thrown: unknown) => this.#fail(thrown));
  }

  ready(): Promise<void> {
    return this.#ready.promise;
  }

  async prompt(prompt: Prompt): Promise<void> {
    const running = await this.#opened;
    if (!running) return;
    const { follower, ids, translator, id } = running;
    const latest = running.lease.server.own ? translator.latest(id) : "";
    const parts = commandIn(prompt.parts) ? besideCommand(prompt) : [];
    const beside = parts.length > 0 ? { message: ids.next(latest), parts } : undefined;
    const message = ids.next(latest);
    const giving: Giving = { prompt, message, ...present({ beside }) };
    this.#givings.set(message, giving);
    follower.prompt(message);
    await this.#give(running, giving);
  }

  async #give(running: Running, giving: Giving): Promise<void> {
    const { giver } = running;
    try {
      const command = await giver.command(giving.prompt);
      if (running.signal.aborted) return;
      await this.#prepare(running, command);
      await giver.prompt(giving, this.#choice, command);
    } catch (thrown) {
      if (!(await hasGone(running, thrown))) giver.refuse(giving.message, thrown);
    }
  }

  steer(prompt: Prompt): Promise<void> {
    return this.prompt(prompt);
  }

  async compact(): Promise<void> {
    const running = await this.#opened;
    if (!running) return;
    const { follower, ids, giver } = running;
    const turn = ids.next();
    follower.begin(turn);
    try {
      await this.#prepare(running, undefined);
      await giver.compact(this.#choice.model, turn);
    } catch (thrown) {
      giver.refuse(turn, thrown);
    }
  }

  async cancel(): Promise<void> {
    const running = await this.#opened;
    if (running) await this.#abort(running, ABORT_MS);
  }

  async decide(ask: string, verdict: "go" | "ask"): Promise<void> {
    const running = await this.#opened;
    if (!running || running.guard.decide(ask, verdict)) return;
    if (verdict === "go") return this.answer(ask, { kind: "permission", outcome: "once" });
    const permission = running.translator.permission(ask);
    if (permission) this.#say([permission]);
  }

  async answer(ask: string, answer: Answer): Promise<void> {
    const running = await this.#opened;
    if (!running) return;
    const { guard, translator, follower, api, id } = running;
    const guarded = guard.answer(ask, answer);
    if (guarded) {
      if (!guarded.isLastWord) return;
      translator.refused(guarded.session);
      await stopWork(api, guarded.session, ABORT_MS);
      return;
    }
    const isOpen = translator.mayCall(translator.asks.get(ask)?.session ?? id);
    const { kind, isLastWord, body, verb } = replyTo(answer, isOpen);
    const session = translator.answered(ask, isLastWord);
    await sendReply(api, `/${kind}/${encodeURIComponent(ask)}/${verb}`, body, this.#closing.signal);
    if (isLastWord) void follower.check(session ?? id);
  }

  async set(choice: AgentChoice): Promise<void> {
    const { mode, model } = choice;
    if (this.#closing.signal.aborted) return;
    if (model !== undefined && !modelRef(model))
      throw new Error(`expected a model such as provider/name, got ${model}`);
    if (mode !== undefined && mode !== this.#choice.mode && this.#running?.follower.isBusy)
      throw new Error("OpenCode cannot change its mode in the middle of a turn: wait for its end, or stop it");
    this.#choose(choice);
  }

  close(): Promise<void> {
    return this.#leave(LEAVE_MS);
  }

  kill(graceMs: number): Promise<void> {
    return this.#leave(Math.max(graceMs, LEAVE_MS));
  }

  pause(): void {
    this.#outbox.pause();
    if (this.#outbox.paused) this.#running?.follower.pause();
  }

  resume(): void {
    this.#outbox.resume();
    if (!this.#outbox.paused) this.#running?.follower.resume();
  }

  #choose({ model, mode, options }: AgentChoice): void {
    const all = { ...this.#choice.options, ...options };
    this.#choice = { ...this.#choice, ...present({ model, mode }), options: all };
  }

  async #start(): Promise<void> {
    const started = await this.#launch(this.#open);
    if (!started) return;
    this.#running = started.running;
    if (this.#outbox.paused) started.running.follower.pause();
    this.#tellOpened(started.opened);
    await within(started.running.hub.ready(), STREAM_MS);
    this.#ready.resolve();
  }

  #launch(open: OpenOptions, translator?: Translator): Promise<StartedSession | undefined> {
    return startSession({
      options: this.#options,
      open,
      closing: this.#closing.signal,
      isIntent: (request) => this.#running?.rules.isIntent(request) ?? false,
      say: (said, native) => this.#say(said, native),
      onEnd: (exit) => this.#onGone(exit),
      ...(translator ? { translator } : {}),
    });
  }

  /** The server is gone. Prompts that it has done nothing for go to another one. */
  #onGone(exit: Exit): void {
    const running = this.#running;
    if (!running || this.#hasMoved || !isMovable(running, this.#givings.values())) return this.#end(exit);
    this.#hasMoved = true;
    this.#running = undefined;
    running.leave();
    this.#say([running.translator.about(running.id, MOVED)]);
    this.#opened = this.#move(running).catch(() => {
      this.#end(exit);
      return undefined;
    });
  }

  /** Goes on with the session on another server, and gives the prompts once more. Rejects where the program has begun to answer them. */
  async #move({ id, translator }: Running): Promise<Running | undefined> {
    const { tellPast: _, ...open } = this.#open;
    const started = await this.#launch({ ...open, resume: id }, translator);
    if (!started) return undefined;
    const { running } = started;
    this.#running = running;
    if (this.#outbox.paused) running.follower.pause();
    await takeBack(running, this.#givings);
    await within(running.hub.ready(), STREAM_MS);
    for (const giving of this.#givings.values()) {
      running.follower.prompt(giving.message);
      void this.#give(running, giving);
    }
    return running;
  }

  #tellOpened({ id, resumed, past }: OpenedSession): void {
    const again = resumed && this.#open.resume === id ? ({ resume: "resumed" } as const) : {};
    this.#outbox.emit({ type: "session", nativeId: id, ...again });
    for (const signal of past) this.#outbox.emit(signal);
  }

  #fail(thrown: unknown): void {
    const { directory } = this.#open;
    const isTold = thrown instanceof SpawnFailed || thrown instanceof ResumeLost;
    const failure = isTold ? thrown : new SpawnFailed(messageOf(thrown), { argv: ["opencode", "serve"], directory });
    this.#ready.reject(failure);
    this.#end({ code: null, signal: null, stderr: [] });
  }

  async #prepare(running: Running, command: CalledCommand | undefined): Promise<void> {
    const onPart = (): void => {
      if (!this.#toldPart) this.#say([running.translator.about(running.id, IN_PART)]);
      this.#toldPart = true;
    };
    await prepareTurn({ running, command, options: this.#options, open: this.#open, mode: this.#choice.mode, onPart });
  }

  /** Stops the turn. Asks that the program forgets to take back are taken back. */
  async #abort({ api, id, translator, follower, guard }: Running, limitMs: number): Promise<void> {
    follower.stopping();
    guard.refuseAll();
    await stopWork(api, id, limitMs);
    guard.refuseAll();
    await clearAsks(api, [...translator.branches.keys()]);
    void follower.check(id);
  }

  #say(said: readonly Said[], native?: string): void {
    const line = native !== undefined && native.length <= LONGEST_LINE ? native : undefined;
    for (const { signal, child } of said) {
      if (signal.type === "turn.finished") this.#onTurnOver(signal.reason, child?.id);
      // The mode in force is that of the next prompt: the agent may have changed it by itself.
      if (signal.type === "session" && !child) this.#choose(signal);
      if (!this.#isAllowed(signal)) this.#outbox.emit(signal, line, child);
    }
  }

  #onTurnOver(reason: EndReason, child: string | undefined): void {
    this.#running?.guard.over(child ?? this.#running.id);
    if (child !== undefined) return;
    this.#givings.clear();
    this.#hasMoved = false;
    if (reason !== "end_turn") this.#running?.giver.turnWasCut();
  }

  /** Whether a person has just allowed the call that the program asks about. */
  #isAllowed(signal: Signal): boolean {
    const running = this.#running;
    if (signal.type !== "permission" || !running) return false;
    if (!running.guard.hasAllowed(signal, running.translator.callOf(signal.ask))) return false;
    void this.answer(signal.ask, { kind: "permission", outcome: "once" });
    return true;
  }

  /** Lets the session go. A program that does not stop its work is ended. */
  async #leave(limitMs: number): Promise<void> {
    const running = this.#running;
    if (this.#closing.signal.aborted) return;
    if (running?.follower.isBusy) {
      await this.#abort(running, limitMs);
      const isIdle = await within(running.follower.idle(), limitMs);
      if (!isIdle && running.lease.server.own) await running.lease.server.kill(0);
    }
    this.#end({ code: 0, signal: null, stderr: [] });
  }

  #end(exit: Exit): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#running?.leave();
    this.#ready.reject(new Error("the session was closed before it was open"));
    this.#outbox.release();
    this.#outbox.end(exit);
  }
}
