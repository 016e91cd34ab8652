import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../core/errors.ts";
import type { Prompt } from "../../core/events/values.ts";
import { FewAtOnce } from "../../core/few-at-once.ts";
import { type Fields, fieldsIn, listIn, textIn } from "../../core/json/fields.ts";
import { TURN_STOPPED } from "../../core/ledger/asks.ts";
import type { Answer, Signal } from "../../core/ledger/signals.ts";
import type { CommandHost, ProcessHost } from "../../host/contract.ts";
import { type AgentChoice, type AgentCommand, type AgentSession, type OpenOptions, ResumeLost } from "../contract.ts";
import { Program } from "../program/program.ts";
import type { Read, Said } from "../program/read-lines.ts";
import { AskDesk } from "./ask-desk.ts";
import type { Login } from "./auth.ts";
import { choicesOf, factsOf, withConfig, withCurrent } from "./choices.ts";
import { Decoder } from "./decode/decoder.ts";
import { commandsOf } from "./decode/facts.ts";
import { type Peer, shakeHands } from "./handshake.ts";
import { type Launch, programSpec } from "./launch.ts";
import { openSession } from "./open-session.ts";
import { promptContent } from "./prompt-content.ts";
import { type Heard, readLine } from "./read-line.ts";
import { type Response, Rpc } from "./rpc.ts";
import { Files } from "./serve/files.ts";
import { Guard } from "./serve/guard.ts";
import { lookAt } from "./serve/look.ts";
import { Terminals } from "./serve/terminals.ts";
import { serve, servedBy, unknownMethod } from "./served.ts";
import { type Chooser, NO_CHOICES, setChoice } from "./set-choice.ts";
import { Turn } from "./turn.ts";

const READY_MS = 120_000;
const TERMINAL_GRACE_MS = 1_000;
/** Requests with large answers: a program that does not read them has only so many of them kept. */
const LARGE: ReadonlySet<string> = new Set(["fs/read_text_file", "terminal/output"]);
const MOST_LARGE = 32;
const PAST_QUIET_MS = 100;
/** Words outside of a turn come in pieces: they are told when none has come for so long. */
const OUTSIDE_MS = 1_000;

export interface SessionOptions extends Launch {
  host: ProcessHost & CommandHost;
  /** The agent's name, for people. */
  title: string;
  login: Login;
  readyMs?: number | undefined;
  /** The program has said what it can do. */
  onPeer(peer: Peer): void;
  /** The program told its commands. */
  onCommands(commands: AgentCommand[]): void;
}

/** One process of the program that serves one session. */
export class AcpSession implements AgentSession {
  readonly #options: SessionOptions;
  readonly #open: OpenOptions;
  readonly #program: Program;
  readonly #rpc: Rpc;
  readonly #decoder: Decoder;
  readonly #guard: Guard;
  readonly #terminals: Terminals;
  readonly #served: ReturnType<typeof servedBy>;
  readonly #few = new FewAtOnce(MOST_LARGE);
  readonly #asks: AskDesk;
  readonly #prefix = randomUUID().slice(0, 8);
  readonly #chooser: Chooser;
  readonly #opened: Promise<boolean>;
  /** The signals of the line that is being read. */
  #heard: Signal[] | undefined;
  #peer: Peer | undefined;
  #turn: Turn | undefined;
  #commands: readonly AgentCommand[] = [];
  #outside: NodeJS.Timeout | undefined;
  #asked = 0;
  /** Counts the updates of the session. */
  #updates = 0;
  #toldRules = false;
  #gone = false;

  constructor(options: SessionOptions, open: OpenOptions) {
    this.#options = options;
    this.#open = open;
    const { directory, session } = open;
    this.#guard = new Guard({
      nextAsk: () => this.#nextAsk(),
      hasRules: () => open.hasRules?.() ?? false,
      inTurn: () => this.#turn !== undefined,
      say: (signal) => this.#say([signal]),
    });
    this.#terminals = new Terminals({
      host: options.host,
      directory,
      session,
      guard: this.#guard,
      prefix: this.#prefix,
      env: options.env,
      onOutput: (id, delta) => this.#say(this.#decoder.terminal(id, delta)),
    });
    this.#served = servedBy(new Files({ directory, guard: this.#guard }), this.#terminals);
    this.#decoder = new Decoder({
      prefix: this.#prefix,
      directory,
      readFile: (path) => lookAt(directory, path),
      terminalText: (id) => this.#terminals.textOf(id),
    });
    this.#program = new Program({
      host: options.host,
      spec: programSpec(options, open),
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
    this.#asks = new AskDesk({
      title: options.title,
      directory,
      decoder: this.#decoder,
      rpc: this.#rpc,
      nextAsk: () => this.#nextAsk(),
      turn: () => this.#turn,
      say: (signals) => this.#say(signals),
    });
    this.#chooser = { rpc: this.#rpc, session: "", choices: NO_CHOICES };
    void this.#start();
  }

  ready(): Promise<void> {
    return this.#program.ready();
  }

  async prompt(prompt: Prompt): Promise<void> {
    const turn = this.#beginTurn();
    if (!(await this.#opened) || !this.#peer) return;
    this.#give(turn, await promptContent(prompt.parts, this.#open.directory, this.#peer));
  }

  /** Words for the running turn. Where the program takes none, they follow as a further prompt of the turn. */
  async steer(prompt: Prompt): Promise<void> {
    if (!(await this.#opened) || !this.#peer) return;
    const content = await promptContent(prompt.parts, this.#open.directory, this.#peer);
    const turn = this.#turn;
    if (turn) await this.#add(turn, content);
    else this.#give(this.#beginTurn(), content);
  }

  async compact(): Promise<void> {
    const turn = this.#beginTurn();
    if (!(await this.#opened)) return;
    if (this.#commands.some(({ name }) => name === "compact"))
      return this.#give(turn, [{ type: "text", text: "/compact" }]);
    const message = `${this.#options.title} has no command compact: it shortens conversations by itself, or not at all`;
    this.#finish(turn, { result: {}, error: { code: 0, message, data: {} } });
  }

  async cancel(): Promise<void> {
    const turn = this.#turn;
    if (!turn) return;
    turn.stop();
    this.#cancelAsks();
    if (turn.isGiven) await this.#rpc.tell("session/cancel", { sessionId: this.#chooser.session });
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
    // A call that was allowed may be done by a request to Parley.
    else if (ask.permission) this.#guard.allow(ask.permission);
    await this.#rpc.reply(ask.id, ask.reply(answer));
    if (isRefusal) await this.#refused(feedback, "stop" in answer && answer.stop === true);
  }

  async set(choice: AgentChoice): Promise<void> {
    if (!(await this.#opened) || this.#gone) return;
    try {
      await setChoice(this.#chooser, choice);
    } finally {
      this.#sayFacts();
    }
  }

  async close(): Promise<void> {
    await this.#program.close();
    await this.#terminals.close(TERMINAL_GRACE_MS);
  }

  async kill(graceMs: number): Promise<void> {
    await Promise.all([this.#program.kill(graceMs), this.#terminals.close(graceMs)]);
  }

  pause(): void {
    this.#program.pause();
  }

  resume(): void {
    this.#program.resume();
  }

  async #start(): Promise<void> {
    const { login } = this.#options;
    try {
      this.#peer = await shakeHands(this.#rpc);
      this.#options.onPeer(this.#peer);
      const { id, result, resumed } = await openSession(this.#rpc, this.#peer, this.#open, login, {
        loads: () => this.#say(this.#decoder.beginPast(this.#open.tellPast === true)),
        opened: (session, again) => {
          this.#chooser.session = session;
          if (!again) this.#decoder.isNew();
        },
      });
      await this.#endPast();
      this.#chooser.choices = choicesOf(result);
      const { model, mode, options } = this.#open;
      await setChoice(this.#chooser, {
        ...(model ? { model } : {}),
        ...(mode ? { mode } : {}),
        ...(options ? { options } : {}),
      });
      const facts = factsOf(this.#chooser.choices);
      this.#say([{ ...facts, nativeId: id, ...(resumed ? { resume: "resumed" as const } : {}) }]);
      this.#program.isReady();
    } catch (thrown) {
      this.#leavePast();
      // A program that is gone tells why itself, with its last words.
      if (this.#gone) return;
      this.#program.fail(thrown instanceof ResumeLost ? thrown : this.#program.failure(messageOf(thrown)));
    }
  }

  /** Some programs answer first and tell the conversation after that: it is over when nothing more comes. */
  async #endPast(): Promise<void> {
    if (!this.#decoder.isPast) return;
    for (let heard = -1; heard !== this.#updates && !this.#gone; ) {
      heard = this.#updates;
      await delay(PAST_QUIET_MS);
    }
    this.#leavePast();
  }

  /** A past that was begun is ended, whatever happens: nothing would be heard of the session otherwise. */
  #leavePast(): void {
    if (this.#decoder.isPast) this.#say(this.#decoder.endPast());
  }

  #beginTurn(): Turn {
    this.#turn = new Turn();
    return this.#turn;
  }

  /** Gives the program a turn's prompt. Its answer is the turn's end. */
  #give(turn: Turn, prompt: Fields[]): void {
    if (turn !== this.#turn || this.#gone) return;
    if (turn.isStopped) return this.#finish(turn, { result: { stopReason: "cancelled" } });
    if (!turn.isGiven) this.#say(this.#decoder.begin());
    turn.isGiven = true;
    this.#tellRules();
    this.#rpc.call("session/prompt", { sessionId: this.#chooser.session, prompt }, (response) =>
      this.#answered(turn, response),
    );
  }

  #answered(turn: Turn, response: Response): void {
    if (turn !== this.#turn || this.#gone) return;
    const next = response.error ? undefined : turn.next();
    if (!next) return this.#finish(turn, response);
    this.#cancelAsks();
    this.#say(this.#decoder.goOn(response));
    this.#give(turn, next);
  }

  #finish(turn: Turn, response: Response): void {
    this.#turn = undefined;
    this.#cancelAsks();
    this.#guard.stop();
    this.#say(this.#decoder.end(response, { stopped: turn.isStopped, refused: turn.isRefused }));
  }

  async #add(turn: Turn, prompt: Fields[]): Promise<void> {
    if (!this.#peer?.canSteer || !turn.isGiven) return turn.later(prompt);
    const params = {
      sessionId: this.#chooser.session,
      prompt,
      _meta: { steering: { idleBehavior: "promptRequired" } },
    };
    const { result, error } = await this.#rpc.ask("_session/steering", params);
    if (!error && result.outcome === "injected") return;
    if (turn === this.#turn) turn.later(prompt);
    else if (!turn.isStopped) this.#give(this.#beginTurn(), prompt);
  }

  /** The protocol has no words for a refusal: the model is told them by a further prompt, if it does not go on by itself. */
  async #refused(feedback: string | undefined, stop: boolean): Promise<void> {
    const turn = this.#turn;
    if (!turn) return;
    turn.refuse(stop ? undefined : feedback);
    if (stop && turn.isGiven) await this.#rpc.tell("session/cancel", { sessionId: this.#chooser.session });
  }

  #cancelAsks(): void {
    this.#asks.cancelAll();
    this.#guard.stop();
  }

  #read(text: string): Read {
    const said: Signal[] = [];
    this.#heard = said;
    try {
      const heard = readLine(text);
      this.#take(heard);
      const noise = heard.what === "nothing" ? heard.noise : undefined;
      return { said: said.map((signal): Said => ({ signal })), ...(noise ? { noise } : {}) };
    } finally {
      this.#heard = undefined;
    }
  }

  #take(heard: Heard): void {
    if (heard.what === "answer") this.#rpc.answered(heard.line);
    else if (heard.what === "request") this.#serve(heard);
    else if (heard.what === "notification" && heard.method === "session/update") this.#update(heard.params);
  }

  #update(params: Fields): void {
    const { session } = this.#chooser;
    const about = textIn(params, "sessionId");
    // Sub-agents' sessions are told in the call that started them.
    if (session !== "" && about !== undefined && about !== session) return;
    const update = fieldsIn(params, "update");
    this.#updates += 1;
    switch (update.sessionUpdate) {
      case "available_commands_update":
        this.#commands = commandsOf(update);
        return this.#options.onCommands([...this.#commands]);
      case "config_option_update":
        this.#chooser.choices = withConfig(this.#chooser.choices, listIn(update, "configOptions"));
        return this.#sayFacts();
      case "current_mode_update": {
        const mode = textIn(update, "currentModeId");
        if (mode !== undefined) this.#chooser.choices = withCurrent(this.#chooser.choices, "mode", mode);
        return this.#sayFacts();
      }
      default:
        if (isActivity(update)) this.#turn?.goesOn();
        this.#say(this.#decoder.update(update));
        this.#expectOutside();
    }
  }

  /** A session that is being opened tells its facts when it is open. */
  #sayFacts(): void {
    if (this.#chooser.session !== "" && !this.#gone) this.#say([factsOf(this.#chooser.choices)]);
  }

  #serve(request: Extract<Heard, { what: "request" }>): void {
    const { id, method, params } = request;
    const work = this.#served.get(method);
    const done = async (): Promise<void> => {
      if (work && !this.#gone) await this.#rpc.reply(id, await serve(work, params));
    };
    if (work) void (LARGE.has(method) ? this.#few.do(done) : done());
    else if (method === "session/request_permission") this.#asks.permission(request);
    else if (method === "elicitation/create") this.#asks.form(request);
    else void this.#rpc.reply(id, unknownMethod(method));
  }

  /** Rules hold what the program asks and what it has Parley do; the rest it does by itself. */
  #tellRules(): void {
    if (this.#toldRules || !this.#open.hasRules?.()) return;
    this.#toldRules = true;
    const { title } = this.#options;
    const text = `the rules of this session hold for what ${title} asks, and for files and commands that it leaves to Parley; what it does without asking they cannot hold`;
    this.#say([{ type: "note", level: "warn", code: "rules_in_part", text }]);
  }

  #nextAsk(): string {
    return `${this.#prefix}:ask:${++this.#asked}`;
  }

  /** Signals of a line are told with it, all others at once. */
  #say(signals: readonly Signal[]): void {
    if (this.#heard) this.#heard.push(...signals);
    else if (signals.length > 0) this.#program.say(signals.map((signal) => ({ signal })));
  }

  #expectOutside(): void {
    clearTimeout(this.#outside);
    if (this.#decoder.hasOutside) this.#outside = setTimeout(() => this.#say(this.#decoder.flush()), OUTSIDE_MS);
  }

  async #leave(): Promise<void> {
    if (this.#turn?.isGiven) await this.cancel();
  }

  #exited(): undefined {
    clearTimeout(this.#outside);
    this.#leavePast();
    this.#say(this.#decoder.flush());
    this.#gone = true;
    this.#guard.stop();
    this.#rpc.close();
    void this.#terminals.close(TERMINAL_GRACE_MS);
    return undefined;
  }
}

const ACTIVITY: ReadonlySet<unknown> = new Set(["agent_message_chunk", "agent_thought_chunk", "tool_call"]);

/** Whether the model has gone on. */
function isActivity({ sessionUpdate }: Fields): boolean {
  return ACTIVITY.has(sessionUpdate);
}
