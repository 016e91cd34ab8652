import { randomUUID } from "node:crypto";
import { messageOf } from "../../core/errors.ts";
import type { Prompt } from "../../core/events/values.ts";
import { type Fields, present } from "../../core/json/fields.ts";
import type { Answer } from "../../core/ledger/signals.ts";
import { within } from "../../core/within.ts";
import type { ProcessHost } from "../../host/contract.ts";
import { type AgentChoice, type AgentSession, type OpenOptions, ResumeLost } from "../contract.ts";
import { effortIn } from "../effort.ts";
import { Program } from "../program/program.ts";
import type { Read, Said } from "../program/read-lines.ts";
import { isLastWord, isRefusal, resultOf } from "./answers.ts";
import { CallGuard } from "./calls/guard.ts";
import { isInForce } from "./calls/hook.ts";
import { listServers } from "./calls/server-tools.ts";
import { type DecodeState, newDecodeState, type Request } from "./decode/state.ts";
import { answered, called, failedTurn, lastWord, opened } from "./decode/written.ts";
import { decodeLine } from "./decode.ts";
import { isTooOld, tooOld } from "./discovery/versions.ts";
import { shakeHands } from "./handshake.ts";
import { type Launch, serverSpec } from "./launch.ts";
import { openThread } from "./open-thread.ts";
import { promptInput } from "./prompt-input.ts";
import { Rpc } from "./rpc.ts";
import { Stopper } from "./stopper.ts";
import { TurnSettings } from "./turn-settings.ts";
import { usualEffort } from "./usual-effort.ts";

const READY_MS = 60_000;
const INTERRUPT_MS = 1_000;
const UNGUARDED = `this Codex does not say that it tells of its calls before it makes them, so the session's rules cannot hold: run "parley install codex"`;

export interface SessionOptions extends Launch {
  host: ProcessHost;
  /** A directory of Parley's own, for the calls that the program tells of before it makes them. */
  calls: string;
  readyMs?: number | undefined;
}

/** One process of the program that serves one session. */
export class CodexSession implements AgentSession {
  readonly #open: OpenOptions;
  readonly #program: Program;
  readonly #rpc: Rpc;
  readonly #settings: TurnSettings;
  readonly #stopper: Stopper;
  readonly #guard: CallGuard;
  /** It was started for a session with rules. */
  readonly #ruled: boolean;
  /** The program has said that it tells of its calls. */
  #guarded = false;
  #state: DecodeState;
  /** Prompts for the running turn that it did not take: they are given to the next one. */
  #late: Fields[][] = [];
  #gone = false;
  #idle = Promise.withResolvers<void>();
  /** Whether the thread could be opened. Prompts wait for it: before that there is nothing to give them to. */
  readonly #opened: Promise<boolean>;

  constructor(options: SessionOptions, open: OpenOptions) {
    this.#open = open;
    this.#settings = new TurnSettings(open, open.trusted);
    this.#state = newDecodeState(open.directory, randomUUID().slice(0, 8));
    this.#ruled = open.hasRules?.() ?? false;
    this.#guard = new CallGuard({
      directory: open.directory,
      parent: options.calls,
      state: () => this.#state,
      servers: () => listServers(this.#rpc, this.#thread),
      say: (said) => this.#program.say(said),
      told: (thread) => {
        this.#state = called(this.#state, thread);
      },
      failed: (why) => this.#giveUp(`the answer to a call could not be given to Codex: ${why}`),
    });
    this.#program = new Program({
      host: options.host,
      spec: serverSpec(options, open.session, open.trusted, this.#guard.environment),
      emit: open.emit,
      readyMs: options.readyMs ?? READY_MS,
      read: (text) => this.#read(text),
      leave: () => this.#leave(),
      onExit: () => this.#exited(),
    });
    this.#opened = this.#program.ready().then(
      () => true,
      () => false,
    );
    this.#rpc = new Rpc((line) => this.#program.write(line));
    this.#stopper = new Stopper(this.#rpc, () => this.#state);
    void this.#start();
  }

  ready(): Promise<void> {
    return this.#program.ready();
  }

  async prompt(prompt: Prompt): Promise<void> {
    this.#stopper.expect();
    await this.#begin(await promptInput(prompt.parts, this.#open.directory), prompt.id);
  }

  async steer(prompt: Prompt): Promise<void> {
    await this.#add(await promptInput(prompt.parts, this.#open.directory));
  }

  async compact(): Promise<void> {
    this.#stopper.expect();
    if (!(await this.#opened)) return;
    const { error } = await this.#rpc.ask("thread/compact/start", { threadId: this.#thread });
    if (error !== undefined) this.#refuse(error);
  }

  async cancel(): Promise<void> {
    this.#late = [];
    await this.#stopper.stop();
  }

  async decide(ask: string, verdict: "go" | "ask"): Promise<void> {
    this.#guard.decide(ask, verdict);
  }

  async answer(ask: string, answer: Answer): Promise<void> {
    const guarded = this.#guard.answer(ask, answer);
    if (guarded?.lastWord) await this.#end(guarded.thread);
    if (guarded) return;
    const request = this.#state.requests.get(ask);
    if (!request) return;
    const facts = { refused: isRefusal(answer), lastWord: isLastWord(answer) };
    this.#state = answered(this.#state, ask, request, facts);
    // A refusal has no words in the program's protocol: the model reads them as a message of the user, right after the refusal.
    const feedback = "feedback" in answer ? answer.feedback : undefined;
    if (feedback && facts.refused && !facts.lastWord) this.#explain(request, feedback);
    await this.#rpc.reply({ id: request.id, result: resultOf(request, answer) });
  }

  async set(choice: AgentChoice): Promise<void> {
    const { mode, options } = choice;
    if (this.#gone) return;
    if (mode !== undefined && !this.#settings.has(mode)) throw new Error(`Codex has no mode ${mode}`);
    const busy = this.#turn !== undefined || this.#stopper.expecting;
    if (mode !== undefined && mode !== this.#settings.mode && busy)
      throw new Error("Codex cannot change its mode in the middle of a turn: wait for its end, or stop it");
    this.#settings.choose(choice);
    if (options && effortIn(options) === undefined && this.#settings.keptEffort !== undefined)
      this.#settings.choose({ options: { effort: await usualEffort(this.#rpc, this.#settings.model) } });
  }

  close(): Promise<void> {
    return this.#program.close().then(() => this.#guard.close());
  }

  kill(graceMs: number): Promise<void> {
    return this.#program.kill(graceMs).then(() => this.#guard.close());
  }

  pause(): void {
    this.#program.pause();
  }

  resume(): void {
    this.#program.resume();
  }

  get #thread(): string {
    return this.#state.root ?? "";
  }

  /** The turn of the session's own thread that is under way. */
  get #turn(): string | undefined {
    return this.#state.threads.get(this.#thread)?.turn?.id;
  }

  async #start(): Promise<void> {
    const { version, error } = await shakeHands(this.#rpc);
    if (error !== undefined) return this.#fail(`it could not be initialized: ${error}`);
    if (isTooOld(version)) return this.#fail(tooOld(version));
    try {
      const { id, resumed, thread, config, past } = await openThread(this.#rpc, this.#open, this.#ruled);
      this.#state = opened(this.#state, id, resumed);
      const facts = this.#settings.opened(thread, config, !resumed);
      const again = resumed ? ({ nativeId: id, resume: "resumed" } as const) : {};
      this.#program.say([{ ...facts, ...again }, ...past].map((signal) => ({ signal })));
      this.#program.isReady();
    } catch (thrown) {
      if (thrown instanceof ResumeLost) this.#program.fail(thrown);
      else this.#fail(messageOf(thrown));
    }
  }

  #fail(reason: string): void {
    this.#program.fail(this.#program.failure(reason));
  }

  async #begin(input: readonly Fields[], id?: string): Promise<void> {
    if (!(await this.#opened)) return;
    if (this.#open.hasRules?.() && !(await this.#isGuarded())) return this.#refuse(UNGUARDED);
    const { params, took } = this.#settings.next();
    const asked = { threadId: this.#thread, input, ...present({ clientUserMessageId: id }), ...params };
    const { error } = await this.#rpc.ask("turn/start", asked);
    if (error !== undefined) return this.#refuse(error);
    took();
  }

  /** Gives words to the running turn. A turn that takes none, or is over, is followed by one for them. */
  async #add(input: Fields[]): Promise<void> {
    if (!(await this.#opened)) return;
    const turn = this.#turn;
    if (turn === undefined) return this.#begin(input);
    const params = { threadId: this.#thread, expectedTurnId: turn, input };
    const { error } = await this.#rpc.ask("turn/steer", params);
    if (error === undefined) return;
    if (this.#turn === undefined) await this.#begin(input);
    else this.#late.push(input);
  }

  /** Words for the turn that waits for an answer: the program keeps them until its call is over. */
  #explain({ thread: threadId }: Request, feedback: string): void {
    const expectedTurnId = this.#state.threads.get(threadId)?.turn?.id;
    const input = [{ type: "text", text: `The user refused this: ${feedback}`, text_elements: [] }];
    if (expectedTurnId !== undefined) void this.#rpc.ask("turn/steer", { threadId, expectedTurnId, input });
  }

  /** Whether the program will tell of its calls: rules could not hold otherwise. */
  async #isGuarded(): Promise<boolean> {
    if (!this.#guarded) {
      const { result } = await this.#rpc.ask("hooks/list", { threadId: this.#thread });
      this.#guarded = isInForce(result ?? {});
    }
    return this.#guarded;
  }

  /** A person refused a call so that the turn ends. */
  async #end(thread: string): Promise<void> {
    this.#state = lastWord(this.#state, thread);
    const turnId = this.#state.threads.get(thread)?.turn?.id;
    if (turnId !== undefined) await this.#rpc.ask("turn/interrupt", { threadId: thread, turnId });
  }

  #refuse(message: string): void {
    this.#program.say(failedTurn({ code: "agent_failed", message: `Codex does not begin the turn: ${message}` }));
  }

  #read(text: string): Read {
    const decoded = decodeLine(this.#state, text, Date.now());
    this.#state = decoded.state;
    const said = decoded.said.filter((one) => !this.#isAllowed(one));
    if (decoded.response) this.#rpc.answered(decoded.response);
    if (decoded.reply) void this.#rpc.reply(decoded.reply);
    if (decoded.unguarded && this.#open.hasRules?.()) this.#giveUp(UNGUARDED);
    this.#heed(said);
    return { ...decoded, said };
  }

  /** Whether a person has just allowed the call that the program asks about. A command that may want to leave its sandbox is asked about once more. */
  #isAllowed({ signal }: Said): boolean {
    if (signal.type !== "permission" || (signal.action === "bash" && !this.#settings.asksForAll)) return false;
    if (!this.#guard.hasAllowed(signal)) return false;
    void this.answer(signal.ask, { kind: "permission", outcome: "once" });
    return true;
  }

  /** Ends the program, which would make calls that the session's rules do not see, or wait for ever. */
  #giveUp(message: string): void {
    this.#program.say([{ signal: { type: "error", error: { code: "agent_failed", message } } }]);
    void this.kill(0);
  }

  #heed(said: readonly Said[]): void {
    for (const { signal, child } of said) {
      if (signal.type === "turn.finished") this.#guard.over(child?.id ?? this.#thread);
      if (child) continue;
      if (signal.type === "turn.begun") this.#stopper.begun();
      if (signal.type === "turn.finished") this.#over(said.some((one) => one.signal.type === "tool.backgrounded"));
    }
  }

  #over(left: boolean): void {
    this.#idle.resolve();
    this.#stopper.over(left);
    const [input, ...rest] = this.#late;
    this.#late = rest;
    if (input) void this.#begin(input);
  }

  /** The program keeps a turn that was stopped better than one in whose middle it has to leave. */
  async #leave(): Promise<void> {
    if (this.#turn === undefined) return;
    this.#idle = Promise.withResolvers();
    void this.#stopper.stop();
    await within(Promise.race([this.#idle.promise, this.#program.exited]), INTERRUPT_MS);
  }

  #exited(): undefined {
    this.#gone = true;
    void this.#guard.close();
    this.#rpc.close();
    return undefined;
  }
}
