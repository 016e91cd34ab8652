import { randomUUID } from "node:crypto";
import { messageOf } from "../../core/errors.ts";
import type { Prompt } from "../../core/events/values.ts";
import { TURN_STOPPED } from "../../core/ledger/asks.ts";
import type { Answer } from "../../core/ledger/signals.ts";
import type { CommandHost, ProcessHost } from "../../host/contract.ts";
import { type AgentChoice, type AgentSession, type OpenOptions, ResumeLost } from "../contract.ts";
import { Program } from "../program/program.ts";
import type { Read } from "../program/read-lines.ts";
import { AskDesk } from "./ask-desk.ts";
import { loginWords } from "./auth.ts";
import { beginSession, leavePast } from "./begin-session.ts";
import { Decoder } from "./decode/decoder.ts";
import type { Peer } from "./handshake.ts";
import { type Launch, programSpec } from "./launch.ts";
import { promptContent } from "./prompt-content.ts";
import { type Heard, isId, readLine } from "./read-line.ts";
import { Requests } from "./requests.ts";
import { Rpc } from "./rpc.ts";
import { Guard } from "./serve/guard.ts";
import { lookAt } from "./serve/look.ts";
import { type Chooser, NO_CHOICES, setChoice } from "./set-choice.ts";
import { Telling } from "./telling.ts";
import type { ToldBySession } from "./told-facts.ts";
import { Turns } from "./turns.ts";
import { Updates } from "./updates.ts";

const READY_MS = 120_000;
const TERMINAL_GRACE_MS = 1_000;

export interface SessionOptions extends Launch {
  host: ProcessHost & CommandHost;
  /** The agent's name, for people. */
  title: string;
  /** How a person logs in. */
  login?: string | undefined;
  readyMs?: number | undefined;
  /** The program has said what it can do. */
  onPeer(peer: Peer): void;
  /** Takes what holds for other sessions of the directory, too. */
  told: ToldBySession;
}

/** One process of the program that serves one session. */
export class AcpSession implements AgentSession {
  readonly #options: SessionOptions;
  readonly #open: OpenOptions;
  readonly #program: Program;
  readonly #telling: Telling;
  readonly #rpc: Rpc;
  readonly #decoder: Decoder;
  readonly #guard: Guard;
  readonly #asks: AskDesk;
  readonly #requests: Requests;
  readonly #turns: Turns;
  readonly #updates: Updates;
  readonly #chooser: Chooser;
  readonly #opened: Promise<boolean>;
  #peer: Peer | undefined;
  #asked = 0;
  #gone = false;

  constructor(options: SessionOptions, open: OpenOptions) {
    this.#options = options;
    this.#open = open;
    const { host, env, title, login, told } = options;
    const { directory, session, trusted } = open;
    const prefix = randomUUID().slice(0, 8);
    const nextAsk = (): string => `${prefix}:ask:${++this.#asked}`;
    const hasRules = (): boolean => open.hasRules?.() ?? false;
    const isGone = (): boolean => this.#gone;
    const readFile = (path: string): string | undefined => lookAt(directory, path);
    const terminalText = (id: string): string | undefined => this.#requests.terminalText(id);
    const rpc = new Rpc((line) => this.#program.write(line));
    const telling = new Telling((said) => this.#program.say(said));
    const { say } = telling;
    const decoder = new Decoder({ prefix, directory, readFile, terminalText });
    const chooser = { rpc, session: "", choices: NO_CHOICES };
    const turn = (): Turns["current"] => this.#turns.current;
    const guard = new Guard({
      nextAsk,
      hasRules,
      inTurn: () => turn() !== undefined,
      isStopped: () => turn()?.isStopped ?? false,
      say: (one) => say([one]),
    });
    const asks = new AskDesk({ title, directory, decoder, rpc, nextAsk, turn, say });
    const onOutput = (id: string, delta: string): void => say(decoder.terminal(id, delta));
    this.#requests = new Requests({
      host,
      directory,
      trusted,
      session,
      guard,
      prefix,
      env,
      onOutput,
      rpc,
      asks,
      isGone,
    });
    const explain = (why: string): string => loginWords(this.#peer ?? { authMethods: [] }, login, why);
    this.#turns = new Turns({ title, rpc, decoder, chooser, asks, guard, loginWords: explain, hasRules, isGone, say });
    const onActivity = (): void => turn()?.goesOn();
    this.#updates = new Updates({ decoder, chooser, isGone, say, onActivity, told });
    this.#rpc = rpc;
    this.#telling = telling;
    this.#decoder = decoder;
    this.#chooser = chooser;
    this.#guard = guard;
    this.#asks = asks;
    this.#program = new Program({
      host,
      spec: programSpec(options, open),
      emit: open.emit,
      readyMs: options.readyMs ?? READY_MS,
      read: (text, left) => this.#read(text, left > 0),
      leave: () => this.#leave(),
      onExit: () => this.#exited(),
      onLate: () => this.#unanswered() ?? "it did not open a session",
    });
    this.#opened = this.#program.ready().then(
      () => true,
      () => false,
    );
    void this.#start();
  }

  ready(): Promise<void> {
    return this.#program.ready();
  }

  async prompt(prompt: Prompt): Promise<void> {
    const turn = this.#turns.begin();
    if (!(await this.#opened) || !this.#peer) return;
    this.#turns.give(turn, await promptContent(prompt.parts, this.#open.directory, this.#peer));
  }

  async steer(prompt: Prompt): Promise<void> {
    if (!(await this.#opened) || !this.#peer) return;
    const content = await promptContent(prompt.parts, this.#open.directory, this.#peer);
    const turn = this.#turns.current;
    if (turn) this.#turns.add(turn, content, this.#peer);
    else this.#turns.give(this.#turns.begin(), content);
  }

  async compact(): Promise<void> {
    const turn = this.#turns.begin();
    // Some agents take the command and do not tell of it.
    if (await this.#opened) this.#turns.give(turn, [{ type: "text", text: "/compact" }]);
  }

  cancel(): Promise<void> {
    return this.#turns.stop();
  }

  async decide(ask: string, verdict: "go" | "ask"): Promise<void> {
    this.#guard.decide(ask, verdict);
  }

  async answer(key: string, answer: Answer): Promise<void> {
    if (this.#guard.answer(key, answer)) return;
    const ask = this.#asks.take(key);
    if (!ask) return;
    const feedback = "feedback" in answer ? answer.feedback : undefined;
    if (feedback === TURN_STOPPED) return this.#rpc.reply(ask.id, ask.cancelled);
    const isRefusal = answer.outcome === "reject" || answer.outcome === "rejected";
    if (isRefusal) this.#decoder.refuse(ask.call);
    // A call may be done by a request to Parley: that is allowed or refused with it.
    if (ask.permission && isRefusal) this.#guard.refuse(ask.permission);
    else if (ask.permission) this.#guard.allow(ask.permission);
    await this.#rpc.reply(ask.id, ask.reply(answer));
    if (isRefusal) await this.#turns.refused(feedback, "stop" in answer && answer.stop === true);
  }

  async set(choice: AgentChoice): Promise<void> {
    if (!(await this.#opened) || this.#gone) return;
    try {
      await setChoice(this.#chooser, choice);
    } finally {
      this.#updates.sayFacts();
    }
  }

  async close(): Promise<void> {
    await this.#program.close();
    await this.#requests.close(TERMINAL_GRACE_MS);
  }

  async kill(graceMs: number): Promise<void> {
    await Promise.all([this.#program.kill(graceMs), this.#requests.close(graceMs)]);
  }

  pause(): void {
    this.#program.pause();
  }

  resume(): void {
    this.#program.resume();
  }

  async #start(): Promise<void> {
    const { login, onPeer } = this.#options;
    const { say } = this.#telling;
    try {
      const facts = await beginSession({
        open: this.#open,
        login,
        chooser: this.#chooser,
        decoder: this.#decoder,
        updates: this.#updates,
        isGone: () => this.#gone,
        say,
        onPeer: (peer) => {
          this.#peer = peer;
          onPeer(peer);
        },
      });
      say([facts]);
      this.#program.isReady();
    } catch (thrown) {
      // A program that is gone tells why itself, with its last words.
      if (this.#gone) return;
      this.#program.fail(thrown instanceof ResumeLost ? thrown : this.#program.failure(messageOf(thrown)));
    }
  }

  #read(text: string, isCut: boolean): Read {
    const heard = readLine(text);
    const said = this.#telling.during(() => this.#take(heard, isCut));
    const noise = heard.what === "nothing" ? heard.noise : undefined;
    return { said, ...(noise ? { noise } : {}) };
  }

  #take(heard: Heard, isCut: boolean): void {
    if (heard.what === "answer") this.#rpc.answered(heard.line);
    else if (heard.what === "request") this.#requests.take(heard, isCut);
    else if (heard.what === "notification") this.#notice(heard);
  }

  #notice({ method, params }: Extract<Heard, { what: "notification" }>): void {
    if (method === "session/update") this.#updates.take(params);
    else if (method === "$/cancel_request" && isId(params.requestId)) this.#requests.withdraw(params.requestId);
  }

  async #leave(): Promise<void> {
    if (this.#turns.current?.isGiven) await this.cancel();
  }

  #exited(): string | undefined {
    leavePast({ decoder: this.#decoder, say: this.#telling.say });
    this.#updates.close();
    this.#gone = true;
    this.#guard.stop();
    this.#rpc.close();
    void this.#requests.close(TERMINAL_GRACE_MS);
    return this.#unanswered();
  }

  /** The likeliest mistake with a program that never said a word of the protocol. */
  #unanswered(): string | undefined {
    if (this.#peer) return undefined;
    return 'it did not answer "initialize": does it speak the Agent Client Protocol, with these arguments?';
  }
}
