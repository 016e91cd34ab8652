import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../../core/errors.ts";
import { type Fields, fieldsIn, textIn } from "../../../core/json/fields.ts";
import type { Said } from "../../program/read-lines.ts";
import { isOfTheWay } from "../api.ts";
import type { Reading, Want } from "../decode/state.ts";
import type { Translator } from "../decode/translator.ts";
import { Backlog } from "./backlog.ts";
import type { Hub, Listener } from "./hubs.ts";
import { Looks } from "./looks.ts";
import { messagesAfter } from "./messages-after.ts";
import { isOverdue } from "./patience.ts";
import { Reach } from "./reach.ts";

const POLL_MS = 2_000;
const FIRST_LOOK_MS = 25;
const LONGEST_LOOK_MS = 500;

export interface FollowerOptions {
  hub: Hub;
  translator: Translator;
  session: string;
  /** It was made a moment ago on a server that nobody else uses: before its first prompt nothing can be missed. */
  isNew?: boolean;
  say(said: readonly Said[], native?: string): void;
  /** Asks the program to stop its turn. */
  stop(): Promise<void>;
  /** The server cannot be reached any more, and nobody will tell of its end. */
  onUnreachable(): void;
  /** Whether the server is stopped where it is: its silence means nothing then. */
  frozen?(): boolean;
}

/**
 * Follows a session of the program's: by its events, and by its REST API wherever these cannot be trusted. A turn ends only when the program says by REST that it
 * works no more, and everything that it keeps of the turn was told.
 */
export class Follower implements Listener {
  readonly #options: FollowerOptions;
  readonly #translator: Translator;
  readonly #looks: Looks;
  /** Sessions that are being checked; true: something came meanwhile, so they are checked once more. */
  readonly #checking = new Map<string, boolean>();
  readonly #closing = new AbortController();
  readonly #reach = new Reach();
  readonly #poll: NodeJS.Timeout;
  /** Failures that were told in the open turn. */
  readonly #reported = new Set<string>();
  #lastEvent = Date.now();
  #given = 0;
  /** Requests that are answered only at the end of their turn. */
  #expected = 0;
  /** When the open turn was stopped. */
  #stopped: number | undefined;
  /** The prompts of a turn that was stopped before the program began it: it may still begin. */
  #unbegun: ReadonlySet<string> = new Set();
  /** Events that wait while the session is paused; undefined while it is not. */
  #waiting: Backlog | undefined;
  #idle = Promise.withResolvers<void>();

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#translator = options.translator;
    const take = (reading: Reading): void => this.#take(reading);
    this.#looks = new Looks({ hub: options.hub, translator: options.translator, reach: this.#reach, take });
    this.#poll = setInterval(() => this.#onPoll(), POLL_MS);
    this.#poll.unref();
    options.hub.join(this);
  }

  get isBusy(): boolean {
    return this.#translator.isBusy(this.#options.session);
  }

  /** The open turn is being stopped: nothing more of it may be done. */
  get isStopping(): boolean {
    return this.#stopped !== undefined;
  }

  /** The program works on the open turn. */
  get hasWorked(): boolean {
    return this.#hasWorked(this.#options.session);
  }

  #hasWorked(session: string): boolean {
    return this.#translator.branches.get(session)?.turn?.worked ?? false;
  }

  lookUp(session: string): void {
    this.#take(this.#translator.lookUp(session));
  }

  /** Resolves when no turn is open. */
  async idle(): Promise<void> {
    if (this.isBusy) await this.#idle.promise;
  }

  owns(session: string): boolean {
    return this.#translator.branches.has(session);
  }

  event(event: Fields, text: string): void {
    this.#reach.heard();
    if (this.#waiting) {
      if (!this.#waiting.add({ event, text })) this.#translator.gap();
      return;
    }
    const reading = this.#translator.event(event);
    if (reading.wants.length > 0) this.#lastEvent = Date.now();
    this.#take(reading, text);
  }

  lost(): void {
    this.#waiting?.clear();
    this.#translator.gap();
  }

  connected(): void {
    // A check that is under way when the first prompt comes would go on asking until the program works on that.
    if (this.#options.isNew && this.#given === 0) return;
    this.recover();
  }

  pause(): void {
    this.#waiting ??= new Backlog();
  }

  /** Tells what came meanwhile. More than could be kept is asked for. */
  resume(): void {
    const { events = [] } = this.#waiting ?? {};
    this.#waiting = undefined;
    for (const { event, text } of events) this.event(event, text);
    this.recover();
  }

  /** Asks for the truth: events may have been missed. */
  recover(): void {
    if (this.#waiting) return;
    void this.check(this.#options.session);
    for (const { id, turn } of this.#translator.branches.values()) if (turn) void this.check(id);
    void this.#looks.asks();
    if (this.isBusy) void this.#looks.plan(this.#options.session);
  }

  /** The turn that is open is being stopped. */
  stopping(): void {
    if (!this.isBusy) return;
    this.#stopped = Date.now();
    this.#translator.stopped();
  }

  /** A message is given to the program right after this. */
  prompt(message: string): void {
    this.#given = Date.now();
    this.#take(this.#translator.prompt(message));
  }

  /** A message that is to be read with another one is given to the program before that. */
  beside(message: string, before: string): void {
    this.#translator.beside(message, before);
  }

  /** A request that the program answers at the end of the turn: before that the turn is not given up. */
  expect(asked: Promise<unknown>): void {
    this.#expected++;
    const over = (): void => void this.#expected--;
    asked.then(over, over);
  }

  begin(id: string): void {
    this.#given = Date.now();
    this.#take(this.#translator.begin(id));
  }

  /** The program does not take a message. */
  refused(message: string, code: string, why: string): void {
    this.#take(this.#translator.refusedPrompt(message, { code, message: why }));
  }

  /** Whether a message is still to be given: its turn is open and goes on. */
  isWanted(message: string): boolean {
    return !this.#closing.signal.aborted && !this.isStopping && this.#translator.isOpenFor(message);
  }

  close(): void {
    this.#closing.abort();
    clearInterval(this.#poll);
    this.#options.hub.leave(this);
    this.#idle.resolve();
  }

  #take({ said, wants }: Pick<Reading, "said" | "wants">, native?: string): void {
    if (this.#closing.signal.aborted) return;
    const wasBusy = this.#idle;
    if (said.length > 0) {
      this.#lastEvent = Date.now();
      this.#options.say(said, native);
    }
    if (!this.isBusy) {
      this.#stopped = undefined;
      this.#reported.clear();
      wasBusy.resolve();
      this.#idle = Promise.withResolvers();
    }
    for (const want of wants) this.#serve(want).catch((thrown: unknown) => this.#report(thrown));
  }

  #serve(want: Want): Promise<void> {
    if (want.type === "check") return this.check(want.session);
    return want.type === "message"
      ? this.#looks.message(want.session, want.message)
      : this.#looks.session(want.session);
  }

  /** Learns by REST what a session said and whether it still works. One that does not is waited for until all of its turn was told. */
  async check(session: string): Promise<void> {
    if (this.#checking.has(session)) {
      this.#checking.set(session, true);
      return;
    }
    this.#checking.set(session, false);
    try {
      await this.#untilSettled(session);
    } catch (thrown) {
      this.#report(thrown);
    }
    const again = this.#checking.get(session);
    this.#checking.delete(session);
    if (again && !this.#closing.signal.aborted) await this.check(session);
  }

  /** A server that cannot be reached is no news: the next poll, the next connection or its end will tell more. Everything else is told, once in a turn. */
  #report(thrown: unknown): void {
    const why = messageOf(thrown);
    if (isOfTheWay(thrown) || this.#reported.has(why)) return;
    this.#reported.add(why);
    const text = `What OpenCode keeps of this session could not be read: ${why}`;
    const note = { type: "note", level: "warn", code: "agent_unreadable", text } as const;
    this.#take({ said: [this.#translator.about(this.#options.session, note)], wants: [] });
  }

  async #untilSettled(session: string): Promise<void> {
    const began = Date.now();
    for (let pause = FIRST_LOOK_MS; !this.#closing.signal.aborted; pause = Math.min(pause * 2, LONGEST_LOOK_MS)) {
      const worked = this.#hasWorked(session);
      if (await this.#isWorking(session)) return await this.#onWorking(session);
      if (!this.#translator.isBusy(session)) return;
      // A turn that began to work while it was looked at is looked at once more.
      const isSettled = worked === this.#hasWorked(session) && this.#translator.isSettled(session);
      if (isSettled && (await this.#settle(session))) return;
      if (this.#isOverdue(session, began)) return this.#giveUp(session);
      await delay(pause, undefined, { signal: this.#closing.signal }).catch(() => {});
    }
  }

  /** A stop that came before the program had begun the turn was lost: it is repeated. */
  async #onWorking(session: string): Promise<void> {
    if (this.isStopping && session === this.#options.session) await this.#options.stop();
    await this.#looks.asks();
  }

  /** Ends the turn of a session. All that its sub-agents said is told before. False where the turn goes on: it was given a prompt meanwhile. */
  async #settle(session: string): Promise<boolean> {
    const branches = [...this.#translator.branches.values()];
    for (const { id } of branches.filter(({ parent, turn }) => parent === session && turn))
      await this.#untilSettled(id);
    if (!this.#translator.isSettled(session)) return false;
    this.#take(this.#translator.settle(session));
    return true;
  }

  /** Whether the program works on the session, after all that it keeps of it was told. */
  async #isWorking(session: string): Promise<boolean> {
    const statuses = await this.#looks.ask((api) => api.fields("GET", "/session/status"));
    const status = fieldsIn(statuses, session);
    const isWorking = textIn(status, "type") !== undefined && status.type !== "idle";
    const { floor = "", turn } = this.#translator.branches.get(session) ?? {};
    const since = isWorking ? this.#translator.toldUntil(session) : floor;
    const messages = await this.#looks.ask((api) => messagesAfter(api, session, since));
    const first = fieldsIn(messages[0] ?? {}, "info");
    if (!turn && session === this.#options.session) this.#begun(first);
    // The status is older than the messages.
    if (isWorking) this.#take(this.#translator.learnStatus(session, status));
    this.#take(this.#translator.learn(session, messages));
    await this.#looks.done();
    return isWorking;
  }

  /** Another client has begun a turn, or one begins that was stopped before: that one is stopped once more. */
  #begun(first: Fields): void {
    const id = textIn(first, "id");
    if (id === undefined) return;
    this.#take(this.#translator.begin(id));
    if (this.#unbegun.has(textIn(first, "parentID") ?? "")) this.stopping();
  }

  #isOverdue(session: string, since: number): boolean {
    const isRoot = session === this.#options.session;
    if (isRoot && this.#expected > 0 && this.#stopped === undefined) return false;
    return isOverdue({
      now: Date.now(),
      since,
      given: this.#given,
      lastEvent: this.#lastEvent,
      stopped: isRoot ? this.#stopped : undefined,
      hasAnswer: this.#translator.hasAnswer(session),
      hasFailed: this.#translator.hasFailed(session),
    });
  }

  #giveUp(session: string): void {
    const { turn } = this.#translator.branches.get(this.#options.session) ?? {};
    if (this.isStopping && turn && !turn.worked) this.#unbegun = turn.prompts;
    if (this.isStopping || session !== this.#options.session) return this.#take(this.#translator.settle(session));
    const why = "OpenCode works no more on the turn, and has not finished it";
    this.#take(this.#translator.fail("agent_failed", why));
  }

  /** While a turn is open and nothing arrives, the program is asked. */
  #onPoll(): void {
    const now = Date.now();
    if (!this.isBusy || this.#waiting || this.#options.frozen?.()) return this.#reach.heard();
    if (now - this.#lastEvent < POLL_MS) return;
    if (this.#reach.isLost(now)) return this.#options.onUnreachable();
    this.recover();
  }
}
