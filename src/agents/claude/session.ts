import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import type { Prompt } from "../../core/events/values.ts";
import { present, textIn } from "../../core/json/fields.ts";
import type { Answer, Signal } from "../../core/ledger/signals.ts";
import { within } from "../../core/within.ts";
import type { Exit, ProcessHost } from "../../host/contract.ts";
import { type AgentChoice, type AgentSession, MustReopen, type OpenOptions, ResumeLost } from "../contract.ts";
import { effortIn } from "../effort.ts";
import { Program } from "../program/program.ts";
import type { Read, Said } from "../program/read-lines.ts";
import { answerLine, hookLine, isLastWord, isRefusal, refusalLine, userLine } from "./commands.ts";
import { Control } from "./control.ts";
import type { Foreign } from "./decode/hooks.ts";
import { type DecodeState, newDecodeState } from "./decode/state.ts";
import {
  answered,
  choseMode,
  choseModel,
  gaveBack,
  learnModels,
  stopsWaiting,
  wasRead,
  wroteUserLine,
} from "./decode/written.ts";
import { decodeLine } from "./decode.ts";
import { withPreview } from "./edit-preview.ts";
import { decided, HOOKS, UNHOOKED } from "./hooks.ts";
import { type Launch, sessionSpec } from "./launch.ts";
import { writeMcpConfig } from "./mcp-config.ts";
import { BYPASS, BYPASS_ADVICE, needsNewProcess } from "./modes.ts";
import type { Probed } from "./probe.ts";
import { promptContent } from "./prompt-content.ts";
import { setEffort } from "./set-effort.ts";

const READY_MS = 60_000;
const INTERRUPT_MS = 1_000;
const MODEL_MS = 2_000;

export interface SessionOptions extends Launch {
  host: ProcessHost;
  /** Holds the file of the MCP servers while the program runs. */
  dataDirectory: string;
  /** Told what the program says of itself: its version, its models and commands. */
  learned(told: Probed): void;
  readyMs?: number | undefined;
}

/** One process of the program that serves one session. */
export class ClaudeSession implements AgentSession {
  readonly #open: OpenOptions;
  readonly #options: SessionOptions;
  readonly #program: Program;
  readonly #control: Control;
  #state: DecodeState;
  /** As the program has it now. */
  #model: string | undefined;
  /** In which mode a prompt was given that the program has not begun yet. */
  #expected: string | undefined;
  /** The prompt is one that the program tells of before it begins. */
  #plain = false;
  #prompted = "";
  #gone = false;
  readonly #mcpConfig: string | undefined;
  #idle = Promise.withResolvers<void>();

  constructor(options: SessionOptions, open: OpenOptions) {
    this.#open = open;
    this.#options = options;
    this.#model = open.model;
    this.#state = choseMode(choseModel(newDecodeState(open.directory), open.model), open.mode);
    this.#mcpConfig = writeMcpConfig(options.dataDirectory, open);
    this.#program = new Program({
      host: options.host,
      spec: sessionSpec(options, open, randomUUID(), this.#mcpConfig),
      emit: open.emit,
      readyMs: options.readyMs ?? READY_MS,
      read: (text) => this.#read(text),
      leave: () => this.#leave(),
      onExit: (exit) => this.#exited(exit),
    });
    this.#control = new Control((line) => this.#program.write(line));
    void this.#initialize();
  }

  ready(): Promise<void> {
    return this.#program.ready();
  }

  /** Parley keeps the queue, so the program has one line at a time, and those that are meant for its running turn. */
  async prompt(prompt: Prompt): Promise<void> {
    this.#expected = this.#state.mode;
    this.#plain = !isCommand(prompt);
    this.#prompted = await this.#say(prompt);
  }

  async steer(prompt: Prompt): Promise<void> {
    await this.#say(prompt);
  }

  /**
   * Prompts that the program has queued would run right after the interrupt, so they are taken back first. The interrupt also ends sub-agents in the
   * background, when no turn is open, too. Newer programs drop by `cancel_queued` what they would tell the model about them in a turn of its own.
   */
  async cancel(): Promise<void> {
    const waiting = [...this.#state.waiting];
    this.#state = stopsWaiting(this.#state);
    const taken = waiting.map((uuid) => this.#control.ask({ subtype: "cancel_async_message", message_uuid: uuid }));
    const heard = this.#control.ask({ subtype: "interrupt", cancel_queued: true });
    const answers = await Promise.all(taken);
    const { cancelled } = (await heard).body;
    const dropped = new Set(Array.isArray(cancelled) ? cancelled : []);
    for (const [at, { body }] of answers.entries()) if (body.cancelled === true) dropped.add(waiting[at]);
    if (waiting.includes(this.#prompted) && dropped.has(this.#prompted)) this.#take(gaveBack(this.#state, Date.now()));
  }

  async answer(ask: string, answer: Answer): Promise<void> {
    const request = this.#state.requests.get(ask);
    if (!request) return;
    this.#state = answered(this.#state, ask, { refused: isRefusal(answer), lastWord: isLastWord(answer) });
    await this.#program.write(answerLine(ask, request, answer));
  }

  async decide(ask: string, verdict: "go" | "ask"): Promise<void> {
    const hook = this.#state.requests.get(ask)?.hook;
    if (!hook) return;
    this.#state = answered(this.#state, ask, { refused: false, lastWord: false });
    await this.#program.write(hookLine(ask, decided(hook, verdict)));
  }

  async set({ model, mode, options }: AgentChoice): Promise<void> {
    if (this.#gone) return;
    const { mode: now, mayBypass } = this.#state;
    if (mode !== undefined && mode !== now && needsNewProcess(mode, mayBypass))
      throw new MustReopen(`the mode ${mode}`);
    if (model !== undefined && model !== this.#model) {
      // The program may ask the service about a model that it does not know; one that it is started with it does not ask about.
      const told = this.#change({ subtype: "set_model", model }, `the model ${model}`);
      if (!(await within(told, MODEL_MS))) throw new MustReopen(`the model ${model}`);
      this.#state = choseModel(this.#state, model);
      this.#model = model;
    }
    if (options) await setEffort(this.#control, effortIn(options));
    if (mode !== undefined && mode !== now) await this.#switch(mode);
  }

  /** The program accepts any name of a mode. The mode that it is in then comes in a line of its own, before its next answer. */
  async #switch(mode: string): Promise<void> {
    await this.#change({ subtype: "set_permission_mode", mode }, `the mode ${mode}`);
    await this.#control.ask({ subtype: "get_binary_version" });
    const { mode: now } = this.#state;
    if (now === mode) return;
    this.#state = choseMode(this.#state, undefined);
    throw new Error(`Claude Code does not take the mode ${mode}: it stays in ${now ?? "its own"}`);
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

  async #initialize(): Promise<void> {
    const request = { subtype: "initialize", forwardSubagentText: true, hooks: HOOKS } as const;
    const [{ ok, body, error }, binary] = await Promise.all([
      this.#control.ask(request),
      this.#control.ask({ subtype: "get_binary_version" }),
    ]);
    if (!ok) {
      this.#program.fail(this.#program.failure(`it could not be initialized: ${error ?? "no reason was given"}`));
      return;
    }
    this.#state = learnModels(this.#state, body);
    this.#options.learned(present({ initialized: body, version: textIn(binary.body, "version") }));
    const { resume } = this.#open;
    if (resume !== undefined) this.#program.say([{ signal: { type: "session", nativeId: resume, resume: "resumed" } }]);
    this.#program.isReady();
  }

  #read(text: string): Read {
    const decoded = decodeLine(this.#state, text, Date.now());
    this.#state = decoded.state;
    if (decoded.response) this.#control.answered(decoded.response);
    if (decoded.foreign) void this.#settle(decoded.foreign);
    if (decoded.lost) this.#program.fail(new ResumeLost(this.#open.resume ?? "(none was asked for)"));
    this.#heed(decoded.said);
    for (const one of decoded.said) one.signal = withPreview(one.signal, this.#open.directory);
    return decoded;
  }

  #heed(said: readonly Said[]): void {
    for (const { signal, child } of said) if (!child) this.#note(signal);
  }

  #note(signal: Signal): void {
    if (signal.type === "session") {
      this.#model = signal.model ?? this.#model;
      if (signal.nativeId !== undefined && signal.mode !== undefined) this.#begins(signal.mode);
    } else if (signal.type === "step.begun") {
      this.#assertHooked();
    } else if (signal.type === "turn.finished") {
      this.#idle.resolve();
    }
  }

  /** A prompt is only served in the mode that it was given in. */
  #begins(mode: string): void {
    const expected = this.#expected;
    this.#expected = undefined;
    if (expected !== undefined && mode !== expected)
      this.#giveUp(`the mode ${expected} was chosen, and Claude Code works in ${mode}: choose a mode that it has`);
    else if (this.#plain) this.#assertHooked();
  }

  /** Ends the program when the session has rules and the program does not report its calls, so that the rules cannot hold. */
  #assertHooked(): void {
    if (!this.#state.hooked && this.#open.hasRules?.()) this.#giveUp(UNHOOKED);
  }

  /** Ends the program before it does what it must not. */
  #giveUp(message: string): void {
    this.#program.say([{ signal: { type: "error", error: { code: "agent_failed", message } } }]);
    void this.kill(0);
  }

  async #say({ parts }: Prompt): Promise<string> {
    const content = await promptContent(parts, this.#open.directory);
    const uuid = randomUUID();
    this.#state = wroteUserLine(this.#state, uuid);
    const written = this.#program.write(userLine(content, uuid));
    void this.#notice(uuid);
    await written;
    return uuid;
  }

  /** The program answers in the order in which it reads: an answer to something later means that it has read the line. */
  async #notice(uuid: string): Promise<void> {
    await this.#control.ask({ subtype: "get_binary_version" });
    this.#take(wasRead(this.#state, uuid, Date.now()));
  }

  #take({ state, said }: { state: DecodeState; said: Said[] }): void {
    this.#state = state;
    this.#heed(said);
    this.#program.say(said);
  }

  async #change(request: Parameters<Control["ask"]>[0], what: string): Promise<void> {
    const { ok, error } = await this.#control.ask(request);
    if (ok) return;
    const advice = what.endsWith(BYPASS) ? `; ${BYPASS_ADVICE}` : "";
    throw new Error(`Claude Code does not take ${what}: ${error ?? "no reason was given"}${advice}`);
  }

  async #settle({ id, subtype, hook }: Foreign): Promise<void> {
    await this.#program.write(hook ? hookLine(id, hook) : refusalLine(id, `Parley does not serve ${subtype}`));
  }

  /** At the end of its input the program would finish its turn first, and leave shells behind if it were only killed. */
  async #leave(): Promise<void> {
    const { turn, children } = this.#state;
    if (!turn && [...children.values()].every(({ over }) => over)) return;
    this.#idle = Promise.withResolvers();
    const stopped = this.cancel();
    await within(Promise.race([turn ? this.#idle.promise : stopped, this.#program.exited]), INTERRUPT_MS);
  }

  #exited(exit: Exit): string | undefined {
    this.#gone = true;
    if (this.#mcpConfig !== undefined) rmSync(this.#mcpConfig, { force: true });
    this.#control.close();
    return exit.stderr.some((line) => line.includes("root/sudo")) ? BYPASS_ADVICE : undefined;
  }
}

/** Whether a prompt is a slash command. The program runs some of these without telling of them, and rules do not concern them. */
function isCommand({ parts: [first] }: Prompt): boolean {
  return first?.type === "text" && first.text.startsWith("/");
}
