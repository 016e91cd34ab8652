import { messageOf } from "../../core/errors.ts";
import type { EndReason, Prompt } from "../../core/events/values.ts";
import { present } from "../../core/json/fields.ts";
import type { Answer, Signal } from "../../core/ledger/signals.ts";
import { within } from "../../core/within.ts";
import { type Exit, SpawnFailed } from "../../host/contract.ts";
import { type AgentChoice, type AgentSession, type OpenOptions, ResumeLost } from "../contract.ts";
import { Outbox } from "../outbox.ts";
import type { Said } from "../program/read-lines.ts";
import { Api } from "./api.ts";
import { ABORT_MS, clearAsks, replyTo, sendReply, stopWork } from "./asks.ts";
import { assertAllowed, type CalledCommand } from "./commands.ts";
import { type OpenedSession, openSession } from "./open-session.ts";
import { modelRef } from "./prompt-body.ts";
import { needsGate } from "./rulesets.ts";
import { assemble, type Running } from "./running.ts";
import { onGone } from "./serve/on-gone.ts";
import type { SessionOptions } from "./session-options.ts";

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
  /** The session once it is open; undefined where it never is. Calls wait for it, in their order. */
  readonly #opened: Promise<Running | undefined>;
  #choice: AgentChoice;
  #running: Running | undefined;

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
    const { follower, ids, translator, id, giver } = running;
    const message = ids.next(running.lease.server.own ? translator.latest(id) : "");
    follower.prompt(message);
    try {
      const command = await giver.command(prompt);
      await this.#prepare(running, command);
      await giver.prompt(prompt, message, this.#choice, command);
    } catch (thrown) {
      giver.refuse(message, thrown);
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
    const { servers, hubs, assertHarmless } = this.#options;
    const { directory, trusted, mcpServers = [], session, rules = () => [] } = this.#open;
    if (!trusted) await assertHarmless(directory);
    const need = { directory, trusted, session, ruled: needsGate(rules()), mcpServers };
    const lease = await servers.lease(need);
    if (this.#closing.signal.aborted) return lease.release();
    const { server } = lease;
    const forget = onGone(server, (exit) => this.#end(exit));
    this.#closing.signal.addEventListener("abort", forget);
    try {
      const opened = await openSession(new Api(server, directory), this.#open);
      if (this.#closing.signal.aborted) return lease.release();
      const hub = hubs.of(server, directory);
      this.#running = assemble({
        open: this.#open,
        gate: this.#options.gate,
        lease,
        hub,
        opened,
        signal: this.#closing.signal,
        say: (said, native) => this.#say(said, native),
        onUnreachable: () => this.#end({ code: null, signal: null, stderr: [`no answer came from ${server.url}`] }),
      });
      if (this.#outbox.paused) this.#running.follower.pause();
      this.#tellOpened(opened);
      // The program keeps asks of a turn that was stopped. Those of a turn that runs are another client's.
      if (!opened.isBusy) await clearAsks(hub.api, [opened.id]);
      await within(hub.ready(), STREAM_MS);
      this.#ready.resolve();
    } catch (thrown) {
      if (!this.#running) lease.release();
      throw thrown;
    }
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

  /** Puts the session's rules in force before a turn. Rejects where they cannot hold. */
  async #prepare({ id, lease, rules, follower, guard }: Running, command: CalledCommand | undefined): Promise<void> {
    const { directory, trusted, hasRules = () => false, rules: ruled = () => [] } = this.#open;
    const { server } = lease;
    if (!trusted) await this.#options.assertHarmless(directory);
    if (server.own && needsGate(ruled())) await this.#options.gate?.untilIn(server.gate, directory);
    if (command && hasRules()) await assertAllowed(command, server.gate !== undefined, (line) => guard.line(id, line));
    if (!follower.hasWorked) await rules.give(command?.agent ?? this.#choice.mode);
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
    if (child === undefined && reason !== "end_turn") this.#running?.giver.turnWasCut();
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
    const running = this.#running;
    if (running) {
      running.follower.close();
      running.guard.refuseAll();
      this.#options.gate?.leave(running.keeper);
      running.lease.release();
    }
    this.#ready.reject(new Error("the session was closed before it was open"));
    this.#outbox.release();
    this.#outbox.end(exit);
  }
}
