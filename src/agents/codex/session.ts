import { randomUUID } from "node:crypto";
import type { Prompt } from "../../core/events/values.ts";
import { type Fields, fieldsIn, listIn, present, textIn } from "../../core/json/fields.ts";
import type { Answer } from "../../core/ledger/signals.ts";
import { within } from "../../core/within.ts";
import type { ProcessHost } from "../../host/contract.ts";
import { type AgentChoice, type AgentSession, type OpenOptions, ResumeLost } from "../contract.ts";
import { effortIn } from "../effort.ts";
import { Program } from "../program/program.ts";
import type { Read, Said } from "../program/read-lines.ts";
import { isLastWord, isRefusal, resultOf } from "./answers.ts";
import { type DecodeState, newDecodeState, type Request } from "./decode/state.ts";
import { answered, failedTurn, opened } from "./decode/written.ts";
import { decodeLine } from "./decode.ts";
import { shakeHands } from "./handshake.ts";
import { type Launch, serverSpec } from "./launch.ts";
import { readPast } from "./past.ts";
import { promptInput } from "./prompt-input.ts";
import { isLost, openingOf } from "./resumption.ts";
import { Rpc } from "./rpc.ts";
import { Stopper } from "./stopper.ts";
import { threadParams } from "./thread-params.ts";
import { trustConfig } from "./trust.ts";
import { TurnSettings } from "./turn-settings.ts";

const READY_MS = 60_000;
const INTERRUPT_MS = 1_000;

export interface SessionOptions extends Launch {
  host: ProcessHost;
  readyMs?: number | undefined;
}

/** One process of the program that serves one session. */
export class CodexSession implements AgentSession {
  readonly #open: OpenOptions;
  readonly #program: Program;
  readonly #rpc: Rpc;
  readonly #settings: TurnSettings;
  readonly #stopper: Stopper;
  #state: DecodeState;
  /** Prompts for the running turn that it did not take: they are given to the next one. */
  #late: Fields[][] = [];
  #gone = false;
  #idle = Promise.withResolvers<void>();

  constructor(options: SessionOptions, open: OpenOptions) {
    this.#open = open;
    this.#settings = new TurnSettings(open, open.trusted);
    this.#state = newDecodeState(open.directory, randomUUID().slice(0, 8));
    this.#program = new Program({
      host: options.host,
      spec: serverSpec(options, open.session, open.trusted),
      emit: open.emit,
      readyMs: options.readyMs ?? READY_MS,
      read: (text) => this.#read(text),
      leave: () => this.#leave(),
      onExit: () => this.#exited(),
    });
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
    const { error } = await this.#rpc.ask("thread/compact/start", { threadId: this.#thread });
    if (error !== undefined) this.#refuse(error);
  }

  async cancel(): Promise<void> {
    this.#late = [];
    await this.#stopper.stop();
  }

  async answer(ask: string, answer: Answer): Promise<void> {
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
    if (mode !== undefined && mode !== this.#settings.mode && this.#turn !== undefined)
      throw new Error("Codex cannot change its mode in the middle of a turn: wait for its end, or stop it");
    this.#settings.choose(choice);
    if (options && effortIn(options) === undefined && this.#settings.keptEffort !== undefined)
      this.#settings.choose({ options: { effort: await this.#usualEffort() } });
  }

  close(): Promise<void> {
    return this.#program.close();
  }

  kill(graceMs: number): Promise<void> {
    return this.#program.kill(graceMs);
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
    const { directory, trusted, resume } = this.#open;
    const { error } = await shakeHands(this.#rpc);
    if (error !== undefined) return this.#fail(`it could not be initialized: ${error}`);
    try {
      const opening = openingOf(resume);
      const params = threadParams(opening, this.#open, trustConfig(directory, trusted));
      const [config, thread] = await Promise.all([
        this.#rpc.ask("config/read", trusted ? { cwd: directory } : {}),
        this.#rpc.ask(opening.method, params),
      ]);
      const id = textIn(fieldsIn(thread.result ?? {}, "thread"), "id");
      if (!thread.result || id === undefined) return this.#notOpened(thread.error ?? "it told no thread");
      const resumed = opening.method !== "thread/start";
      this.#state = opened(this.#state, id, resumed);
      const settings = fieldsIn(config.result ?? {}, "config");
      const facts = this.#settings.opened(thread.result, settings, opening.method === "thread/start");
      const again = resumed ? ({ nativeId: id, resume: "resumed" } as const) : {};
      this.#program.say([{ signal: { ...facts, ...again } }]);
      if (resumed && this.#open.tellPast) await this.#tellPast(id);
      this.#program.isReady();
    } catch (thrown) {
      if (thrown instanceof ResumeLost) this.#program.fail(thrown);
      else this.#fail(thrown instanceof Error ? thrown.message : String(thrown));
    }
  }

  async #tellPast(thread: string): Promise<void> {
    const past = await readPast(this.#rpc, thread, this.#open.directory);
    this.#program.say(past.map((signal) => ({ signal })));
  }

  #notOpened(error: string): void {
    const { resume } = this.#open;
    if (resume !== undefined && isLost(error)) this.#program.fail(new ResumeLost(resume));
    else this.#fail(`it could not open the session: ${error}`);
  }

  #fail(reason: string): void {
    this.#program.fail(this.#program.failure(reason));
  }

  async #begin(input: readonly Fields[], id?: string): Promise<void> {
    const { params, took } = this.#settings.next();
    const asked = { threadId: this.#thread, input, ...present({ clientUserMessageId: id }), ...params };
    const { error } = await this.#rpc.ask("turn/start", asked);
    if (error !== undefined) return this.#refuse(error);
    took();
  }

  /** Gives words to the running turn. A turn that takes none, or is over, is followed by one for them. */
  async #add(input: Fields[]): Promise<void> {
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

  #refuse(message: string): void {
    this.#program.say(failedTurn({ code: "agent_failed", message: `Codex does not begin the turn: ${message}` }));
  }

  #read(text: string): Read {
    const decoded = decodeLine(this.#state, text, Date.now());
    this.#state = decoded.state;
    if (decoded.response) this.#rpc.answered(decoded.response);
    if (decoded.reply) void this.#rpc.reply(decoded.reply);
    this.#heed(decoded.said);
    return decoded;
  }

  #heed(said: readonly Said[]): void {
    for (const { signal, child } of said) {
      if (child) continue;
      if (signal.type === "turn.begun") this.#stopper.begun();
      if (signal.type === "turn.finished") this.#over();
    }
  }

  #over(): void {
    this.#idle.resolve();
    this.#stopper.over();
    const [input, ...rest] = this.#late;
    this.#late = rest;
    if (input) void this.#begin(input);
  }

  /** The effort that the model has by itself: the program keeps the last one otherwise. */
  async #usualEffort(): Promise<string> {
    const { model } = this.#settings;
    const { result } = await this.#rpc.ask("model/list", { includeHidden: true });
    const known = listIn(result ?? {}, "data").find((one) => one.model === model || one.id === model);
    const effort = textIn(known ?? {}, "defaultReasoningEffort");
    if (effort === undefined)
      throw new Error(`the effort that ${model ?? "the model"} has by itself is not known: choose one`);
    return effort;
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
    this.#rpc.close();
    return undefined;
  }
}
