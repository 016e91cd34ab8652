import type { ModelMessage } from "ai";
import { messageOf } from "../../core/errors.ts";
import type { Prompt } from "../../core/events/values.ts";
import type { Answer } from "../../core/ledger/signals.ts";
import { within } from "../../core/within.ts";
import type { AgentChoice, AgentSession, OpenOptions } from "../contract.ts";
import { effortIn } from "../effort.ts";
import { Outbox } from "../outbox.ts";
import { effortsOf } from "./model/efforts.ts";
import { RETRY_POLICY } from "./model/retry.ts";
import type { HouseOptions } from "./options.ts";
import { forAnotherModel } from "./past/conversation.ts";
import { callsIn, contextIn, conversationOf } from "./past/history.ts";
import { instructionsFor } from "./past/instructions.ts";
import { promptParts } from "./past/prompt-parts.ts";
import { TOOLS } from "./tools/all.ts";
import { DoomLoop } from "./turn/doom-loop.ts";
import { FileLocks } from "./turn/file-locks.ts";
import { Keys } from "./turn/keys.ts";
import { runCompaction, runTurn } from "./turn/loop.ts";
import { Asks } from "./turn/permissions.ts";
import { makeTurn, type Turn } from "./turn/turn.ts";

const STALL_MS = 600_000;
const MAX_STEPS = 200;
/** How long a turn that was told to stop is waited for before the session leaves without it. */
const LEAVE_MS = 1_000;

type Loaded = {
  sdk: typeof import("./model/libraries/sdk.ts");
  messages: ModelMessage[];
  context: { used?: number };
  keys: Keys;
  asks: Asks;
};
type Work = { words: readonly Steered[]; system?: string | undefined; run(turn: Turn): Promise<void> };
type Steered = { message: Promise<ModelMessage> };

/** One conversation. It lives in this process: there is nothing to start, and nothing of it is left but what the log has. */
export class HouseSession implements AgentSession {
  readonly #house: HouseOptions;
  readonly #open: OpenOptions;
  readonly #loaded: Loaded;
  readonly #outbox: Outbox;
  readonly #locks = new FileLocks();
  #choice: AgentChoice;
  /** The model of the turn before. */
  #spoke: string | undefined;
  #steered: Steered[] = [];
  #work: Promise<void> = Promise.resolve();
  #stop: AbortController | undefined;
  #left = false;

  constructor(house: HouseOptions, open: OpenOptions, outbox: Outbox, loaded: Loaded) {
    this.#house = house;
    this.#open = open;
    this.#outbox = outbox;
    this.#loaded = loaded;
    const { model, mode, options } = open;
    this.#choice = { model, mode, options };
  }

  async ready(): Promise<void> {}

  async prompt(prompt: Prompt): Promise<void> {
    this.#begin({ words: [{ message: this.#userMessage(prompt) }], system: prompt.system, run: runTurn });
  }

  async compact(): Promise<void> {
    this.#begin({ words: [], run: runCompaction });
  }

  /** Steers the running turn. If it has just ended, the prompt begins a turn of its own. */
  async steer(prompt: Prompt): Promise<void> {
    this.#steered.push({ message: this.#userMessage(prompt) });
    if (!this.#stop) this.#beginWithSteered();
  }

  async cancel(): Promise<void> {
    this.#stop?.abort();
  }

  async answer(ask: string, answer: Answer): Promise<void> {
    this.#loaded.asks.answer(ask, answer);
  }

  async decide(ask: string, verdict: "go" | "ask"): Promise<void> {
    this.#loaded.asks.decide(ask, verdict);
  }

  async set(choice: AgentChoice): Promise<void> {
    const options = { ...this.#choice.options, ...choice.options };
    this.#choice = { ...this.#choice, ...choice, options };
  }

  async close(): Promise<void> {
    await this.#leave();
    this.#outbox.end({ code: 0, signal: null, stderr: [] });
  }

  async kill(): Promise<void> {
    await this.#leave();
    this.#outbox.end({ code: null, signal: "SIGKILL", stderr: [] });
  }

  pause(): void {
    this.#outbox.pause();
  }

  resume(): void {
    this.#outbox.resume();
  }

  async #leave(): Promise<void> {
    this.#left = true;
    this.#stop?.abort();
    this.#outbox.release();
    await within(this.#work, LEAVE_MS);
  }

  async #userMessage({ parts }: Prompt): Promise<ModelMessage> {
    return { role: "user", content: await promptParts(parts, this.#open.directory) };
  }

  #beginWithSteered(): void {
    this.#outbox.emit({ type: "turn.begun" });
    this.#begin({ words: this.#steered.splice(0), run: runTurn });
  }

  #begin(work: Work): void {
    if (this.#left) return;
    const stop = new AbortController();
    this.#stop = stop;
    this.#work = this.#work.then(() => this.#turn(work, stop));
  }

  async #turn({ words, system, run }: Work, stop: AbortController): Promise<void> {
    const { messages } = this.#loaded;
    try {
      const asked = await Promise.all(words.map(({ message }) => message));
      messages.push(...asked);
      await run(await this.#makeTurn(stop.signal, asked, system));
    } catch (error) {
      const failure = { code: "agent_failed", message: messageOf(error) };
      this.#outbox.emit({ type: "turn.finished", reason: "error", error: failure });
    } finally {
      if (this.#stop === stop) this.#stop = undefined;
    }
    if (this.#steered.length === 0 || this.#stop) return;
    if (stop.signal.aborted) messages.push(...(await this.#takeSteered()));
    else this.#beginWithSteered();
  }

  async #makeTurn(stop: AbortSignal, asked: ModelMessage[], system: string | undefined): Promise<Turn> {
    const { sdk, messages, context, keys, asks } = this.#loaded;
    const { directory, session, trusted } = this.#open;
    const { host, models, retry = RETRY_POLICY, stallMs = STALL_MS, maxSteps = MAX_STEPS } = this.#house;
    const planning = (): boolean => this.#choice.mode === "plan";
    const model = models.find(this.#choice.model);
    const wanted = effortIn(this.#choice.options);
    // The effort of the model before may be none of this one's.
    const effort = effortsOf(model).find((level) => level === wanted);
    if (this.#spoke !== model.id) messages.splice(0, messages.length, ...forAnotherModel(messages));
    this.#spoke = model.id;
    this.#outbox.emit({ type: "session", model: model.id, ...(this.#choice.mode ? { mode: this.#choice.mode } : {}) });
    return makeTurn({
      sdk,
      session,
      directory,
      trusted,
      host,
      model,
      language: await models.load(model),
      effort,
      instructions: await instructionsFor(directory, planning(), system),
      messages,
      asked,
      context,
      keys,
      asks,
      // Both may change while the turn runs.
      planning,
      hasRules: () => this.#open.hasRules?.() ?? false,
      locks: this.#locks,
      doom: new DoomLoop(),
      tools: this.#house.tools ?? TOOLS,
      retry,
      stallMs,
      maxSteps,
      stop,
      emit: this.#outbox.emit,
      free: () => this.#outbox.free(),
      steered: () => this.#takeSteered(),
      hasSteered: () => this.#steered.length > 0,
    });
  }

  #takeSteered(): Promise<ModelMessage[]> {
    return Promise.all(this.#steered.splice(0).map(({ message }) => message));
  }
}

/** Brings the model library and the conversation so far. */
export async function loadSession(
  house: HouseOptions,
  { history }: OpenOptions,
): Promise<(open: OpenOptions) => HouseSession> {
  const [sdk, events] = await Promise.all([import("./model/libraries/sdk.ts"), history?.() ?? []]);
  // The AI SDK would write its warnings to the server's own output.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  return (open) => {
    const outbox = new Outbox(open.emit);
    const keys = new Keys(callsIn(events));
    const asks = new Asks(outbox.emit, keys.prefix);
    const context = contextIn(events);
    return new HouseSession(house, open, outbox, { sdk, messages: conversationOf(events), context, keys, asks });
  };
}
