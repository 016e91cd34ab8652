import { EventEmitter, once } from "node:events";
import type {
  Agent,
  AgentCapabilities,
  AgentChoice,
  AgentSession,
  ChildRef,
  Discovery,
  OpenOptions,
} from "../../src/agents/contract.ts";
import { ResumeLost } from "../../src/agents/contract.ts";
import type { AgentOption, Prompt } from "../../src/core/events/values.ts";
import type { Answer, Signal } from "../../src/core/ledger/signals.ts";
import type { ProjectSetting } from "../../src/core/trust.ts";
import { eventually } from "../support/eventually.ts";

export function effort(...values: string[]): AgentOption {
  return { id: "effort", kind: "select", values: values.map((id) => ({ id })) };
}

/** One start of the fake: what it was told, and a way to speak as it. */
export class FakeSession implements AgentSession {
  readonly options: OpenOptions;
  readonly prompts: Prompt[] = [];
  readonly answers: { ask: string; answer: Answer }[] = [];
  readonly choices: AgentChoice[] = [];
  readonly rewinds: (readonly (readonly string[])[])[] = [];
  cancels = 0;
  kills = 0;
  closes = 0;
  paused = false;
  gone = false;
  private readonly fake: FakeAgent;

  constructor(fake: FakeAgent, options: OpenOptions) {
    this.fake = fake;
    this.options = options;
  }

  say(signal: Signal, child?: ChildRef, native?: string): void {
    this.options.emit(signal, native, child);
  }

  async ready(): Promise<void> {
    await this.fake.gate;
    if (this.fake.failure) throw this.fake.failure;
    if (this.options.resume !== undefined && this.fake.forgets) throw new ResumeLost(this.options.resume);
  }

  async prompt(prompt: Prompt): Promise<void> {
    this.prompts.push(prompt);
    this.fake.events.emit("prompt", this, prompt);
    this.fake.onPrompt?.(this, prompt);
  }

  async rewind(turns: readonly (readonly string[])[]): Promise<void> {
    this.rewinds.push(turns);
    this.fake.events.emit("rewind", this);
    await this.fake.onRewind?.(this);
  }

  async steer(prompt: Prompt): Promise<void> {
    this.prompts.push(prompt);
  }

  async cancel(): Promise<void> {
    this.cancels++;
    this.fake.onCancel?.(this);
    await this.fake.hears;
  }

  async answer(ask: string, answer: Answer): Promise<void> {
    this.answers.push({ ask, answer });
    this.fake.events.emit("answer", this);
  }

  async set(choice: AgentChoice): Promise<void> {
    this.choices.push(choice);
  }

  async close(): Promise<void> {
    this.closes++;
    await this.fake.closeGate;
    this.exit(0);
  }

  async kill(): Promise<void> {
    this.kills++;
    await this.fake.killGate;
    this.exit(null);
  }

  exit(code: number | null): void {
    if (this.gone) return;
    this.gone = true;
    this.say({ type: "exited", code, signal: code === null ? "SIGKILL" : null, stderr: [] });
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }
}

/** An agent in the same process that does what a test tells it. */
export class FakeAgent implements Agent {
  readonly name = "fake";
  capabilities: AgentCapabilities = {};
  ruledAtStart: NonNullable<Agent["ruledAtStart"]> = () => false;
  readonly starts: FakeSession[] = [];
  readonly events = new EventEmitter();
  gate: Promise<void> = Promise.resolve();
  closeGate: Promise<void> = Promise.resolve();
  killGate: Promise<void> = Promise.resolve();
  /** Never resolves for an agent that does not read its input. */
  hears: Promise<void> = Promise.resolve();
  failure: Error | undefined;
  forgets = false;
  /** The settings of a project for it. */
  settings: ProjectSetting[] = [];
  onPrompt: ((session: FakeSession, prompt: Prompt) => void) | undefined;
  onRewind: ((session: FakeSession) => Promise<void>) | undefined;
  onCancel: ((session: FakeSession) => void) | undefined;
  copyAt: Agent["copyAt"];

  async discover(): Promise<Discovery> {
    return {
      installed: true,
      credentials: "not_needed",
      models: [{ id: "m1" }, { id: "m2", options: [effort("low")] }],
      modes: [{ id: "build" }, { id: "plan" }],
      options: [effort("low", "high"), { id: "fast", kind: "boolean" }],
    };
  }

  async projectSettings(): Promise<ProjectSetting[]> {
    return this.settings;
  }

  open(options: OpenOptions): FakeSession {
    const session = new FakeSession(this, options);
    this.starts.push(session);
    return session;
  }

  get last(): FakeSession {
    const last = this.starts.at(-1);
    if (!last) throw new Error("the fake agent was not started");
    return last;
  }

  /** Resolves when the agent has got so many answers. */
  async answered(count: number): Promise<void> {
    while (this.last.answers.length < count) await once(this.events, "answer");
  }

  /** Resolves when every start of it is gone. */
  left(): Promise<void> {
    return eventually("every start of the agent is gone", () => this.starts.every((start) => start.gone));
  }

  /** Resolves with the start that got the next prompt. */
  async prompted(): Promise<FakeSession> {
    const [session] = (await once(this.events, "prompt")) as [FakeSession];
    return session;
  }
}

/** Answers each prompt with one message and ends the turn. */
export function answering(session: FakeSession, prompt: Prompt): void {
  session.say({ type: "session", nativeId: "native-1" });
  session.say({ type: "text", item: `m-${prompt.id}`, kind: "message", delta: "Hello" });
  session.say({ type: "text.done", item: `m-${prompt.id}`, kind: "message", text: "Hello there" });
  session.say({ type: "turn.finished", turn: prompt.id, reason: "end_turn" });
}
