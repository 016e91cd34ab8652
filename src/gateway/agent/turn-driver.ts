import { setImmediate } from "node:timers/promises";
import type { AgentSession } from "../../agents/contract.ts";
import { isParleyError, messageOf } from "../../core/errors.ts";
import type { Failure, Prompt } from "../../core/events/values.ts";
import { cutTurns } from "../../core/history/copy.ts";
import { weightOf } from "../../core/json/weight.ts";
import type { Answer } from "../../core/ledger/signals.ts";
import { within } from "../../core/within.ts";
import { SpawnFailed } from "../../host/contract.ts";
import { CANCEL_ASK_MS, CANCEL_TERM_MS } from "../options.ts";
import { readNewest } from "../read-events.ts";
import type { ServedSession } from "../session/parts.ts";
import { LeftOut, UNTRUSTED } from "../trust/left-out.ts";
import { TrustAsk } from "../trust/trust-ask.ts";
import type { AgentLink, Opened } from "./agent-link.ts";
import { type Choice, choiceIn } from "./choice.ts";
import type { Deliveries } from "./deliveries.ts";
import { transcriptOf, withInstructions, withTranscript } from "./handoff.ts";
import { NativeRewind } from "./native-rewind.ts";
import { ShellTurn } from "./shell-turn.ts";

/** How many events a handoff is made of. */
const HANDOFF_EVENTS = 2_000;

/** How often an agent is started for a prompt. */
const MOST_STARTS = 2;

/** How long an agent may take to hear that it is to stop, when its answer cannot be stored. */
const STOP_ASK_MS = 500;

/** A prompt of so many characters is delivered in a turn of the event loop of its own. */
const HEAVY = 1024 * 1024;

type DriverOptions = ServedSession & { link: AgentLink };

/** Delivers a stored prompt to the agent, and stops its turn. */
export class TurnDriver {
  private readonly options: DriverOptions;
  private readonly deliveries: Deliveries;
  private readonly shell: ShellTurn;
  /** The turn that was stopped while the log took no writes. */
  private stopped = "";
  private readonly leftOut: LeftOut;
  private readonly trustAsk: TrustAsk;
  private readonly rewinds: NativeRewind;

  constructor(options: DriverOptions, deliveries: Deliveries) {
    this.options = options;
    this.deliveries = deliveries;
    this.leftOut = new LeftOut(options.directory);
    this.trustAsk = new TrustAsk(options);
    this.rewinds = new NativeRewind(options);
    this.shell = new ShellTurn(options);
  }

  /** Gives the agent a prompt whose turn is stored. A failure ends that turn, once. */
  async deliver(prompt: Prompt, turn: string): Promise<void> {
    const { link, inbox, ledger, roots, directory } = this.options;
    try {
      // Checked again: roots may have been set, and directories moved, while the prompt was queued.
      roots.assert(directory);
      // Other sessions may work between the storing and the delivery of a heavy prompt, which both take a while.
      if (weightOf(prompt.parts) >= HEAVY) await setImmediate();
      if (prompt.task?.type === "shell") return await this.shell.run(prompt.task.command, turn);
      if (prompt.attended && !(await this.mayStart(turn, link))) return;
      const forget = await this.rewinds.mustForget();
      const { agent, generation, lost, note } = await this.started(turn, forget);
      if (ledger.state.turn?.id !== turn) return;
      this.deliveries.given(turn, generation);
      if (forget || lost) this.rewinds.forgot();
      else if (!this.isStopped(turn)) await this.rewinds.before(agent, generation);
      if (ledger.state.turn?.id !== turn) return;
      // A cancel that came while the agent was starting has not reached it.
      if (this.isStopped(turn)) return await link.kill(0);
      if (note !== undefined) {
        inbox.signal({ type: "note", level: "warn", code: UNTRUSTED, text: note });
        this.leftOut.told(note, generation);
      }
      if (prompt.task?.type === "compact") return await this.compact(agent, prompt);
      const told = link.takesInstructions ? prompt : withInstructions(prompt);
      await agent.prompt(forget || lost ? await this.afterLoss(told, turn) : told);
    } catch (error) {
      await inbox.send({ type: "fail", turn, error: failureOf(error) }, { must: true });
    }
  }

  /** An agent that runs, with the note on its start. One that exits before it has the prompt is started once more. */
  private async started(turn: string, forget: boolean): Promise<Opened & { note: string | undefined }> {
    const { link, ledger } = this.options;
    const choice = (): Choice => choiceIn(ledger.state.facts);
    for (let starts = 1; ; starts++) {
      const opened = await link.ensure(choice, () => (forget ? undefined : ledger.state.facts.nativeId));
      const note = await this.leftOut.look(link, opened.generation);
      if (link.runs(opened.generation)) return { ...opened, note };
      if (starts === MOST_STARTS || ledger.state.turn?.id !== turn || this.isStopped(turn))
        throw new Error("the agent exited before it could take the prompt");
    }
  }

  private isStopped(turn: string): boolean {
    return this.options.ledger.state.turn?.cancelled === true || this.stopped === turn;
  }

  /** Asks about trust first. A turn that was stopped meanwhile, or is over, needs no agent. */
  private async mayStart(turn: string, link: AgentLink): Promise<boolean> {
    const { inbox, ledger } = this.options;
    await this.trustAsk.before(turn, link);
    const open = ledger.state.turn;
    if (open?.id === turn && open.cancelled) inbox.signal({ type: "turn.finished", reason: "cancelled" });
    return open?.id === turn && !open.cancelled;
  }

  /** Takes an answer to an ask of Parley's own. */
  takeAnswer(ask: string, answer: Answer): boolean {
    return this.trustAsk.take(ask, answer);
  }

  private async compact(agent: AgentSession, prompt: Prompt): Promise<void> {
    const { compacts } = this.options.link;
    if (typeof compacts === "string") return agent.prompt({ ...prompt, parts: [{ type: "text", text: compacts }] });
    if (!compacts || !agent.compact) throw new Error("the agent cannot shorten a conversation");
    await agent.compact();
  }

  private async afterLoss(prompt: Prompt, turn: string): Promise<Prompt> {
    const { inbox, log, session } = this.options;
    const text = "The agent no longer knows this conversation. A fresh one was started and told how it went so far.";
    inbox.signal({ type: "session", resume: "lost" });
    inbox.signal({ type: "note", level: "warn", code: "resume_lost", text });
    const events = await readNewest(log, session, HANDOFF_EVENTS);
    const gone = cutTurns(events).add(turn);
    return withTranscript(prompt, transcriptOf(events.filter((event) => !gone.has(event.turn ?? ""))));
  }

  /** Ends the shell command. False when it runs on, even after KILL: it is not waited for. */
  async halt(): Promise<boolean> {
    return (await within(this.shell.stop(), CANCEL_ASK_MS)) !== undefined;
  }

  /** As `stop`, while the log takes no writes: it does not wait for the turn's end. Resolves with whether the agent or command is gone. */
  async stopNow(turn: string): Promise<boolean> {
    const { link } = this.options;
    this.stopped = turn;
    if (this.shell.runs(turn)) return this.halt();
    await within(link.cancel(), STOP_ASK_MS).catch(() => undefined);
    await link.kill(CANCEL_TERM_MS);
    return !link.running;
  }

  /** Stops a turn: asks the agent, waits, then TERM, waits, KILL. The turn ends by a signal of the agent or by its exit. */
  async stop(turn: string): Promise<void> {
    const { link } = this.options;
    if (this.shell.runs(turn)) {
      if (!(await this.halt())) await this.giveUp(turn, "the command could not be ended");
      return;
    }
    const over = this.options.waits.ended(turn);
    // Not awaited: an agent that does not read its input never answers, and is killed next.
    link.cancel().catch(() => {});
    if (await within(over, CANCEL_ASK_MS)) return;
    await link.kill(CANCEL_TERM_MS);
    if (await within(over, CANCEL_ASK_MS)) return;
    await this.giveUp(turn, "the agent could not be stopped");
  }

  private async giveUp(turn: string, message: string): Promise<void> {
    await this.options.inbox.send({ type: "fail", turn, error: { code: "agent_failed", message } }, { must: true });
  }
}

function failureOf(error: unknown): Failure {
  if (isParleyError(error)) return { code: error.code, message: error.message };
  if (!(error instanceof SpawnFailed)) return { code: "agent_failed", message: messageOf(error) };
  const { argv, directory, exitCode, stderr } = error;
  return { code: "spawn_failed", message: error.message, details: { argv, directory, exitCode, stderr } };
}
